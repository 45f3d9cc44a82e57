"""What must hold for the HTML pages of entrain. A check is a function of a page (an open Chromium); it raises Fault with words.

A page has its plots as JSON in <script type="application/json" id="plots">, and its charts, Dygraph objects, in the same order in
window.entrainCharts. Charts that belong together have the same data-group (on the chart or around it), or `below` in the JSON.
A chart is in an element of class chart, its values are shown in one of class legend, and paper has a svg of class still, or in an element of classes still and paper, instead.
A live page has buttons with the ids pause, stop and take.
"""
import os
import re
import subprocess
import tempfile
import time
import zlib
from pathlib import Path
from urllib.parse import urldefrag

from chromium import BrowserError, PageError

INSIDE = (Path(__file__).resolve().parent / "inside.js").read_text()
PHONE = 360  # px
A4_INSIDE = 718  # px: 210 mm without margins of 10 mm
MOST_GROUPS = 4  # of charts that the mouse goes to
patience = 3  # s, for what follows a move of the mouse


class Fault(AssertionError):
    """What is wrong with a page, in words."""


def ask(page, script):
    """A function of inside.js."""
    if not page.evaluate("!!window.probe"):
        page.evaluate(INSIDE)
    return page.evaluate("probe." + script)


def none_of(faults, what=""):
    if faults:
        more = f"; and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise Fault(what + "; ".join(map(str, faults[:5])) + more)


def must(holds, fault):
    if not holds:
        raise Fault(fault)


# ---- checks of a report: each is a sentence ----

def title_and_heading(page):
    """has a title and one main heading"""
    must((page.evaluate("document.title") or "").strip(), "the title is empty")
    headings = page.evaluate("[...document.querySelectorAll('h1')].map(e => e.innerText.trim())")
    must(len(headings) == 1 and headings[0], f"not one <h1> with words: {headings}")
    must(page.evaluate("document.documentElement.lang"), "<html> has no lang")


def parts(page):
    """ids are unique, links lead somewhere, pictures have words"""
    none_of(ask(page, "looseEnds()"))


def tables(page):
    """every table has a head and rows of its width"""
    for table in ask(page, "tables()"):
        must(table["head"], f"{table['name']} has no head")
        must(table["rows"], f"{table['name']} has no row")
        must(not table["ragged"], f"{table['name']} has a row that is not as wide as the head")


def counts(page, least):
    """At least so many charts, or elements that a selector finds."""
    for what, number in least.items():
        there = page.evaluate("(window.entrainCharts || []).length" if what == "charts" else f"document.querySelectorAll('{what}').length")
        must(there >= number, f"there are {there} {what}, expected at least {number}")


def points(page):
    """charts show the points of their data"""
    none_of(ask(page, "compareCharts()")["faults"])


def groups(page):
    """Numbers of the charts that belong together, for each group."""
    return ask(page, "groups()")[:MOST_GROUPS]


def drag_over(page, chart, first, last):
    """Drags from one share of the width of the frame to another."""
    x, y, width, height = ask(page, f"frame({chart})")
    page.drag((x + first * width, y + height / 2), (x + last * width, y + height / 2))


def close(a, b, scale):
    return all(abs(p - q) <= 1e-6 * scale for p, q in zip(a, b))


def zoom(page):
    """zoom of a chart moves its group, a double click restores it"""
    for group in groups(page):
        start = ask(page, "ranges()")
        for i in {group[0], group[-1]}:
            size = start[i][1] - start[i][0]
            drag_over(page, i, 0.3, 0.6)
            try:
                page.wait(lambda: ask(page, "ranges()")[i] != start[i], "zoom", patience)
            except BrowserError:
                raise Fault(f"chart {i} does not change its range when the mouse is dragged over it") from None
            now = calm(page)
            must(now[i][1] - now[i][0] < 0.9 * size, f"chart {i} shows {now[i]} after a drag over a third of {start[i]}")
            for other in group:
                must(close(now[other], now[i], size), f"chart {other} stays at {now[other]} when chart {i} zooms to {now[i]}")
            x, y, width, height = ask(page, f"frame({i})")
            page.click(x + width / 2, y + height / 2, times=2)
            try:
                page.wait(lambda: ask(page, "ranges()")[i] != now[i], "restore", patience)
            except BrowserError:
                raise Fault(f"a double click does not restore chart {i}") from None
            end = calm(page)
            for other in group:
                must(close(end[other], start[other], size), f"chart {other} is at {end[other]} after a double click, not {start[other]}")


