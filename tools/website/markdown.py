"""Markdown to HTML, as much of it as the documents of entrain use: headings, paragraphs, lists, tables, fenced code, links,
images, code, emphasis. Everything else is an error, so that nothing is shown wrong without notice."""
import html
import re

FENCE = re.compile(r"^( *)```(.*)$")
HEADING = re.compile(r"^(#{1,6}) +(.*?) *#*$")
ITEM = re.compile(r"^( *)([-*+]|\d+[.)]) +(.*)$")
DELIMITER = re.compile(r"^ *\|?( *:?-+:? *\|)* *:?-+:? *\|? *$")
# Colours of code: comment, string, word, number (the same as in src/html/page.js).
WORDS = {
    "modelica": re.compile(
        r'(//[^\n]*|/\*[\s\S]*?\*/)|("(?:\\.|[^"\\])*")|\b(model|class|package|block|record|function|connector|extends|end|'
        r"parameter|constant|discrete|input|output|flow|Real|Integer|Boolean|String|equation|initial|algorithm|if|then|else|"
        r"elseif|when|for|loop|in|connect|der|start|fixed|each|final|import|within|and|or|not|true|false|annotation|partial|"
        r"type|enumeration|public|protected|replaceable|redeclare|inner|outer|reinit|pre|time)\b|"
        r"\b(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\b"),
    "yaml": re.compile(
        r"""(\#[^\n]*)|("(?:\\.|[^"\\])*"|'[^'\n]*')|(^[ \t-]*[A-Za-z_][\w. ]*(?=:))|(-?\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\b)""",
        re.M),
    "c": re.compile(
        r'(//[^\n]*|/\*[\s\S]*?\*/)|("(?:\\.|[^"\\\n])*")|(^ *#\w+|\b(?:break|case|char|const|continue|default|do|double|else|enum|'
        r"extern|for|if|int|long|return|size_t|sizeof|static|struct|switch|typedef|union|unsigned|void|while|bool|NULL)\b)|"
        r"\b(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\b", re.M),
}


class Bad(Exception):
    """Something in the text that cannot be converted."""


