import html.parser, json, re, sys

VOID = {"meta", "br", "hr", "img", "link", "input", "col", "base", "area", "embed", "source", "track", "wbr"}
BLOCK = {"p", "div", "ul", "table", "details", "figure", "pre", "h1", "h2", "section", "main", "header", "footer"}

class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.count, self.wrong, self.refs, self.texts, self.kind = [], [], {}, [], [], {}, None
        self.plots = []
        self.feed(text)
        self.close()
        if self.open: self.wrong.append("open at the end: %s" % self.open)

    def say(self, text): self.wrong.append("line %d: %s" % (self.getpos()[0], text))

    def attributes(self, tag, attrs):
        for name, value in attrs:
            value = value or ""
            if name == "id": self.ids.append(value)
            if name in ("src", "srcset", "action", "formaction", "poster", "background", "data", "ping"): self.say("<%s %s=...>" % (tag, name))
            if name.startswith("on"): self.say("<%s %s=...>" % (tag, name))
            if name in ("href", "xlink:href"):
                if not value.startswith("#"): self.say("<%s href=%r>" % (tag, value))
                self.refs.append(value[1:])
            if name != "content" and name != "xmlns" and re.search("https?:", value): self.say("%s=%r" % (name, value))
            self.refs += re.findall(r"url\(#([^)]*)\)", value)
            if re.search(r"url\((?!#)", value): self.say("%s=%r" % (name, value))
            if name == "data-plot": self.plots.append(int(value))
            if name == "style" and tag != "svg": self.say("style=%r" % value)

    def handle_startendtag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.attributes(tag, attrs)

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.attributes(tag, attrs)
        if tag in BLOCK and "p" in self.open: self.say("<%s> inside of <p>" % tag)
        if tag in ("img", "iframe", "link", "object", "embed", "base", "form"): self.say("<%s>" % tag)
        if tag not in VOID: self.open.append(tag)
        self.kind = dict(attrs).get("id") or dict(attrs).get("type") or ""

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag: self.say("</%s> closes %s" % (tag, self.open[-1:]))
        else: self.open.pop()

    def handle_data(self, data):
        if self.open: self.texts.setdefault(self.open[-1] + " " + (self.kind if self.open[-1] == "script" else ""), []).append(data)

bytes_ = open(sys.argv[1], "rb").read()
page = Page(bytes_.decode("utf-8"))
wrong = page.wrong
def hold(fine, text):
    if not fine: wrong.append(text)
hold(page.count.get("h1") == 1 and page.count.get("title", 0) >= 1 and page.count.get("html") == 1 and page.count.get("main") == 1, "not one title, h1, main: %s" % page.count)
twice = sorted({i for i in page.ids if page.ids.count(i) > 1})
hold(not twice, "ids twice: %s" % twice)
hold(not [r for r in page.refs if r not in page.ids], "references to nothing: %s" % [r for r in page.refs if r not in page.ids])
hold(not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", bytes_.decode("utf-8").split("<script")[0]), "control characters")
for css in page.texts.get("style ", []):
    hold("@import" not in css and not re.search(r"url\((?!#|data:)", css), "style loads something")
plots = [json.loads(t) for k, v in page.texts.items() if "plots" in k for t in v]
plots = plots[0] if plots else []
hold(page.plots == list(range(len(plots))), "charts %s, numbers of %d" % (page.plots, len(plots)))
for p in plots:
    for k, s in enumerate(p["series"]):
        x = s["x"]
        if isinstance(x, int): hold(x < k and isinstance(p["series"][x]["x"], list), "x of %d is that of %d" % (k, x)); x = p["series"][x]["x"]
        hold(len(x) == len(s["y"]) <= 4000, "%d times, %d values" % (len(x), len(s["y"])))
hold(len(bytes_) < float(sys.argv[2]) if len(sys.argv) > 2 else True, "%d bytes" % len(bytes_))
for w in wrong[:20]: print(w)
sys.exit(bool(wrong))