def calm(page):
    """The ranges when they change no more."""
    for _ in range(100):
        old = ask(page, "ranges()")
        page.settle()
        if ask(page, "ranges()") == old:
            return old
    raise Fault("the ranges of the charts change without end")


def hover(page):
    """the mouse over a chart shows the values of its group"""
    rows = ask(page, "rows()")
    for group in groups(page):
        for i in {group[0], group[-1]}:
            page.move(1, 1)
            page.settle()
            x, y, width, height = ask(page, f"frame({i})")
            before = ask(page, "legends()")
            none_of([f"chart {k} has no element of class legend" for k, text in enumerate(before) if text is None])
            page.move(x + 0.31 * width, y + height / 2)
            page.settle()
            first = ask(page, "legends()")
            page.move(x + 0.77 * width, y + height / 2)
            page.settle()
            second = ask(page, "legends()")
            for other in group:
                where = f"of chart {other}, with the mouse over chart {i},"
                must(first[other] != before[other], f"the legend {where} stays '{before[other][:80]}'")
                must(re.search(r"\d", first[other]), f"the legend {where} has no number: '{first[other][:80]}'")
                must(second[other] != first[other] or rows[other] < 4, f"the legend {where} is the same at two places: '{first[other][:80]}'")
    page.move(1, 1)


def keyboard(page):
    """Tab reaches links, tables and charts, and shows where it is"""
    page.emulate()
    wanted = ask(page, "beginWalk()")
    faint = []
    for _ in range(3 * wanted + 20):
        page.key("Tab")
        at = ask(page, "walked()")
        if not at:
            break
        if not at["visible"]:
            faint.append(at["name"])
    none_of(ask(page, "missed()"), "Tab does not reach ")
    none_of(faint, "the focus cannot be seen on ")
    page.evaluate("document.activeElement?.blur()")


def contrast(page, **emulated):
    page.emulate(**emulated)
    page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    if emulated.get("media") != "print":  # with the values in the legends
        for group in groups(page)[:1]:
            ask(page, "select()")
            x, y, width, height = ask(page, f"frame({group[0]})")
            page.move(x + width / 2, y + height / 2)
            page.settle()
    judged = ask(page, "contrast()")
    must(judged["count"], "there is no text")
    none_of(judged["faults"])


def contrast_light(page):
    """text can be read on a light screen"""
    contrast(page)


def contrast_dark(page):
    """text can be read on a dark screen"""
    page.emulate(dark=True)
    must(ask(page, "brightness()") < 0.2, "the page is bright when a dark one is preferred")
    contrast(page, dark=True)


def contrast_paper(page):
    """text can be read on paper"""
    contrast(page, media="print", width=A4_INSIDE)


def fits(page, width):
    facts = ask(page, "overflow()")
    must(facts["client"] <= width, f"the page is laid out for {facts['client']} px, not {width}: <meta name=viewport> is missing")
    must(facts["scroll"] <= facts["client"] and not facts["wide"],
         f"{facts['scroll']} px wide at {facts['client']} px: {', '.join(facts['wide'])}")
    return facts


def phone(page):
    """fits a phone without scrolling sideways"""
    page.emulate(width=PHONE, height=740, mobile=True, scale=2)
    fits(page, PHONE)


def a4(page):
    """fits the width of A4"""
    page.emulate(media="print", width=A4_INSIDE, height=1000)
    none_of(fits(page, A4_INSIDE)["cut"], "paper cannot scroll: ")


