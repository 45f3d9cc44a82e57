// Search in all documents, keys, and buttons that copy. The site can be read without any of it.
(function () {
"use strict";

// ---------------------------------------------------------------- search

// A row is [address, document, heading, text]; every word of the question must occur. The best rows first.
function search(rows, question, most) {
  var words = question.toLowerCase().split(/\s+/).filter(Boolean), found = [];
  if (!words.length) return found;
  rows.forEach(function (row, number) {
    var heading = row[2].toLowerCase(), page = row[1].toLowerCase(), text = row.text || (row.text = row[3].toLowerCase()), score = 0;
    var all = words.every(function (word) {
      var inHeading = place(heading, word), inText = place(text, word);
      if (inHeading < 0 && inText < 0 && place(page, word) < 0) return false;
      if (inHeading >= 0) score += heading === word ? 60 : begins(heading, inHeading) ? 30 : 10;
      if (inText >= 0) score += Math.min(8, text.split(word).length - 1) + (begins(text, inText) ? 4 : 0);
      if (place(page, word) >= 0) score += 3;
      return true;
    });
    if (all && text.indexOf(words.join(" ")) >= 0) score += 10;
    if (all) found.push({ row: row, score: score, number: number, words: words });
  });
  found.sort(function (a, b) { return b.score - a.score || a.number - b.number; });
  return found.slice(0, most || 20);
}
// Where a word stands: at the beginning of a word if it does so anywhere.
function place(text, word) {
  for (var at = text.indexOf(word), first = at; at >= 0; at = text.indexOf(word, at + 1)) if (begins(text, at)) return at;
  return first;
}
function begins(text, at) { return at === 0 || !/[a-z0-9_]/.test(text[at - 1]) || !/[a-z0-9_]/.test(text[at]); }

// The words around the first hit.
function excerpt(hit) {
  var text = hit.row[3], at = -1;
  hit.words.forEach(function (word) { var p = place(hit.row.text, word); if (p >= 0 && (at < 0 || p < at)) at = p; });
  var from = Math.max(0, at - 60), to = Math.min(text.length, from + 170);
  return (from ? "... " : "") + text.slice(from, to) + (to < text.length ? " ..." : "");
}

if (typeof module !== "undefined" && module.exports) { module.exports = { search: search, excerpt: excerpt }; return; }

var root = document.body.dataset.root, form = document.querySelector(".search"), input = form.querySelector("input"), list = document.getElementById("found");
form.hidden = false;

function load(then) {
  if (window.entrainIndex) return then();
  var script = document.createElement("script");
  script.src = root + "search-index.js";
  script.onload = then;
  document.head.append(script);
}

// Text with the words of the question marked.
function marked(text, words) {
  var out = document.createDocumentFragment(), done = 0;
  var any = new RegExp(words.map(function (w) { return w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"); }).join("|"), "gi");
  text.replace(any, function (hit, at) {
    var mark = document.createElement("mark");
    mark.textContent = hit;
    out.append(text.slice(done, at), mark);
    done = at + hit.length;
    return hit;
  });
  out.append(text.slice(done));
  return out;
}

function show() {
  var hits = window.entrainIndex ? search(window.entrainIndex, input.value, 20) : [];
  list.replaceChildren();
  list.hidden = !input.value.trim();
  hits.forEach(function (hit) {
    var a = document.createElement("a"), where = document.createElement("b"), page = document.createElement("small"), text = document.createElement("span");
    a.href = root + hit.row[0];
    where.append(marked(hit.row[2], hit.words));
    page.textContent = hit.row[2] === hit.row[1] ? "" : hit.row[1];
    text.append(marked(excerpt(hit), hit.words));
    a.append(where, page, text);
    list.append(a);
  });
  if (!hits.length) {
    var p = document.createElement("p");
    p.textContent = "Nothing found.";
    list.append(p);
  }
}

input.addEventListener("focus", function () { load(function () { if (input.value) show(); }); });
input.addEventListener("input", function () { load(show); });
form.addEventListener("submit", function (event) {
  event.preventDefault();
  var first = list.querySelector("a");
  if (first) first.click();
});
list.addEventListener("click", function () { list.hidden = true; });
document.addEventListener("click", function (event) { if (!form.contains(event.target)) list.hidden = true; });

// Keys: / goes to the search, arrows choose a result, Escape closes the list.
document.addEventListener("keydown", function (event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  var typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName), links = Array.from(list.querySelectorAll("a"));
  if (event.key === "/" && !typing) input.focus();
  else if (event.key === "Escape" && form.contains(document.activeElement)) { list.hidden = true; input.focus(); }
  else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && form.contains(document.activeElement) && links.length) {
    list.hidden = false;
    var at = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (at < 0) input.focus();
    else links[Math.min(at, links.length - 1)].focus();
  } else return;
  event.preventDefault();
});

// ---------------------------------------------------------------- contents and code

// Contents are open beside the text and closed above it.
var contents = document.querySelector("nav.contents details"), wide = matchMedia("(min-width: 55.01rem)");
function fold() { contents.open = wide.matches; }
fold();
wide.addEventListener("change", fold);
var here = document.querySelector("nav.contents [aria-current]"), nav = document.querySelector("nav.contents");
if (here && wide.matches && here.offsetTop > nav.clientHeight - 100) nav.scrollTop = here.offsetTop - 100;

// A block of a terminal gives its commands, any other block its text.
if (navigator.clipboard) document.querySelectorAll("main pre").forEach(function (pre) {
  var block = document.createElement("div"), button = document.createElement("button");
  block.className = "block";
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", function () {
    var commands = Array.from(pre.querySelectorAll(".command"), function (c) { return c.textContent; });
    navigator.clipboard.writeText(commands.length ? commands.join("\n") : pre.textContent).then(function () {
      button.textContent = "Copied";
      setTimeout(function () { button.textContent = "Copy"; }, 1500);
    });
  });
  pre.before(block);
  block.append(pre, button);
});
})();
