// What pages.py asks a page; evaluated in it. Answers are plain values.
'use strict';
window.probe = (() => {
  const charts = () => window.entrainCharts || [];
  const plots = () => JSON.parse(document.getElementById('plots')?.textContent || '[]');
  const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1e-300);
  const shown = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true});

  function named(e) {
    const text = (e.textContent || '').trim().replace(/\s+/g, ' ').slice(0, 30);
    const kind = typeof e.className === 'string' ? e.className : e.getAttribute('class') || '';
    return `<${e.localName}${e.id ? ' id=' + e.id : ''}${kind ? ' class=' + kind.split(' ')[0] : ''}>${text ? ` "${text}"` : ''}`;
  }

  // ---- charts ----

  const xOf = (plot, s) => typeof s.x === 'number' ? plot.series[s.x].x : s.x;
  // Error bars come as [low, middle, high] or [value, deviation].
  const valueOf = v => Array.isArray(v) ? (v.length === 3 ? v[1] : v[0]) : v;
  const isPoint = v => v !== null && v !== undefined && !Number.isNaN(v);

  function pointsOf(chart, column) {
    const points = [];
    for (let row = 0; row < chart.numRows(); row++) {
      const y = valueOf(chart.getValue(row, column));
      if (isPoint(y)) points.push([Number(chart.getValue(row, 0)), y]);
    }
    return points;
  }

  // Faults of one series: [number of points in the data, sentence or ""].
  function compareSeries(chart, plot, k) {
    const s = plot.series[k], xs = xOf(plot, s);
    const expected = s.y.map((y, i) => [xs[i], y]).filter(p => isPoint(p[0]) && isPoint(p[1]));
    const plotted = pointsOf(chart, k + 1);
    const [x0, x1] = chart.xAxisRange(), [y0, y1] = chart.yAxisRange(0);
    if (xs.length !== s.y.length) return [expected.length, `${xs.length} x and ${s.y.length} y in the data`];
    if (plotted.length !== expected.length) return [expected.length, `${plotted.length} points are plotted, ${expected.length} are in the data`];
    const order = (a, b) => a[0] - b[0] || a[1] - b[1];
    expected.sort(order), plotted.sort(order);
    const wrong = expected.findIndex((p, i) => !near(p[0], plotted[i][0]) || !near(p[1], plotted[i][1]));
    if (wrong >= 0) return [expected.length, `point ${wrong} is (${plotted[wrong]}), not (${expected[wrong]})`];
    if (expected.length && !plotted.some(p => p[0] >= x0 && p[0] <= x1 && p[1] >= y0 && p[1] <= y1))
      return [expected.length, `no point is in the frame [${x0}, ${x1}] x [${y0}, ${y1}]`];
    return [expected.length, ''];
  }

  function hasInk(chart) { // whether anything is drawn on one of its canvases
    return [...chart.graphDiv.querySelectorAll('canvas')].some(c => {
      if (!c.width || !c.height) return false;
      const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
      let dots = 0;
      for (let i = 3; i < data.length; i += 4) dots += data[i] > 0;
      return dots > 20;
    });
  }

  function compareCharts() {
    const faults = [], all = plots(), made = charts();
    let points = 0;
    if (all.length !== made.length) faults.push(`${made.length} charts for ${all.length} plots`);
    all.slice(0, made.length).forEach((plot, i) => {
      const name = `chart ${i} (${plot.y || plot.x})`;
      if (made[i].numColumns() - 1 !== plot.series.length) faults.push(`${name} has ${made[i].numColumns() - 1} of ${plot.series.length} series`);
      else plot.series.forEach((s, k) => {
        const [count, fault] = compareSeries(made[i], plot, k);
        points += count;
        if (fault) faults.push(`${name}, ${s.name}: ${fault}`);
      });
      if (plot.series.length && !hasInk(made[i])) faults.push(`${name}: nothing is drawn`);
    });
    return {points, faults, charts: made.length};
  }

  // Numbers of the charts that belong together: by data-group of the charts or of what holds them, else by "below".
  function groups() {
    const found = new Map();
    let key = 0;
    plots().slice(0, charts().length).forEach((plot, i) => {
      const told = charts()[i].graphDiv.closest('[data-group]');
      if (!plot.below) key = i;
      const mine = told ? 'group ' + told.dataset.group : key;
      found.set(mine, [...(found.get(mine) || []), i]);
    });
    return [...found.values()];
  }

  const ranges = () => charts().map(c => [...c.xAxisRange()]);

  // In the window, after scrolling to the chart: the frame that the curves are in.
  function frame(i) {
    const chart = charts()[i], div = chart.graphDiv;
    div.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = div.getBoundingClientRect(), area = chart.getArea();
    return [box.x + area.x, box.y + area.y, area.w, area.h];
  }

  function legendOf(i) {
    const div = charts()[i].graphDiv;
    for (let e = div; e; e = e.parentElement) {
      const legends = [...e.querySelectorAll('.legend')];
      if (!legends.length) continue;
      const inside = charts().filter(c => e.contains(c.graphDiv));
      return legends[inside.indexOf(charts()[i])] || null;
    }
    return null;
  }
  const rows = () => charts().map(c => c.numRows());
  const select = () => charts().forEach(c => c.setSelection(Math.floor(c.numRows() / 2)));
  const legends = () => charts().map((c, i) => legendOf(i) ? legendOf(i).textContent.trim() : null);

  // ---- addresses ----

  // What would be loaded from elsewhere, also where it is not needed yet; links for readers are none of it.
  function foreign() {
    const own = /^\s*(data:|#|about:blank|$)/, found = [];
    for (const e of document.querySelectorAll('[src], [srcset], [poster], [action], [formaction], object[data], link[href], image[href], use[href]'))
      for (const name of ['src', 'srcset', 'poster', 'action', 'formaction', 'data', 'href'])
        if (e.hasAttribute(name) && !own.test(e.getAttribute(name))) found.push(`${name} of ${named(e).replace(/ ".*/, '')}: ${e.getAttribute(name)}`);
    for (const e of document.querySelectorAll('style, [style]')) {
      const css = e.localName === 'style' ? e.textContent : e.getAttribute('style');
      for (const m of css.matchAll(/@import[^;]*|url\(\s*["']?([^"')]*)/g))
        if (m[1] === undefined || !own.test(m[1])) found.push(`style: ${m[0]}`);
    }
    return found;
  }

  // ---- parts ----

  function looseEnds() {
    const faults = [], seen = new Set();
    for (const e of document.querySelectorAll('[id]')) {
      if (seen.has(e.id)) faults.push(`two elements have the id '${e.id}'`);
      seen.add(e.id);
    }
    for (const e of document.querySelectorAll('a[href^="#"]'))
      if (e.hash && !seen.has(decodeURIComponent(e.hash.slice(1)))) faults.push(`${named(e)} leads to ${e.hash}, which is not there`);
    for (const e of document.querySelectorAll('svg'))
      if (!e.ownerSVGElement && !e.closest('[aria-hidden="true"]') && !e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby') &&
          !e.querySelector(':scope > title')?.textContent.trim()) faults.push(`${named(e)} has no words for those who cannot see it`);
    return [...new Set(faults)];
  }


  function tables() {
    return [...document.querySelectorAll('table')].map(t => {
      const rows = [...t.tBodies].flatMap(b => [...b.rows]), width = row => [...row.cells].reduce((n, c) => n + c.colSpan, 0);
      const head = t.tHead && t.tHead.rows.length ? width(t.tHead.rows[0]) : 0;
      const spans = !!t.querySelector('[rowspan]');
      return {name: named(t), head: t.tHead ? t.tHead.querySelectorAll('th').length : 0, rows: rows.filter(r => r.cells.length).length,
              ragged: !spans && rows.some(r => width(r) !== head)};
    });
  }

  // ---- colours ----

  const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const known = new Map();
  function colour(css) { // [r, g, b, alpha], each 0 to 1, in any notation of CSS
    if (!known.has(css)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = '#000';
      pen.fillStyle = css;
      pen.fillRect(0, 0, 1, 1);
      known.set(css, [...pen.getImageData(0, 0, 1, 1).data].map(v => v / 255));
    }
    return known.get(css);
  }
  const fainter = (c, share) => [c[0], c[1], c[2], c[3] * share];
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const part = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = c => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
  function ratio(a, b) { // WCAG 2
    const [low, high] = [light(a), light(b)].sort((p, q) => p - q);
    return (high + 0.05) / (low + 0.05);
  }
  const hex = c => '#' + c.slice(0, 3).map(v => Math.round(v * 255).toString(16).padStart(2, '0')).join('');

  function opacity(e) {
    let share = 1;
    for (; e; e = e.parentElement) share *= Number(getComputedStyle(e).opacity);
    return share;
  }

  function paper() { // what the window has under everything
    const e = document.createElement('div');
    e.style.cssText = 'background: Canvas; display: none';
    document.documentElement.append(e);
    const c = colour(getComputedStyle(e).backgroundColor);
    e.remove();
    return c;
  }

  // Behind an element: backgrounds of it and of all around it. Pictures cannot be judged: `picture` names one.
  function background(e) {
    const layers = [];
    let picture = null;
    for (; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.backgroundImage !== 'none' && !picture) picture = named(e);
      const c = fainter(colour(style.backgroundColor), opacity(e));
      if (c[3] > 0) layers.push(c);
      if (c[3] > 0.999) break;
    }
    return {colour: layers.reduceRight((under, c) => over(c, under), paper()), picture};
  }

  // Behind letters of an SVG: shapes that were drawn before and lie at their middle, then what is behind the picture.
  function svgBackground(text) {
    const svg = text.ownerSVGElement, box = text.getBoundingClientRect();
    const behind = background(svg);
    for (const shape of svg.querySelectorAll('rect, path, circle, ellipse, polygon')) {
      if (text.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING) break;
      if (shape.closest('defs, clipPath, mask, pattern') || !shown(shape)) continue;
      const style = getComputedStyle(shape);
      if (style.fill === 'none') continue;
      const at = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(shape.getScreenCTM().inverse());
      if (!shape.isPointInFill(at)) continue;
      if (style.fill.startsWith('url')) behind.picture = named(shape);
      else behind.colour = over(fainter(colour(style.fill), Number(style.fillOpacity) * opacity(shape)), behind.colour);
    }
    return behind;
  }

  function hiddenForEyes(e) { // text for screen readers only: in a box of a pixel
    for (let i = 0; e && i < 4; i++, e = e.parentElement) {
      const box = e.getBoundingClientRect();
      if (getComputedStyle(e).overflow !== 'visible' && (box.width <= 1 || box.height <= 1)) return true;
    }
    return false;
  }

  function textNodes() {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), nodes = [];
    while (walk.nextNode()) {
      const node = walk.currentNode, e = node.parentElement;
      if (!node.data.trim() || e.closest('script, style, template, noscript, title, desc, metadata, defs') || !shown(e)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      if ([...range.getClientRects()].every(b => b.width < 1 || b.height < 1) || hiddenForEyes(e)) continue;
      nodes.push(node);
    }
    return nodes;
  }

  // How many texts were judged, and the faults. Large text (24 px, or bold 18.66 px) needs 3, other 4.5; a disabled button nothing.
  function contrast() {
    const faults = new Set(), nodes = textNodes();
    for (const node of nodes) {
      const e = node.parentElement, style = getComputedStyle(e), svg = e.ownerSVGElement;
      if (e.closest(':disabled')) continue;
      const behind = svg ? svgBackground(e.closest('text') || e) : background(e);
      const front = over(fainter(colour(svg ? style.fill : style.color), opacity(e) * (svg ? Number(style.fillOpacity) : 1)), behind.colour);
      const at = svg && e.getScreenCTM(), scale = svg ? Math.hypot(at.a, at.b) : 1, size = parseFloat(style.fontSize) * scale;
      const needed = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700 ? 3 : 4.5;
      const text = node.data.trim().slice(0, 30);
      if (behind.picture) faults.add(`"${text}" stands on a picture of ${behind.picture}`);
      else if (ratio(front, behind.colour) < needed - 0.005)
        faults.add(`"${text}" in ${named(e).replace(/ ".*/, '')}: ${hex(front)} on ${hex(behind.colour)} is ${ratio(front, behind.colour).toFixed(2)}, needs ${needed}`);
    }
    return {count: nodes.length, faults: [...faults]};
  }

  const brightness = () => light(background(document.body).colour);

  // ---- width ----

  const scrolls = e => getComputedStyle(e).overflowX !== 'visible';
  const isTop = e => e === document.documentElement || e === document.body;

  // Elements that reach beyond the right edge and are not in a part that scrolls by itself; of nested ones the innermost.
  function wide() {
    const edge = document.documentElement.clientWidth + 1, found = [];
    for (const e of document.body.querySelectorAll('*')) {
      if (!shown(e) || e.getBoundingClientRect().right <= edge || e.getBoundingClientRect().width === 0) continue;
      let around = e.parentElement;
      while (around && !isTop(around) && !scrolls(around)) around = around.parentElement;
      if (!around || isTop(around)) found.push(e);
    }
    return found.filter(e => !found.some(other => other !== e && e.contains(other)));
  }
  // Parts that would have to be scrolled, which paper cannot.
  const cut = () => [...document.body.querySelectorAll('*')].filter(e => shown(e) && !e.ownerSVGElement && scrolls(e) && e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1);

  function overflow() {
    const top = document.documentElement;
    const describe = e => `${named(e)} (${Math.round(Math.max(e.getBoundingClientRect().right, e.scrollWidth))} px)`;
    return {client: top.clientWidth, scroll: Math.max(top.scrollWidth, document.body.scrollWidth),
            wide: wide().slice(0, 5).map(describe), cut: cut().slice(0, 5).map(describe)};
  }

  // ---- keyboard ----

  const looks = ['outlineStyle', 'outlineWidth', 'outlineColor', 'boxShadow', 'borderTopColor', 'borderTopWidth', 'backgroundColor', 'textDecorationLine'];
  const look = e => looks.map(name => getComputedStyle(e)[name]);
  let wanted = [], before = new Map(), reached = new Set();

  // Begins a walk by keyboard; returns how many elements it must reach. Each is the list of elements of which one will do.
  function beginWalk() {
    const holder = e => e.closest('[tabindex="0"]') || e;
    const all = [...document.querySelectorAll('a[href], button:not(:disabled), summary, input:not(:disabled), select:not(:disabled), [tabindex="0"]')]
      .map(e => ({name: named(e), any: [e]}));
    for (const t of document.querySelectorAll('table')) all.push({name: named(t), any: [t, holder(t)]});
    charts().forEach((c, i) => {
      const div = c.graphDiv.closest('.chart') || c.graphDiv;
      all.push({name: `chart ${i}`, any: [div, holder(div), ...div.querySelectorAll('*')]});
    });
    wanted = all.filter(w => shown(w.any[0]) && !w.any[0].closest('[inert]'));
    reached = new Set();
    before = new Map();
    document.activeElement?.blur();
    for (const e of document.querySelectorAll('*')) if (e.tabIndex >= 0) before.set(e, look(e));
    const top = document.createElement('span'); // where the next Tab begins, wherever the mouse was
    top.tabIndex = -1;
    document.body.prepend(top);
    top.focus();
    top.remove();
    return wanted.length;
  }

  // After a Tab: null at the end of the page, else the name and whether the focus is visible.
  function walked() {
    const e = document.activeElement;
    if (!e || e === document.body || e === document.documentElement || reached.has(e)) return null;
    reached.add(e);
    const style = getComputedStyle(e), old = before.get(e);
    const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 &&
      (style.outlineStyle === 'auto' || ratio(over(colour(style.outlineColor), background(e).colour), background(e).colour) >= 3);
    const other = old && look(e).some((v, i) => i > 2 && v !== old[i]);
    return {name: named(e), visible: ring || !!other};
  }
  const missed = () => wanted.filter(w => !w.any.some(e => reached.has(e))).map(w => w.name);

  // ---- paper ----

  function paperParts() {
    const size = e => e.getBoundingClientRect();
    const stills = [...document.querySelectorAll('svg.still, .still.paper svg')].filter(e => shown(e) && size(e).width > 20 && size(e).height > 20);
    return {
      charts: [...document.querySelectorAll('.chart')].filter(e => shown(e) && size(e).height > 0).length,
      stills: stills.length, allStills: document.querySelectorAll('svg.still, .still.paper svg').length,
      blank: stills.filter(e => !e.querySelector('path, polyline, polygon, circle, line, rect')).length,
    };
  }

  // The words of the page: without scripts and style.
  function words() {
    const copy = document.body.cloneNode(true);
    copy.querySelectorAll('script, style').forEach(e => e.remove());
    return copy.textContent;
  }
  // Scripts and handlers that a name has brought in.
  const intruders = () => [...document.querySelectorAll('*')].filter(e => e.localName === 'script' && /hacked/.test(e.textContent) && e.type !== 'application/json' ||
    [...e.attributes].some(a => /^on/i.test(a.name) && /hacked/.test(a.value))).map(named);

  return {compareCharts, groups, ranges, frame, rows, select, legends, foreign, looseEnds, tables, contrast, brightness, overflow, beginWalk, walked, missed, paperParts, words, intruders};
})();