def slug(text):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def plain(markup):
    """The words of a piece of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def coloured(text, language):
    """Code with its words in <span>."""
    if language == "console":
        return "\n".join(f'<b>$</b> <span class="command">{html.escape(line[2:], False)}</span>' if line.startswith("$ ")
                         else html.escape(line, False) for line in text.split("\n"))
    if language not in WORDS or len(text) > 300000:
        return html.escape(text, False)
    out, done = [], 0
    for match in WORDS[language].finditer(text):
        kind = "cskd"[match.lastindex - 1]
        out += [html.escape(text[done:match.start()], False), f'<span class="{kind}">', html.escape(match.group(), False), "</span>"]
        done = match.end()
    return "".join(out) + html.escape(text[done:], False)


class Converter:
    """One document. link(target) and image(target) return what to write for a target; anchors and sections are collected."""

    def __init__(self, link, image):
        self.link, self.image = link, image
        self.anchors = {}  # anchor: heading
        self.headings = []  # (level, anchor, HTML)
        self.line = 0

    def convert(self, text):
        lines = text.expandtabs(4).split("\n")
        return self.blocks(list(enumerate(lines, 1)))

    # ------------------------------------------------------------ blocks

    def blocks(self, lines, tight=False):
        """lines are (number, text); tight: a paragraph alone is without <p>."""
        out, at = [], 0
        while at < len(lines):
            self.line, text = lines[at]
            if not text.strip():
                at += 1
                continue
            if text.lstrip().startswith("<!--"):
                while "-->" not in lines[at][1]:
                    at += 1
                    if at == len(lines):
                        raise Bad("a comment without end")
                at += 1
            elif FENCE.match(text):
                at = self.code(lines, at, out)
            elif HEADING.match(text):
                out.append(self.heading(text))
                at += 1
            elif at + 1 < len(lines) and "|" in text and "|" in lines[at + 1][1] and DELIMITER.match(lines[at + 1][1]):
                at = self.table(lines, at, out)
            elif ITEM.match(text):
                at = self.list(lines, at, out)
            elif re.match(r" {0,3}(>|<[a-zA-Z/]|-{3,}$|={3,}$)", text):
                raise Bad("block quotes, rules and HTML are not supported")
            else:
                at = self.paragraph(lines, at, out, tight)
        return "\n".join(out)

    def heading(self, text):
        level, words = HEADING.match(text).group(1, 2)
        inside = self.inline(words)
        first = anchor = slug(plain(inside))
        count = 0
        while anchor in self.anchors:
            count += 1
            anchor = f"{first}-{count}"
        self.anchors[anchor] = plain(inside)
        self.headings.append((len(level), anchor, inside))
        n = len(level)
        return f'<h{n} id="{anchor}">{inside}<a class="here" href="#{anchor}" aria-label="Link to this heading">#</a></h{n}>'

    def code(self, lines, at, out):
        indent, info = FENCE.match(lines[at][1]).groups()
        language, _, name = info.strip().partition(" ")
        start, body = at, []
        at += 1
        while at < len(lines) and not re.match(r"^ *``` *$", lines[at][1]):
            text = lines[at][1]
            body.append(text[len(indent):] if text.startswith(indent) else text.lstrip())
            at += 1
        if at == len(lines):
            self.line = lines[start][0]
            raise Bad("a code block without end")
        caption = f'<p class="file">{html.escape(name)}</p>\n' if name else ""
        kind = f' class="{html.escape(language)}"' if language else ""
        out.append(f'{caption}<pre tabindex="0"><code{kind}>{coloured(chr(10).join(body), language)}\n</code></pre>')
        return at + 1

    def cells(self, text):
        text = text.strip()
        text = text[1:] if text.startswith("|") else text
        text = re.sub(r"(?<!\\)\|$", "", text)
        return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", text)]

    def table(self, lines, at, out):
        head = self.cells(lines[at][1])
        sides = [' class="n"' if c.endswith(":") and not c.startswith(":") else "" for c in self.cells(lines[at + 1][1])]
        if len(sides) != len(head):
            raise Bad(f"{len(sides)} columns below a head of {len(head)}")
        rows = []
        if any(head):
            rows.append("<thead><tr>" + "".join(f"<th{s} scope=\"col\">{self.inline(c)}</th>" for c, s in zip(head, sides)) + "</tr></thead>")
        rows.append("<tbody>")
        at += 2
        while at < len(lines) and "|" in lines[at][1]:
            self.line, text = lines[at]
            row = self.cells(text)
            if len(row) > len(head):
                raise Bad(f"a row of {len(row)} cells in a table of {len(head)} columns (a | in a cell is written \\|)")
            row += [""] * (len(head) - len(row))
            rows.append("<tr>" + "".join(f"<td{s}>{self.inline(c)}</td>" for c, s in zip(row, sides)) + "</tr>")
            at += 1
        out.append('<div class="wide"><table>\n' + "\n".join(rows) + "\n</tbody></table></div>")
        return at

    def list(self, lines, at, out):
        indent, mark = ITEM.match(lines[at][1]).group(1, 2)
        ordered = mark[0].isdigit()
        items, loose, item, blank = [], False, None, False
        while at < len(lines):
            number, text = lines[at]
            match = ITEM.match(text)
            depth = len(text) - len(text.lstrip())
            if not text.strip():
                blank = True
                if item is not None:
                    item.append((number, ""))
            elif match and depth < len(indent) + 2 and depth >= len(indent):
                if match.group(2)[0].isdigit() != ordered:
                    break
                loose |= blank and item is not None
                inset = len(match.group(1)) + len(match.group(2)) + 1
                item = [(number, match.group(3))]
                items.append(item)
                blank = False
            elif depth >= inset:
                loose |= blank
                item.append((number, text[inset:]))
                blank = False
            elif blank or FENCE.match(text) or HEADING.match(text):
                break
            else:  # a line of a paragraph that goes on without indent
                item.append((number, text.strip()))
            at += 1
        start = int(re.match(r"\d+", mark).group()) if ordered else 1
        tag = f'ol start="{start}"' if start != 1 else "ol" if ordered else "ul"
        inside = [self.blocks(item, tight=not loose) for item in items]
        if all(i.startswith("<img ") for i in inside):
            tag = 'ul class="cards"'
        out.append(f"<{tag}>\n" + "\n".join(f"<li>{i}</li>" for i in inside) + f"\n</{tag.split()[0]}>")
        return at

    def paragraph(self, lines, at, out, tight):
        words = []
        while at < len(lines):
            text = lines[at][1]
            if not text.strip() or FENCE.match(text) or HEADING.match(text) or (words and re.match(r" *([-*+]|1[.)]) ", text)) or "<!--" in text:
                break
            words.append(text.strip())
            at += 1
        inside = self.inline("\n".join(words))
        out.append(inside if tight else f"<p>{inside}</p>")
        return at

    # ------------------------------------------------------------ inside of a line

    def inline(self, text):
        kept = []

        def keep(markup):
            kept.append(markup)
            return f"\0{len(kept) - 1}\0"

        def restore(text):
            while "\0" in text:
                text = re.sub("\0(\\d+)\0", lambda m: kept[int(m.group(1))], text)
            return text

        def code(match):
            inside = match.group(2).replace("\n", " ")
            inside = inside[1:-1] if inside.startswith(" ") and inside.endswith(" ") and inside.strip() else inside
            return keep(f"<code>{html.escape(inside, False)}</code>")

        def image(match):
            name, size = self.image(match.group(2))
            return keep(f'<img src="{html.escape(name)}" alt="{html.escape(match.group(1))}"{size} loading="lazy">')

        def link(match):
            inside = emphasis(html.escape(match.group(1), False))
            return keep(f'<a href="{html.escape(self.link(match.group(2)))}">{inside}</a>')

        def emphasis(text):
            text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"<strong>\1</strong>", text, flags=re.S)
            return re.sub(r"(?<![\w*])\*(?=[^\s*])([^*]*?)(?<=[^\s*])\*(?![\w*])", r"<em>\1</em>", text, flags=re.S)

        text = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", code, text, flags=re.S)
        text = re.sub(r"\\([\\`*_{}\[\]()#+.!|<>-])", lambda m: keep(html.escape(m.group(1))), text)
        text = re.sub(r"<(https?://[^ >]*)>", lambda m: keep(f'<a href="{html.escape(m.group(1))}">{html.escape(m.group(1))}</a>'), text)
        text = re.sub(r"!\[([^\[\]]*)\]\(([^()\s]+)\)", image, text)
        text = re.sub(r"\[([^\[\]]*)\]\(([^()\s]+)\)", link, text)
        if re.search(r"</?[a-zA-Z]|\]\(", text):
            raise Bad(f"HTML or a broken link in '{restore(text)}'")
        return restore(emphasis(html.escape(text, False)))
