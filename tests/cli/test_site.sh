# The web site of the documents (tools/site), and the documents that it is made of.
source "$(dirname "$0")/lib.sh"
root=$(cd "$models/.." && pwd)
command -v python3 >/dev/null || { skip "the web site" "no python3"; exit; }
[[ ${ENTRAIN:-} == *-san* ]] && { skip "the web site" "nothing of it is compiled"; exit; }
with() { "$@" >out 2>err </dev/null; code=$?; }

cat >look.py <<'END'
# What is wrong with the pages below a folder: tags that do not match, ids that occur twice, addresses that lead nowhere,
# and anything but a link in the text that leaves the folder.
import html.parser, os, sys
VOID = {"meta", "link", "img", "input", "br", "hr"}
class Look(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.refs, self.wrong = [], set(), [], []
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag not in VOID: self.open.append(tag)
        if a.get("id") in self.ids: self.wrong.append(f"id {a['id']} twice")
        if "id" in a: self.ids.add(a["id"])
        if tag == "img" and not a.get("alt"): self.wrong.append(f"no alt: {a}")
        for name in ("href", "src", "action", "srcset", "data", "poster"):
            if name in a: self.refs.append((tag, a[name]))
        if any(k.startswith("on") or k == "style" for k in a): self.wrong.append(f"inline script or style: {a}")
    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag: self.wrong.append(f"</{tag}> at {self.getpos()}")
folder, pages = sys.argv[1], {}
for where, _, names in os.walk(folder):
    for name in names:
        if name.endswith(".html"):
            look = pages[os.path.join(where, name)] = Look()
            look.feed(open(os.path.join(where, name), encoding="utf-8").read())
            look.close()
for path, look in sorted(pages.items()):
    look.wrong += [f"<{tag}> is open" for tag in look.open]
    for tag, ref in look.refs:
        if ref == "data:," or tag == "a" and ref.startswith("https://"): continue
        name, _, anchor = ref.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if ":" in ref or not os.path.isfile(target): look.wrong.append(f"<{tag}> {ref}")
        elif anchor and anchor not in pages[target].ids and anchor != "text": look.wrong.append(f"no anchor: {ref}")
    for wrong in look.wrong: print(f"{path}: {wrong}")
print(len(pages), "pages")
END
cat >copy.sh <<'END'
# copy.sh ROOT: all documents of the tree in the folder "copy", for tests that change one
mkdir -p copy/src
cd "$1" && cp -r --parents *.md LICENSE docs bench/*.md examples tools src/html/page.css "$OLDPWD/copy" && cd "$OLDPWD" &&
  (cd "$1" && grep -ohE '\]\((src|include|tests|lib|models|\.\./(src|include|tests|lib|models)|\.\./\.\./tests)/[^)#]*' *.md docs/*.md examples/*/README.md bench/*.md |
    sed 's/^](//; s#^\(\.\./\)*##' | sort -u | xargs cp -r --parents -t "$OLDPWD/copy")
END

it "is made of all documents without a dead link"
with "$root/tools/site" site; status 0; no_err; out "site/index.html: .* documents"
for page in "$root"/docs/*.md; do page=${page##*/}; holds test -s "site/docs/${page%.md}.html"; done
for page in "$root"/examples/*/README.md; do page=${page%/README.md}; holds test -s "site/examples/${page##*/}/index.html"; done
for page in index examples/index CONTRIBUTING CHANGELOG; do holds test -s "site/$page.html"; done
it "its pages are balanced HTML whose addresses exist, and load nothing from elsewhere"
with python3 look.py site; status 0; lines 1; out "^[0-9]* pages"
holds test "$(grep -lE 'url\(|@import|https?:' site/style.css site/site.js | wc -l)" = 0
it "the search finds words of all documents"
cat >find.py <<'END'
import json, sys
index = json.loads(open("site/search-index.js", encoding="utf-8").read().removeprefix("entrainIndex = ").rstrip(";\n"))
for word, page in (("figure_format", "docs/commands.html"), ("identifiable", "examples/mr_damper"), ("max_simulations", "docs/options.html"),
                   ("sandwich", "docs/terms.html#sandwich"), ("noEvent", "docs/guide.html#events")):
    assert any(row[0].startswith(page) and word in row[2] + row[3] for row in index), word
