"""The checks of pages.py checked: they hold on sample.html, and each fails on a page that is spoilt in its way."""
import functools
import http.server
import re
import tempfile
import threading
import time
from pathlib import Path

import pages

HERE = Path(__file__).resolve().parent
DYGRAPHS = Path("/usr/share/javascript/dygraphs")
TEXTS = ["<script>window.hacked = 1</script>", "</style>", '"quoted"', "'single'", "\x1b[2J", "\u202e", "שלום"]


@functools.cache
def sample():
    page = (HERE / "sample.html").read_text()
    for mark, name in (("/*dygraphs.css*/", "dygraph.min.css"), ("/*dygraphs.js*/", "dygraph.min.js")):
        page = page.replace(mark, re.sub(r"(//|/\*)# sourceMappingURL.*", "", (DYGRAPHS / name).read_text()))
    return page


# Pages that are spoilt in many ways at once. A row: a check, words of the fault that it must find, what is replaced, by what.
SPOILT = [
    [
        (pages.no_errors, "console: broken", "'use strict';", "'use strict'; console.error('broken');"),
        (pages.no_errors, "exception: Error: thrown", "'use strict';", "'use strict'; setTimeout(() => { throw Error('thrown'); });"),
        (pages.no_errors, "exception: Error: promised", "'use strict';", "'use strict'; Promise.reject(Error('promised'));"),
        (pages.no_errors, "dialog: hello", "'use strict';", "'use strict'; alert('hello');"),
        (pages.no_request, "url(https://example.org/font", "</head>", "<style>@font-face { font-family: F; src: url(https://example.org/font); }</style></head>"),
        (pages.title_and_heading, "title is empty", "<title>Fit of sample.yaml</title>", "<title> </title>"),
        (pages.parts, "two elements have the id 'result'", "<h1>", "<p id='result'></p><h1>"),
        (pages.parts, "leads to #nowhere", '<a href="#result">', '<a href="#nowhere">'),
        (pages.parts, '<svg class=still> "still" has no words', 'aria-label="a chart"', ""),
        (pages.tables, "not as wide", "<td>0.1</td>", ""),
        (pages.points, "1 of 2 series", "function rows(plot)", "plots[0].series.pop();\nfunction rows(plot)"),
        (pages.zoom, "chart 1 stays at", "if (!first) follow(me, group);", ""),
        (pages.hover, "the legend of chart 1, with the mouse over chart 0, stays", "other.setSelection(best);", ""),
        (pages.keyboard, "the focus cannot be seen on <a>", ":focus-visible { outline: 2px solid var(--link); }", ":focus-visible { outline: none; }"),
        (pages.contrast_light, '"entrain 0" in <span class=faint>: #909090 on #ffffff is 3.19', "--faint: #606060", "--faint: #909090"),
        (pages.contrast_light, '"on a shape"', "fill: #003366", "fill: #cce0ff"),
        (pages.contrast_light, '"on the page"', "svg text { fill: currentColor; }", "svg text { fill: #ffff80; }"),
        (pages.contrast_dark, "is bright", "(prefers-color-scheme: dark)", "(prefers-color-scheme: violet)"),
        (pages.contrast_paper, '"Result"', "--ink: #000000; --paper: #ffffff;", "--ink: #aaaaaa; --paper: #ffffff;"),
        (pages.phone, "<p id=long>", "<h1>", "<p id='long' style='width: 800px'>wide</p><h1>"),
        (pages.a4, "<p id=long>", "", ""),
        (pages.paper, "3 charts", ".chart, .legend { display: none; }", ""),
        (pages.hostile_names, "was run", "&lt;script&gt;window.hacked = 1&lt;/script&gt;", "<script>window.hacked = 1</script>"),
    ],
    [
        (pages.no_request, "http://example.org/a.png", "<h1>", "<img src='http://example.org/a.png' alt=''><h1>"),
        (pages.no_request, "neighbour.png", "<h1>", "<img src='neighbour.png' alt=''><h1>"),
        (pages.no_request, "wss://example.org/", "'use strict';", "'use strict'; new WebSocket('wss://example.org/');"),
        (pages.no_request, "http://127.0.0.1:9/", "'use strict';", "'use strict'; fetch('http://127.0.0.1:9/').catch(() => 0);"),
        (pages.phone, "<p id=long>", "<h1>", "<style>body { overflow-x: hidden; }</style><p id='long' style='width: 500px'>wide</p><h1>"),
        (pages.a4, "paper cannot scroll: <div class=wide>", ".wide { overflow: visible; }", "td { min-width: 500px; }"),
        (pages.title_and_heading, "not one <h1>", "<h1>Fit of sample.yaml</h1>", "<p>Fit of sample.yaml</p>"),
        (pages.tables, "no head", '<thead><tr><th scope="col">unknown</th><th scope="col">estimate</th></tr></thead>', ""),
        (pages.points, "6 are in the data", "return [...table.values()]", "table.delete(6); return [...table.values()]"),
        (pages.zoom, "does not change its range", "legend: 'onmouseover',", "legend: 'onmouseover', interactionModel: {},"),
        (pages.keyboard, "does not reach chart 0", '<div class="chart" tabindex="0">', '<div class="chart">'),
        (pages.contrast_light, '"k"', "<tbody>", "<tbody style='background: #333333'>"),
        (pages.contrast_dark, '"on the page"', "svg text { fill: currentColor; }", "svg text { fill: #000000; }"),
        (pages.paper, "0 of 3 still pictures", "svg.still { display: block; }", ""),
        (pages.hostile_names, "was run", '"y": "residual"', '"y": "<img src=x onerror=window.hacked=1>"'),
    ],
    [
        (pages.title_and_heading, "no lang", '<html lang="en">', "<html>"),
        (pages.tables, "no row", "<tbody><tr><td>k</td><td>2.001</td></tr><tr><td>d</td><td>0.1</td></tr></tbody>", "<tbody></tbody>"),
        (pages.points, "no point is in the frame", "legend: 'onmouseover',", "legend: 'onmouseover', valueRange: [200, 300],"),
        (pages.zoom, "does not restore chart 0", "valueRange:", "interactionModel: {...Dygraph.defaultInteractionModel, dblclick: () => 0}, valueRange:"),
        (pages.hover, "chart 0 has no element of class legend", '<div class="legend">', "<div>"),
        (pages.keyboard, "does not reach <a>", "<a href", "<a tabindex='-1' href"),
        (pages.contrast_dark, '"entrain 0"', "--faint: #a0a4aa", "--faint: #606468"),
        (pages.phone, "viewport", '<meta name="viewport" content="width=device-width, initial-scale=1">', ""),
        (pages.paper, "are on the screen", "svg.still { display: none; }", ""),
        (pages.hostile_names, "has become <img>", "<h1>", "<img alt='' onclick='hacked()'><h1>"),
    ],
    [
        (pages.points, "point 3 is", "table.get(at)[k + 1] = s.y[i];", "table.get(at)[k + 1] = i === 4 ? 0.3 : s.y[i];"),
        (pages.hover, "is the same at two places", "colors: [", "legendFormatter: data => data.x === undefined ? '' : "
         "data.series.map(s => `<span style='color: ${s.color}'>${s.labelHTML} 1</span>`).join(' '), colors: ["),
        (pages.keyboard, "does not reach <table>", '<div class="wide" tabindex="0">', '<div class="wide">'),
        (pages.contrast_light, "objective", "'#0b62b0', '#a03000'", "'#60b0ff', '#ffa060'"),
        (pages.paper, "3 still pictures are blank", '<path d="M0 50 L600 20" stroke="#0060a0"/>', ""),
        (pages.hostile_names, "does not show </style>", "&lt;/style&gt;", "</style>"),
    ],
    [
        (pages.points, "nothing is drawn", "let group = [];", "HTMLCanvasElement.prototype.getContext = (old => function (...a) { "
         "const c = old.apply(this, a); c.stroke = c.fill = () => 0; return c; })(HTMLCanvasElement.prototype.getContext); let group = [];"),
        (pages.hover, "has no number", "colors: [", "legendFormatter: data => data.x === undefined ? '' : 'at ' + 'abcdefghijk'.charAt(data.x), colors: ["),
        (pages.keyboard, "the focus cannot be seen on <a>", "2px solid var(--link); }", "2px solid color-mix(in srgb, var(--ink) 20%, var(--paper)); }"),
        (pages.contrast_light, '"2.001"', "</table>", "</table><style>td { opacity: 0.5; }</style>"),
        (pages.paper, "page 1 of 4 that are printed is blank", "@media print {",
         "@media print { body { visibility: hidden; } svg.still { visibility: visible; break-before: page; }"),
        (pages.hostile_names, "U+202E", "\\u202e", "\u202e \\u202e"),
    ],
]


