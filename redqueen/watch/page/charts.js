// Charts of the page, drawn by uPlot: lines over steps with zoom, a cross-hair that all charts share, and smoothing.

const LINE_COLOURS = 8;

function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// Makes an element. Texts become text, never markup; `attributes` may hold listeners (on…).
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(readable(child)));
  }
  return element;
}

// One chart with its title. series: [{label, steps, values, low?, high?, stairs?, colour?}].
class Chart {
  constructor({title, note = "", unit = "number", height = 230, series, compact = false}) {
    this.title = title;
    this.unit = unit;
    this.height = height;
    this.compact = compact;
    this.series = series;
    this.frame = h("div", {class: "plot"});
    this.caption = h("figcaption", {}, h("b", {}, title), note ? h("span", {class: "note"}, " " + note) : null);
    this.summary = h("span", {class: "sr"});
    this.element = h("figure", {class: "card chart"}, this.caption, this.frame, this.summary);
    Chart.all.add(this);
    // Drawn once it has a width, and again with another one.
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.frame);
  }

  update(series) {
    this.series = series;
    this.draw();
  }

  resize() {
    const width = Math.floor(this.frame.clientWidth);
    if (width === 0) return;
    if (!this.plot) return this.draw();
    if (width !== this.plot.width) this.plot.setSize({width: width, height: this.height});
  }

  // Lines and, behind them, the values before smoothing or the bands around them.
  columns() {
    const lines = [];
    const bands = [];
    this.series.forEach((one, i) => {
      const colour = css("--line" + (one.colour === undefined ? i : one.colour) % LINE_COLOURS);
      if (one.low) {
        bands.push({series: [lines.length + 1, lines.length + 2], fill: colour + "33"});
        lines.push({data: {steps: one.steps, values: one.high}, label: one.label + " (highest)", stroke: "transparent"});
        lines.push({data: {steps: one.steps, values: one.low}, label: one.label + " (lowest)", stroke: "transparent"});
      }
      const window = one.stairs || one.low ? 1 : Chart.smoothing;
      if (window > 1) lines.push({data: one, label: "", stroke: colour + "40", faint: true});
      const values = smoothed(one.values, window);
      lines.push({data: {steps: one.steps, values: values}, label: one.label, stroke: colour, stairs: one.stairs, width: 2});
    });
    return {lines: lines, bands: bands};
  }

  draw() {
    const width = Math.floor(this.frame.clientWidth);
    if (width === 0) return;
    const zoom = this.plot && this.zoomed ? {min: this.plot.scales.x.min, max: this.plot.scales.x.max} : null;
    if (this.plot) this.plot.destroy();
    const {lines, bands} = this.columns();
    const data = aligned(lines.map((line) => line.data));
    const text = (plot, value) => value_text(value, this.unit);
    const axis = {stroke: css("--muted"), grid: {stroke: css("--grid"), width: 1}, ticks: {stroke: css("--grid")},
                  font: "12px system-ui, sans-serif"};
    const least = this.unit === "number" ? (low) => low : (low) => Math.min(0, low);
    this.plot = new uPlot({
      width: width, height: this.height,
      scales: {x: {time: false}, y: {range: (plot, low, high) => {
        if (low === null || high === null) return [0, 1];
        const bottom = least(low);
        const room = high > bottom ? (high - bottom) * 0.06 : Math.abs(high) * 0.1 || 1;
        return [bottom === 0 && this.unit !== "number" ? 0 : bottom - room, high + room];
      }}},
      cursor: {sync: {key: "steps"}, drag: {x: true, y: false}, focus: {prox: 24}},
      legend: {show: !this.compact},
      bands: bands,
      series: [{label: "step"}, ...lines.map((line) => ({
        label: readable(line.label || "unsmoothed"), stroke: line.stroke, width: line.width || 1, spanGaps: true, value: text,
        points: {show: data[0].length < 3},
        class: line.faint || line.stroke === "transparent" ? "u-aside" : undefined,
        paths: line.stairs ? uPlot.paths.stepped({align: 1}) : undefined,
      }))],
      axes: [{...axis, size: 32, space: 60}, {...axis, size: 62, values: (plot, ticks) => ticks.map((tick) => text(plot, tick))}],
      hooks: {setScale: [(plot, key) => {
        if (key === "x" && data[0].length > 0)
          this.zoomed = plot.scales.x.min > data[0][0] || plot.scales.x.max < data[0][data[0].length - 1];
      }]},
    }, data, this.frame);
    if (zoom) this.plot.setScale("x", zoom);
    this.frame.firstChild.setAttribute("aria-hidden", "true");
    this.summary.textContent = this.words();
  }

  // For those who cannot see it.
  words() {
    const last = (one) => one.values.length === 0 ? "no values"
      : value_text(one.values[one.values.length - 1], this.unit) + " at step " + one.steps[one.steps.length - 1];
    return readable("Chart: " + this.title + ". " +
      this.series.slice(0, 8).map((one) => (one.label ? one.label + ": " : "") + last(one)).join("; "));
  }

  forget() {
    this.observer.disconnect();
    if (this.plot) this.plot.destroy();
    Chart.all.delete(this);
  }

  static redraw_all() { for (const chart of Chart.all) if (chart.element.isConnected) chart.draw(); }
  // Those of a view that is left.
  static forget_all() { for (const chart of Array.from(Chart.all)) chart.forget(); }
}
Chart.all = new Set();
Chart.smoothing = 1;
