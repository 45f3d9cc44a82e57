#!/usr/bin/env python3
"""Looks at HTML pages of entrain with Chromium. Reads what to do from standard input, one line each:

  report fit.html charts=1 table=2   all checks of a report; it has at least so many charts and elements <table>
  hostile names.html texts           the lines of the file texts are words of the page, and did nothing
  live build/entrain fit p.yaml --live    starts the command, opens the page that it names, stops the fit there
  self [CHECK]                       the checks themselves, or one of them, on sample.html and its spoilt variants
  show fit.html folder               pictures for people: light, dark, phone and paper, into the folder

One browser looks at all of them. Prints a line for each check, fields separated by tabs: "ok" or "not ok", the sentence, what is
wrong. Exit status 1 if something is.
"""
import os
import re
import shlex
import signal
import sys
from pathlib import Path

import pages
import spoilt
from chromium import BrowserError, Chromium


def address_of(path):
    return Path(path).resolve().as_uri()


def hostile(page, path, texts):
    with open(texts, newline="\n") as f:
        lines = [line for line in f.read().split("\n") if line]
    yield from pages.judge(Path(path).stem, [("opens", lambda: page.open(address_of(path))),
                                             (pages.hostile_names.__doc__, lambda: pages.hostile_names(page, lines)),
                                             (pages.no_errors.__doc__, lambda: pages.no_errors(page))])


def show(page, path, folder):
    os.makedirs(folder, exist_ok=True)
    stem = f"{folder}/{Path(path).stem}"
    page.open(address_of(path))
    for name, how in (("light", {}), ("dark", {"dark": True}), ("phone", {"width": pages.PHONE, "mobile": True, "scale": 2}),
                      ("paper", {"media": "print", "width": pages.A4_INSIDE})):
        page.screenshot(f"{stem}-{name}.png", **how)
    page.pdf(f"{stem}.pdf")
    yield f"{Path(path).stem}: pictures are in {folder}", ""


def report(page, path, *least):
    yield from pages.report(page, path, {what: int(number) for what, number in (word.split("=") for word in least)})


VERBS = {"report": report, "hostile": hostile, "show": show, "self": spoilt.self_test,
         "live": lambda page, *words: pages.live(page, words, "live")}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))
    failures = 0
    try:
        with Chromium() as page:
            for line in sys.stdin:
                verb, *words = shlex.split(line, comments=True) or [None]
                for sentence, fault in VERBS[verb](page, *words) if verb else ():
                    failures += bool(fault)
                    fields = ["not ok" if fault else "ok", sentence, fault]
                    print("\t".join(re.sub(r"[\t\n\r]+", " ", field) for field in fields).rstrip(), flush=True)
    except BrowserError as e:
        print(f"not ok\tChromium starts and runs\t{e}", flush=True)
        return 1
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