def fault_of(page, check):
    """What a check finds, "" if nothing."""
    try:
        check(page, TEXTS) if check is pages.hostile_names else check(page)
    except pages.Fault as e:
        return str(e)
    return ""


def spoilt_page(page, path, rows, chosen):
    text = sample()
    for _, _, old, new in rows:
        assert old in text, f"the sample has no {old}"
        text = text.replace(old, new) if old else text
    path.write_text(text)
    page.open(path.as_uri())
    found = functools.cache(lambda check: fault_of(page, check))
    for check, words, _, _ in rows:
        def finds(check=check, words=words):
            pages.must(words in found(check), f"finds '{found(check)}'" if found(check) else "finds nothing")
        if chosen(check):
            yield from pages.judge("spoilt page", [(f"'{check.__doc__}' finds {words}", finds)])


class LivePage(http.server.BaseHTTPRequestHandler):
    """Stands in for 'fit --live': counts, pauses, and becomes the sample when it is stopped."""
    protocol_version = "HTTP/1.1"
    paused = stopped = False
    PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Fit</title><h1>Fit</h1><p id="count"></p>
      <button id="pause">pause</button><button id="stop">stop</button><button id="take">take</button><script>
      const from = new EventSource('events');
      from.onmessage = e => document.getElementById('count').textContent = e.data;
      from.addEventListener('report', () => { from.close(); location.reload(); });
      for (const b of document.querySelectorAll('button')) b.onclick = () => fetch(b.id, {method: 'POST'});</script></html>"""

    def send(self, kind, text):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if not self.path.endswith("/events"):
            self.send("text/html", sample() if LivePage.stopped else self.PAGE)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        count = 0
        while not LivePage.stopped:
            count += not LivePage.paused
            self.wfile.write(f"data: {count}\n\n".encode())
            time.sleep(0.05)
        self.wfile.write(b"event: report\ndata:\n\n")
        self.close_connection = True

    def do_POST(self):
        name = self.path.rpartition("/")[2]
        LivePage.paused ^= name == "pause"
        LivePage.stopped |= name == "stop"
        self.send("text/plain", "")

    def log_message(self, *_):
        pass


def live_page(page):
    LivePage.paused = LivePage.stopped = False
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), LivePage)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield from pages.judge("live sample", pages.follow(page, f"http://127.0.0.1:{server.server_port}/token/", 10))
        yield from pages.check_all(page, "live sample", (pages.points, pages.no_errors))
    finally:
        LivePage.stopped = True
        server.shutdown()
        server.server_close()
        page.loopback = ""


def self_test(page, only=None):
    """only: the name of a check, if it is to be one."""
    def chosen(check):
        return only in (None, check.__name__)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.html"
        path.write_text(sample())
        page.open(path.as_uri())
        yield from pages.check_all(page, "sample", filter(chosen, pages.REPORT))
        if chosen(pages.hostile_names):
            yield from pages.judge("sample", [(pages.hostile_names.__doc__, lambda: pages.hostile_names(page, TEXTS))])
        usual, pages.patience = pages.patience, 0.5
        for rows in SPOILT:
            yield from spoilt_page(page, Path(folder) / "spoilt.html", rows, chosen)
        pages.patience = usual
    yield from live_page(page) if not only else ()
