// Charts of the curves in #plots, linked by what is along x; contents of the page; colours of texts. Works without any of it.
(function () {
"use strict";
document.body.classList.remove("noscript");
var style = function (name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); };
var element = document.getElementById("plots");
var plots = element ? JSON.parse(element.textContent) : [];
var charts = window.entrainCharts = [];
var DASHES = [null, [7, 3], [2, 2], [7, 2, 2, 2]];

// One row for each place, with null where a curve has no value and NaN where it has a gap; a place where a curve jumps has several.
function rows(plot) {
  var at = new Map(), n = plot.series.length;
  plot.series.forEach(function (s, k) {
    var x = typeof s.x === "number" ? plot.series[s.x].x : s.x;
    while (typeof x === "number") x = plot.series[x].x;
    for (var i = 0; i < x.length; i++) {
      var here = at.get(x[i]);
      if (!here) at.set(x[i], here = []);
      var row = here.find(function (r) { return r[k + 1] === null; });
      if (!row) { row = [x[i]]; for (var c = 0; c < n; c++) row.push(null); here.push(row); }
      row[k + 1] = s.y[i] === null ? NaN : s.y[i];
    }
  });
  at.delete(null);
  return Array.from(at.keys()).sort(function (a, b) { return a - b; }).reduce(function (all, x) { return all.concat(at.get(x)); }, []);
}

// The library takes labels for HTML.
function escaped(text) { var span = document.createElement("span"); span.textContent = text; return span.innerHTML; }

function digits(v) { return v === null || v === undefined || isNaN(v) ? "" : Number(v).toPrecision(5).replace(/\.?0+($|e)/, "$1"); }

// Colours of curves stay; in the dark those that are too dark become lighter.
function ink(colour) {
  var v = parseInt(colour.slice(1), 16), c = [v >> 16, v >> 8 & 255, v & 255];
  var dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (dark) c = c.map(function (x) { return Math.round(x + (255 - x) * 0.45); });
  return "rgb(" + c.join(",") + ")";
}

function legend(data) {
  var plot = data.dygraph.entrainPlot, names = plot.series.map(function (s, k) {
    var value = data.series.filter(function (d) { return d.label === data.dygraph.getLabels()[k + 1]; })[0];
    var text = value && value.y !== undefined && value.y !== null ? " " + digits(value.y) : "";
    var span = document.createElement("span"), mark = document.createElement("i");
    mark.className = plot.series[k].dots ? "dots" : "";
    mark.style.background = ink(s.ink);
    span.append(mark, s.name + text + "  ");
    return span.outerHTML;
  });
  var x = data.x === undefined ? "" : plot.x.replace(/ \[.*/, "") + " " + digits(data.x) + ":  ";
  return "<span>" + escaped(x) + "</span>" + names.join("");
}

function colours(plot) {
  var series = {}, count = plot.series.reduce(function (m, s) { return Math.max(m, s.y.length); }, 0);
  plot.series.forEach(function (s, i) {
    series[i + ":" + s.name] = { color: ink(s.ink), strokePattern: DASHES[s.dash], drawPoints: s.dots, pointSize: count > 600 ? 1 : 1.6,
      strokeWidth: s.dots ? 0 : 1.8, connectSeparatedPoints: true };
  });
  return { series: series, gridLineColor: style("--line"), axisLineColor: style("--mid") };
}

function make(box, plot, k) {
  var outer = document.createElement("div");
  outer.className = "chartbox";
  box.parentNode.insertBefore(outer, box);
  outer.append(box);
  var names = plot.series.map(function (s, i) { return i + ":" + s.name; });
  var label = document.createElement("div");
  label.className = "legend";
  outer.append(label);
  var options = Object.assign(colours(plot), {
    labels: ["x"].concat(names), legend: "always", labelsDiv: label, legendFormatter: function (d) { return d.dygraph.entrainPlot ? legend(d) : ""; },
    xlabel: escaped(plot.x), ylabel: escaped(plot.y), logscale: plot.ylog,
    highlightCircleSize: 4, xRangePad: 6, yRangePad: 8, axisLabelFontSize: 12, xLabelHeight: 18, yLabelWidth: 18, animatedZooms: false,
    axes: { x: { logscale: plot.xlog, valueFormatter: digits }, y: { axisLabelWidth: 60, valueFormatter: digits } },
    connectSeparatedPoints: true
  });
  var data = rows(plot);
  if (!data.length) data = [[0].concat(names.map(function () { return NaN; }))];
  var chart = new Dygraph(box, data, options);
  chart.entrainPlot = plot;
  chart.updateOptions({});
  chart.group = plot.x;
  chart.box = box;
  charts[k] = chart;
  return chart;
}

// Charts with the same quantity along x zoom and hover together.
function link(chart) {
  var busy = false, others = function (f) {
    if (busy) return;
    busy = true;
    charts.forEach(function (c) { if (c !== chart && c.group === chart.group && !c.busy) f(c); });
    busy = false;
  };
  chart.updateOptions({
    zoomCallback: function () {
      if (chart.busy) return;
      var range = chart.isZoomed("x") ? chart.xAxisRange() : null;
      others(function (c) { c.busy = true; c.updateOptions({ dateWindow: range, valueRange: null }); c.busy = false; });
    },
    highlightCallback: function (event, x) {
      others(function (c) { c.busy = true; var row = nearest(c, x); if (row >= 0) c.setSelection(row); c.busy = false; });
    },
    unhighlightCallback: function () { others(function (c) { c.busy = true; c.clearSelection(); c.busy = false; }); }
  });
}
function nearest(chart, x) {
  var low = 0, high = chart.numRows() - 1;
  if (high < 0) return -1;
  while (low < high) { var m = (low + high) >> 1; if (chart.getValue(m, 0) < x) low = m + 1; else high = m; }
  if (low > 0 && x - chart.getValue(low - 1, 0) < chart.getValue(low, 0) - x) low--;
  return low;
}
// Keys: arrows move the place that is shown, + and - zoom, Escape or 0 shows all.
function keys(chart) {
  chart.box.addEventListener("keydown", function (event) {
    var row = chart.getSelection(), range = chart.xAxisRange(), middle = (range[0] + range[1]) / 2, half = (range[1] - range[0]) / 2;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      row = Math.min(chart.numRows() - 1, Math.max(0, (row < 0 ? 0 : row) + (event.key === "ArrowRight" ? 1 : -1)));
      chart.setSelection(row);
      chart.getFunctionOption("highlightCallback").call(chart, event, chart.getValue(row, 0));
    } else if (event.key === "+" || event.key === "-") {
      half *= event.key === "+" ? 0.6 : 1 / 0.6;
      chart.updateOptions({ dateWindow: [middle - half, middle + half] });
      chart.getFunctionOption("zoomCallback").call(chart);
    } else if (event.key === "Escape" || event.key === "0") {
      chart.resetZoom();
    } else return;
    event.preventDefault();
  });
}
if (window.Dygraph) {
  document.querySelectorAll(".chart").forEach(function (box) {
    var k = Number(box.dataset.plot), chart = make(box, plots[k], k);
    link(chart);
    keys(chart);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () {
    charts.forEach(function (c) { c.updateOptions(colours(c.entrainPlot)); });
  });
}

// Contents.
var nav = document.querySelector("nav");
if (nav) document.querySelectorAll("main h2[id]").forEach(function (h) {
  var a = document.createElement("a");
  a.href = "#" + h.id;
  a.textContent = h.textContent;
  nav.append(a);
});

// Words of Modelica and YAML.
var WORDS = {
  modelica: /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:\\.|[^"\\])*")|\b(model|class|package|block|record|function|connector|extends|end|parameter|constant|discrete|input|output|flow|Real|Integer|Boolean|String|equation|initial|algorithm|if|then|else|elseif|when|for|loop|in|connect|der|start|fixed|each|final|import|within|and|or|not|true|false|annotation|partial|type|enumeration|public|protected|replaceable|redeclare|inner|outer|reinit|pre|time)\b|\b(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\b/g,
  yaml: /(#[^\n]*)|("(?:\\.|[^"\\])*"|'[^'\n]*')|(^[ \t-]*[A-Za-z_][\w. ]*(?=:))|(-?\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\b)/gm
};
document.querySelectorAll("code.modelica, code.yaml").forEach(function (code) {
  var text = code.textContent, out = document.createDocumentFragment(), done = 0;
  if (text.length > 300000) return;
  text.replace(WORDS[code.className], function (whole, comment, string, word, number, at) {
    var span = document.createElement("span");
    span.className = comment ? "c" : string ? "s" : word ? "k" : "d";
    span.textContent = whole;
    out.append(text.slice(done, at), span);
    done = at + whole.length;
    return whole;
  });
  out.append(text.slice(done));
  code.replaceChildren(out);
});
})();
