// Follows a fit or a study: reads the events of the server and draws them. Names of the model are only ever set as text.
(function () {
"use strict";

const byId = (id) => document.getElementById(id);
const make = (tag, parent, text, style) => {
  const e = document.createElement(tag);
  if (text) e.textContent = text;
  if (style) e.className = style;
  if (parent) parent.appendChild(e);
  return e;
};
const setText = (e, text) => { if (e.textContent !== text) e.textContent = text; };

// ---- numbers

function number(v, digits) {
  if (v === null || v === undefined || !isFinite(v)) return "\u2013";
  if (v === 0) return "0";
  const size = Math.abs(v), d = digits || 5;
  if (size >= 1e6 || size < 1e-4) return v.toExponential(Math.min(d - 1, 3)).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(parseFloat(v.toPrecision(d)));
}
const whole = (v) => (v === null || v === undefined ? "\u2013" : Math.round(v).toLocaleString("en"));
function time(s) {
  if (s === null || s === undefined) return "\u2013";
  if (s < 60) return s.toFixed(s < 10 ? 1 : 0) + " s";
  const two = (n) => String(Math.floor(n)).padStart(2, "0");
  if (s < 3600) return Math.floor(s / 60) + ":" + two(s % 60) + " min";
  return Math.floor(s / 3600) + ":" + two((s % 3600) / 60) + " h";
}

// ---- charts

const charts = [];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--live-" + name).trim();
const watcher = new IntersectionObserver((all) => {
  for (const e of all) { e.target.chart.visible = e.isIntersecting; e.target.chart.draw(); }
}, { rootMargin: "200px" });

// Powers of ten, every so many that they have room; over few decades also their multiples.
function logTicks(low, high, pixels) {
  const most = Math.max(2, pixels / 24), from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  const parts = to - from <= most / 3 ? [1, 2, 5] : [1], every = Math.ceil((to - from) / most), ticks = [];
  for (let d = from; d <= to; d++)
    for (const p of parts) {
      const v = p * Math.pow(10, d);
      if (v >= low && v <= high && d % every === 0) ticks.push({ v: v, label: number(v, 3) });
    }
  return ticks;
}

// series: {name, colour, dots, pale}; x: name of the axis
class Chart {
  constructor(parent, o) {
    this.o = o;
    this.figure = make("figure", parent);
    const caption = make("figcaption", this.figure);
    make("b", caption, o.title);
    this.readout = make("span", caption, "", o.series.length > 1 ? "key" : "");
    this.plot = make("div", this.figure, "", "plot");
    this.plot.setAttribute("role", "img");
    this.figure.chart = this;
    this.visible = false;
    this.note = "";
    this.rows = [];
    charts.push(this);
    this.showKey();
    watcher.observe(this.figure);
  }
  set(rows, note) {
    this.rows = rows;
    this.note = note || "";
    this.dirty = true;
    if (!this.hovers) this.showKey();
    this.draw();
  }
  showKey() {
    if (this.o.series.length < 2) { setText(this.readout, this.note); return; }
    if (this.keyed) return;
    this.keyed = true;
    this.readout.textContent = "";
    for (const s of this.o.series) {
      const mark = make("i", this.readout, "", s.dots ? "dots" : "");
      mark.style.color = colour(s.colour);
      this.readout.append(s.name);
    }
  }
  style() {
    const o = { colors: this.o.series.map((s) => colour(s.colour)), gridLineColor: colour("line"), axisLineColor: colour("line"), series: {} };
    for (const s of this.o.series)
      o.series[s.name] = { strokeWidth: s.dots ? 0 : s.pale ? 2.4 : 1.6, drawPoints: !!s.dots, pointSize: 2, strokePattern: null };
    return o;
  }
  options() {
    const axis = { axisLabelFormatter: (v) => number(v, 4), drawGrid: true };
    return Object.assign(this.style(), {
      labels: [this.o.x].concat(this.o.series.map((s) => s.name)),
      legend: "never", xRangePad: 4, yRangePad: 6, labelsKMB: false, digitsAfterDecimal: 6, hideOverlayOnMouseOut: true,
      logscale: !!this.o.log, connectSeparatedPoints: false, highlightCircleSize: 3, animatedZooms: false,
      axes: { x: { axisLabelFormatter: axis.axisLabelFormatter, drawGrid: false, pixelsPerLabel: 55, valueFormatter: (v) => number(v) },
              y: { axisLabelFormatter: axis.axisLabelFormatter, axisLabelWidth: 58, pixelsPerLabel: 24,
                   ticker: (low, high, pixels, options, graph, values) => this.useLog ? logTicks(low, high, pixels) : Dygraph.numericTicks(low, high, pixels, options, graph, values) } },
      underlayCallback: this.o.stages ? drawStages : null,
      highlightCallback: (e, x, points) => {
        this.hovers = true;
        this.keyed = false;
        setText(this.readout, this.o.x + " " + number(x) + ": " + points.map((p) => (this.o.series.length > 1 ? p.name + " " : "") + number(p.yval)).join(", "));
      },
      unhighlightCallback: () => { this.hovers = false; this.showKey(); },
    });
  }
  draw() {
    if (!this.visible || !this.dirty || !this.rows.length) return;
    this.dirty = false;
    // A logarithmic axis over less than a decade has too few labels.
    if (this.o.log) this.rescale();
    if (this.graph) this.graph.updateOptions({ file: this.rows, logscale: this.useLog });
    else this.graph = new Dygraph(this.plot, this.rows, Object.assign(this.options(), { logscale: this.useLog }));
    this.plot.setAttribute("aria-label", this.o.title + " over " + this.o.x + ", " + this.note);
  }
  rescale() {
    let low = Infinity, high = -Infinity;
    for (const row of this.rows) for (let k = 1; k < row.length; k++) {
      if (row[k] === null) continue;
      low = Math.min(low, row[k]); high = Math.max(high, row[k]);
    }
    this.useLog = low > 0 && high > 3 * low;
  }
  recolour() {
    this.keyed = false;
    if (!this.hovers) this.showKey();
    if (this.graph) this.graph.updateOptions(this.style());
  }
  remove() {
    watcher.unobserve(this.figure);
    if (this.graph) this.graph.destroy();
    this.figure.remove();
    charts.splice(charts.indexOf(this), 1);
  }
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((c) => c.recolour()));

// ---- what is known

let about = null, rows = [], data = null, curves = null, state = null, over = false;
let objective = null, lambda = null, values = [], channels = [], runCharts = null, shownExperiment = null;

// Bands behind the curves: the stages of a search.
function drawStages(canvas, area, graph) {
  if (!state || !state.stages || !rows.length) return;
  const names = state.stages;
  canvas.save();
  canvas.font = "11px system-ui, sans-serif";
  canvas.textBaseline = "top";
  let from = 0;
  for (let i = 1; i <= rows.length; i++) {
    if (i < rows.length && rows[i][3] === rows[from][3]) continue;
    const x0 = graph.toDomXCoord(rows[from][0] - (from ? 0.5 : 0)), x1 = i < rows.length ? graph.toDomXCoord(rows[i][0] - 0.5) : area.x + area.w;
    const left = Math.max(x0, area.x), right = Math.min(x1, area.x + area.w), name = names[rows[from][3]] || "";
    if (right > left) {
      if (rows[from][3] % 2 === 0) { canvas.fillStyle = colour("band"); canvas.fillRect(left, area.y, right - left, area.h); }
      if (canvas.measureText(name).width + 8 < right - left) { canvas.fillStyle = colour("faint"); canvas.fillText(name, left + 4, area.y + 3); }
    }
    from = i;
  }
  canvas.restore();
}

// Rows may lag behind the state, because not every step is kept.
function allRows() {
  if (!state || state.objective === undefined || state.objective === null || !rows.length) return rows;
  if (state.step <= rows[rows.length - 1][0]) return rows;
  return rows.concat([[state.step, state.objective, state.lambda, state.stages.length - 1].concat(state.values)]);
}

function showSteps() {
  if (!rows.length) return;
  const all = allRows();
  byId("course").hidden = false;
  if (!objective) objective = new Chart(byId("objective"), { title: "Objective", x: "step", log: true, stages: true, series: [{ name: "objective", colour: "accent" }] });
  const points = [];
  all.forEach((r, i) => {
    if (i && about && about.kind === "steps" && r[3] !== all[i - 1][3]) points.push([r[0] - 0.5, null]); // another search
    points.push([r[0], r[1] > 0 ? r[1] : null]);
  });
  objective.set(points, number(all[all.length - 1][1]));
  if (!lambda && all.some((r) => r[2] > 0)) lambda = new Chart(byId("objective"), { title: "\u03bb, tie to the data", x: "step", stages: true, series: [{ name: "\u03bb", colour: "third" }] });
  if (lambda) lambda.set(all.map((r) => [r[0], r[2]]), number(all[all.length - 1][2]));
  showValues(all);
}

const FIRST_VALUES = 24;
function showValues(all) {
  const names = about ? about.unknowns : [];
  if (!names.length) return;
  byId("parameters").hidden = false;
  const parent = byId("values");
  const wanted = parent.dataset.all ? names.length : Math.min(names.length, FIRST_VALUES);
  while (values.length < wanted) {
    const u = names[values.length];
    values.push(new Chart(parent, { title: u.name + (u.unit ? " [" + u.unit + "]" : ""), x: "step", log: u.log, series: [{ name: "value", colour: "accent" }] }));
  }
  if (wanted < names.length && !byId("more")) {
    const more = make("button", byId("parameters"), "Show all " + names.length + " parameters");
    more.id = "more";
    more.addEventListener("click", () => { parent.dataset.all = "yes"; more.remove(); showSteps(); });
  }
  values.forEach((c, i) => c.set(all.map((r) => [r[0], r[4 + i]]), number(all[all.length - 1][4 + i], 6)));
}

function showRuns() {
  if (!rows.length) return;
  byId("course").hidden = false;
  setText(byId("course-title"), "Runs over time");
  if (!runCharts) {
    const parent = byId("objective");
    runCharts = [new Chart(parent, { title: "Runs done", x: "seconds", series: [{ name: "done", colour: "accent" }] })];
  }
  runCharts[0].set(rows.map((r) => [r[0], r[1]]), whole(rows[rows.length - 1][1]));
  if (!runCharts[1] && rows.some((r) => r[2] !== null))
    runCharts[1] = new Chart(byId("objective"), { title: "Best objective", x: "seconds", log: true, series: [{ name: "best", colour: "third" }] });
  if (runCharts[1]) runCharts[1].set(rows.map((r) => [r[0], r[2] > 0 ? r[2] : null]), number(rows[rows.length - 1][2]));
}

function showRows() {
  if (about && about.kind === "runs") showRuns(); else showSteps();
}

// ---- data and model

function experiments() {
  return [...new Set(data.channels.map((c) => c.experiment))];
}

function showData() {
  const names = experiments(), select = byId("experiment");
  byId("motion").hidden = false;
  byId("experiment-label").hidden = names.length < 2;
  if (select.options.length !== names.length) {
    select.textContent = "";
    for (const n of names) make("option", select, n).value = n;
  }
  if (shownExperiment === null) shownExperiment = names[0];
  select.value = shownExperiment;
  for (const c of channels) if (c) c.remove();
  channels = data.channels.map((c) => {
    if (c.experiment !== shownExperiment) return null;
    const few = c.apart || c.samples <= 250;
    return new Chart(byId("channels"), { title: c.name + (c.unit ? " [" + c.unit + "]" : ""), x: c.apart ? "row" : "time",
      series: [{ name: "data", colour: few ? "data" : "pale", dots: few, pale: !few }, { name: "model", colour: "model", dots: c.apart }] });
  });
  showCurves();
}

function showCurves() {
  if (!data) return;
  const model = curves ? curves.model : [];
  channels.forEach((chart, i) => {
    if (!chart) return;
    const c = data.channels[i], m = model[i];
    chart.set(c.t.map((t, k) => [c.apart ? k : t, c.data[k], m ? m[k] : null]));
  });
  const failed = model.some((m) => m === null);
  setText(byId("motion-note"), !curves ? "" : (curves.lambda > 0 ? "tied to the data, \u03bb = " + number(curves.lambda, 3) : "free simulation") +
    ", step " + curves.step + (failed ? "; not all experiments can be simulated here" : ""));
}

// ---- state

function showNumbers(list) {
  const parent = byId("numbers");
  list = list.filter((n) => n[1] !== null);
  if (parent.children.length !== list.length || [...parent.children].some((d, i) => d.firstChild.textContent !== list[i][0])) {
    parent.textContent = "";
    for (const [name] of list) { const d = make("div", parent); make("dt", d, name); make("dd", d); }
  }
  list.forEach(([, text], i) => setText(parent.children[i].lastChild, text));
}

function showState() {
  const s = state, r = s.runs, paused = s.wish === "pause", ends = s.wish === "stop" || s.wish === "take" || over;
  const word = s.wish === "stop" ? "Stopping" : s.wish === "take" ? "Taking the best point; statistics follow" : paused ? "Paused" : "Running";
  const status = byId("status");
  setText(status, word + (s.stage ? ": " + s.stage : ""));
  status.className = ends || paused ? "paused" : "runs";
  document.title = (paused ? "\u23f8 " : "") + (r && r.total ? Math.floor(100 * r.done / r.total) + " % \u2013 " : "") + byId("waiting").dataset.title;
  byId("waiting").hidden = !!(rows.length || r);
  const list = [["Elapsed", time(s.seconds)]];
  if (s.step !== undefined)
    list.push(["Steps", whole(s.step)], ["Objective", number(s.objective)], ["Best, free model", about && about.kind === "fit" ? number(s.best) : null],
      ["\u03bb", lambda ? number(s.lambda, 3) : null], ["Simulations", whole(s.simulations)], ["Searches ended", s.searches ? whole(s.searches) : null]);
  if (r) {
    list.push([about && about.kind === "steps" ? "Methods done" : "Runs done", whole(r.done) + (r.total ? " of " + whole(r.total) : "")], ["Runs a second", r.rate && about && about.kind === "runs" ? number(r.rate, 3) : null],
      ["Time left, about", r.left !== null && about && about.kind === "runs" ? time(r.left) : null], ["Best objective", about && about.kind === "runs" && r.best !== null ? number(r.best) : null],
      ["Workers", r.workers > 1 ? whole(r.workers) : null], ["Given up", r.lost ? whole(r.lost) : null]);
    byId("study").hidden = !r.total;
    byId("bar").value = r.total ? r.done / r.total : 0;
    setText(byId("outcomes"), Object.entries(r.outcomes).filter((o) => o[1]).map((o) => whole(o[1]) + " " + o[0]).join(", "));
  }
  showNumbers(list);
  byId("doubt").hidden = !s.doubt;
  setText(byId("doubt"), s.doubt ? "The search goes on: " + s.doubt : "");
  const pause = byId("pause"), take = byId("take"), stop = byId("stop");
  setText(pause, paused ? "Resume" : "Pause");
  pause.disabled = stop.disabled = ends;
  take.hidden = !about || about.kind !== "fit";
  take.disabled = ends || !s.takes;
}

// ---- buttons

const token = location.pathname.split("/")[1];
function wish(word) {
  return fetch(word, { method: "POST", headers: { "X-Entrain-Token": token }, cache: "no-store" }).catch(() => {});
}
byId("pause").addEventListener("click", () => {
  const paused = state && state.wish === "pause";
  wish(paused ? "resume" : "pause").then((answer) => {
    if (answer && answer.ok && state) { state.wish = paused ? "go-on" : "pause"; showState(); }
  });
});
// Asks once more before it ends anything.
function twice(button, word) {
  const text = button.textContent;
  let timer = null;
  const back = () => { clearTimeout(timer); timer = null; button.textContent = text; button.classList.remove("sure"); };
  button.addEventListener("click", () => {
    if (timer === null) {
      button.textContent = "Sure? " + text;
      button.classList.add("sure");
      timer = setTimeout(back, 4000);
      return;
    }
    back();
    wish(word).then((answer) => { if (answer && answer.ok && state) { state.wish = word; showState(); } });
  });
  button.addEventListener("blur", () => { if (timer !== null) back(); });
}
twice(byId("take"), "take");
twice(byId("stop"), "stop");
byId("experiment").addEventListener("change", (e) => { shownExperiment = e.target.value; showData(); });

// ---- events

byId("waiting").dataset.title = document.title;
const source = new EventSource("events");
const on = (name, handle) => source.addEventListener(name, (e) => handle(JSON.parse(e.data)));
let lostSince = null;
on("about", (d) => { about = d; });
on("data", (d) => { data = d; showData(); });
on("rows", (d) => { rows = d.anew ? d.rows : rows.concat(d.rows); showRows(); });
on("curves", (d) => { curves = d; showCurves(); });
on("state", (d) => { state = d; showState(); if (rows.length && about && about.kind !== "runs") showSteps(); });
on("done", () => {
  over = true;
  source.close();
  setText(byId("status"), "Done; the report follows.");
  location.reload();
});
source.onopen = () => { lostSince = null; byId("lost").hidden = true; };
source.onerror = () => {
  if (over) return;
  lostSince = lostSince || Date.now();
  const gone = Date.now() - lostSince > 8000 || source.readyState === EventSource.CLOSED;
  setText(byId("lost"), gone ? "The program has ended, or cannot be reached. What is below was the last state." : "The connection is lost; trying again.");
  byId("lost").hidden = false;
  setText(byId("status"), "No connection");
  byId("status").className = "";
  for (const id of ["pause", "take", "stop"]) byId(id).disabled = true;
};
})();