assert not any("<" + tag in row[3] for row in index for tag in ("td>", "p>", "code>", "span")), "tags"
END
with python3 find.py; status 0
if command -v node >/dev/null; then
  with node -e 'const fs = require("fs"), site = require("./site/site.js"); eval(fs.readFileSync("site/search-index.js", "utf8"));
    for (const q of ["sandwich", "not determined", "--report", "no such word anywhere"]) console.log(q + ": " + site.search(entrainIndex, q, 1).map(h => h.row[0]))'
  status 0; out "^sandwich: docs/terms.html#sandwich$"; out "^not determined: docs/terms.html#not-determined$"; out "^--report: docs/"; out "^no such word anywhere: $"
fi
it "dead links, missing anchors and unknown Markdown are errors with their place"
with bash copy.sh "$root"; status 0
with copy/tools/site other; status 0; no_err
printf '# New\n\nSee [a](absent.md), [b](guide.md#absent),\n[c](#none) and [d](terms.md#noise).\n' >copy/docs/new.md
with copy/tools/site other; status 1; no_out
err "docs/new.md:3: absent.md: there is no such file"; err "docs/new.md:3: guide.md#absent: docs/guide.md has no heading #absent"; err "#none: docs/new.md has no heading"
holds test "$(wc -l <err)" = 3
printf '# New\n\n| a | b |\n| --- | --- |\n| `x|y` | 1 |\n' >copy/docs/new.md
with copy/tools/site other; status 1; err "docs/new.md:5: a row of 3 cells in a table of 2 columns"
printf '# New\n\n> said\n' >copy/docs/new.md
with copy/tools/site other; status 1; err "docs/new.md:3: block quotes"
it "Markdown becomes what GitHub makes of it"
cat >copy/docs/new.md <<'END'
# A `b` & C
<!-- nothing -->
One *two* **three `*four*`** k*x*2 [five *six*](terms.md#noise) <https://modelica.org> \*seven\*
goes on.

1. first
   - inner
     goes on
2. second

   with a paragraph

| head | n |
| --- | ---: |
| `a\|b` | 2 |

```yaml my.yaml
a: 1 < 2
```

## Twice
## Twice
END
with copy/tools/site other; status 0; no_err
cp other/docs/new.html out
out '<h1 id="a-b--c">A <code>b</code> &amp; C<a'
out '^<p>One <em>two</em> <strong>three <code>\*four\*</code></strong> k\*x\*2 <a href="terms.html#noise">five <em>six</em></a> <a href="https://modelica.org">https://modelica.org</a> \*seven\*$'
out '^goes on.</p>$'; out '<li>inner$'; out '^<p>with a paragraph</p></li>$'; out '<tr><td><code>a|b</code></td><td class="n">2</td></tr>'
out '<p class="file">my.yaml</p>'; out '<span class="k">a</span>: <span class="d">1</span> &lt; <span class="d">2</span>$'; out '<h2 id="twice">'; out '<h2 id="twice-1">'
holds test "$(grep -c 'nothing' out)" = 0
with python3 look.py other; lines 1

it "the gallery has a small picture of every example"
for name in "$root"/examples/*/expected.json; do # records of real rigs are not part of the project
  name=${name%/expected.json} name=${name##*/}
  holds grep -qF "![$name](gallery/$name.png)" "$root/docs/gallery.md"; holds test -s "site/docs/gallery/$name.png"
done
holds test -z "$(find "$root/docs/gallery" -size +32k)"
holds test "$(cat "$root"/docs/gallery/*.png | wc -c)" -lt 1000000
it "the words of reports are those of docs/terms.md"
with "$root/tools/gen-terms" "$root/docs/terms.md"; status 0; holds cmp out "$root/src/html/terms.html"
for word in certain agreed ambiguous doubtful "std error" "95 % interval" "fit %" white coloured sandwich profile lambda optimum "not determined"; do
  out ">$word</dt>"
done
it "a word that is there twice, or without its paragraph, is an error"
printf '# T\n\n## a\n\nOne.\n\n## a\n\n## b\n\nTwo.\n' >terms.md
with "$root/tools/gen-terms" terms.md; status 1; err 'terms.md:7: "a" is there twice'; err 'no paragraph for "a"'