def page_streams(data):
    """The drawing commands of each page of a PDF that Chromium wrote."""
    objects = {m[1]: m[2] for m in re.finditer(rb"(?s)(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj", data)}
    for body in objects.values():
        if re.search(rb"/Type\s*/Page\b", body):
            contents = re.search(rb"/Contents\s+(\d+) 0 R", body)
            stream = re.search(rb"(?s)stream\r?\n(.*)\r?\nendstream", objects.get(contents[1], b"") if contents else b"")
            yield zlib.decompressobj().decompress(stream[1]) if stream else b""


def paper(page):
    """is printed with still pictures for charts"""
    page.emulate()
    on_screen = ask(page, "paperParts()")
    must(on_screen["stills"] == 0, "still pictures are on the screen, too")
    page.emulate(media="print", width=A4_INSIDE)
    parts = ask(page, "paperParts()")
    must(parts["charts"] == 0, f"{parts['charts']} charts (class chart) are on paper")
    must(parts["stills"] == parts["allStills"], f"{parts['stills']} of {parts['allStills']} still pictures are on paper")
    must(parts["stills"] or not on_screen["charts"], f"no still picture is on paper; the screen has {on_screen['charts']} charts")
    must(parts["blank"] == 0, f"{parts['blank']} still pictures are blank")
    page.emulate()
    sheets = list(page_streams(page.pdf()))
    must(sheets, "the printed document has no page")
    for number, commands in enumerate(sheets, 1):
        must(re.search(rb"\bT[jJ]\b|\b[lc]\n|\bDo\b", commands), f"page {number} of {len(sheets)} that are printed is blank")
    must(any(re.search(rb"\bT[jJ]\b", commands) for commands in sheets), "no text is printed")


def no_request(page):
    """asks for nothing from elsewhere"""
    own = urldefrag(page.evaluate("location.href"))[0]
    none_of([url for url in page.requests if urldefrag(url)[0] != own and not url.startswith(("data:", "about:"))
             and not (page.loopback and url.startswith(page.loopback))], "requests ")
    none_of(ask(page, "foreign()"))


def no_errors(page):
    """has no errors on its console"""
    page.settle()
    none_of([error.splitlines()[0][:300] for error in page.errors])


# What is emulated and the faults that all the others provoke come last.
REPORT = (title_and_heading, parts, tables, points, zoom, hover, keyboard, contrast_light, contrast_dark, contrast_paper, phone, a4, paper,
          no_request, no_errors)


# ---- names that somebody else chose ----

DIRECTION = "\u202a-\u202e\u2066-\u2069"


def visible_form(text):
    """A pattern: characters that act are shown as their number or as a replacement, blanks may be others."""
    parts = []
    for c in text:
        if ord(c) < 32 or 127 <= ord(c) < 160 or re.match(f"[{DIRECTION}]", c):
            parts.append(rf"(?:\\x{ord(c):02x}|\\u{ord(c):04x}|\ufffd)")
        else:
            parts.append(r"\s+" if c.isspace() else re.escape(c))
    return "".join(parts)


def hostile_names(page, texts):
    """hostile names are words and nothing else"""
    for group in groups(page):  # names are in legends, too
        x, y, width, height = ask(page, f"frame({group[0]})")
        page.move(x + width / 2, y + height / 2)
        page.settle()
    page.sleep(0.1)  # a picture that is not there tells so later
    must(page.evaluate("typeof window.hacked") == "undefined", "a script in a name was run")
    none_of(ask(page, "intruders()"), "a name has become ")
    words = ask(page, "words()")
    none_of([text for text in texts if not re.search(visible_form(text), words)], "the page does not show ")
    acting = sorted(set(re.findall(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{DIRECTION}]", words)))
    none_of([f"U+{ord(c):04X}" for c in acting], "characters that act are in the page: ")


# ---- a page that follows a fit ----

IS_REPORT = """(() => { const stop = document.getElementById('stop');
  return !!document.querySelector('h1') && !!document.querySelector('table') && (window.entrainCharts || []).length > 0 &&
    !(stop && !stop.disabled && stop.checkVisibility()); })()"""
WORDS = "document.body.innerText"


def updates(page, count, seconds, what):
    """Waits until the words of the page have changed so many times."""
    for _ in range(count):
        old = page.evaluate(WORDS)
        page.wait(lambda: page.evaluate(WORDS) != old, f"a change of the page {what}", seconds)


def follow(page, address, seconds=20, buttons=("pause", "stop", "take"), is_report=IS_REPORT):
    """Opens a live page; yields (sentence, function), to be run in this order. At the end the page is a report."""
    pressed = "document.getElementById('%s')"

    def opens():
        page.loopback = re.match(r"https?://[^/]*/", address)[0]
        page.open(address)
        for name in buttons:
            must(page.evaluate(f"!!{pressed % name} && {pressed % name}.innerText.trim() !== ''"), f"there is no button '{name}'")

    def pauses():
        page.click_on(pressed % "pause")
        last = [None]

        def still():
            old, last[0] = last[0], page.evaluate(WORDS)
            page.sleep(0.6)
            return old == last[0]
        page.wait(still, "the page to stand still after pause", seconds)
        page.click_on(pressed % "pause")
        updates(page, 1, seconds, "after a second click on pause")

    def stops():
        page.click_on(pressed % "stop")
        page.wait(is_report, "the page to become a report after stop", seconds)

    yield "opens with its buttons", opens
    yield "follows the fit", lambda: updates(page, 3, seconds, "while the fit runs")
    yield "does not ask elsewhere while it follows", lambda: no_request(page)
    if "pause" in buttons:
        yield "pauses and goes on", pauses
    yield "becomes a report when it is stopped", stops


def live(page, words, name, seconds=20):
    """Starts the command and does all this with the page that it names on standard error."""
    with tempfile.TemporaryFile() as log:
        command = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        found = []

        def said():
            return os.pread(log.fileno(), 1 << 20, 0).decode(errors="replace")

        def names_it():
            until = time.monotonic() + seconds
            while not found:
                found.extend(re.findall(r"http://127\.0\.0\.1:\d+/\S*", said()))
                must(found or command.poll() is None, f"the command has ended: {said()[-300:]}")
                must(found or time.monotonic() < until, f"no address within {seconds} s: {said()[-300:]}")
                time.sleep(0.02)

        def ends():
            try:
                command.wait(seconds)
            except subprocess.TimeoutExpired:
                raise Fault(f"the command still runs {seconds} s after it was stopped") from None
            must(command.returncode in (0, 1), f"exit status {command.returncode}: {said()[-300:]}")

        try:
            yield from judge(name, [("names its address", names_it)])
            if found:
                faults = list(judge(name, follow(page, found[0], seconds), stop_at_fault=True))
                yield from faults
                if not any(fault for _, fault in faults):
                    yield from check_all(page, name)
                    yield from judge(name, [("ends with its result", ends)])
        finally:
            page.loopback = ""
            if command.poll() is None:
                command.kill()
                command.wait()


# ---- running them ----

def judge(name, steps, stop_at_fault=False):
    """Runs functions with their sentences; yields (sentence, fault or "")."""
    for sentence, step in steps:
        fault = ""
        try:
            step()
        except (Fault, BrowserError, PageError) as e:
            fault = str(e) or repr(e)
        yield f"{name}: {sentence}", fault
        if fault and stop_at_fault:
            return


def check_all(page, name, checks=REPORT):
    """Of the page that is open."""
    yield from judge(name, [(check.__doc__, lambda check=check: check(page)) for check in checks])


def report(page, path, least=None):
    """All checks of a file. least: {"charts": 1, "table": 2}: how many there are at least."""
    name, opened = Path(path).stem, []
    yield from judge(name, [("opens", lambda: opened.append(page.open(Path(path).resolve().as_uri())))])
    if not opened:
        return
    if least:
        yield from judge(name, [("has " + ", ".join(f"{n} {what}" for what, n in least.items()), lambda: counts(page, least))])
    yield from check_all(page, name)
