// The views. Each fills an element and gives {refresh?, find?}: what to call when runs have moved, and the field that "/" leads to.

const STATE_KINDS = {running: "good", finished: "", stopped: "bad"};

function run_link(name, tab) { return "#/run/" + encodeURIComponent(name) + "/" + tab; }

// ---- The list

async function runs_view(place, source) {
  const chosen = new Set();
  const compare = h("a", {class: "button", "aria-disabled": "true"}, "Compare");
  const choose = () => {
    const names = Array.from(chosen);
    if (names.length < 2) compare.removeAttribute("href");
    else compare.setAttribute("href", "#/compare?" + names.map((name) => "run=" + encodeURIComponent(name)).join("&"));
    compare.setAttribute("aria-disabled", names.length < 2 ? "true" : "false");
    compare.textContent = names.length < 2 ? "Compare (choose two or more)" : "Compare " + names.length + " runs";
  };
  choose();
  const search = h("input", {type: "search", name: "text"});
  const list = h("div", {});
  let runs = [];
  const row_of = (run) => {
    const box = h("input", {type: "checkbox", "aria-label": "compare " + readable(run.name), onchange: () => {
      if (box.checked) chosen.add(run.name); else chosen.delete(run.name);
      choose();
    }});
    box.checked = chosen.has(run.name);
    const progress = run.steps > 0 ? run.step + " of " + run.steps : String(run.step === undefined ? "–" : run.step);
    const name = run.kind === "arena" ? h("a", {href: arena_link(run.name)}, run.name) : [box, " ", h("a", {href: run_link(run.name, "overview")}, run.name)];
    return [h("th", {scope: "row"}, name),
      run.error ? badge("unreadable", "bad") : badge(run.state, STATE_KINDS[run.state]), run.recipe || "–", progress,
      duration_text(run.seconds), plain_number(run.reward), value_text(run.solved, "share"),
      run.updated ? new Date(1000 * run.updated).toLocaleString() : "–"];
  };
  const show = () => {
    const wanted = runs.filter((run) => has_text(run, ["name", "recipe", "state"], search.value));
    list.replaceChildren(wanted.length === 0 ? h("p", {class: "note"}, runs.length === 0 ? "There are no runs here." : "nothing found")
      : table(["run", "state", "recipe", "steps", "took", "reward", "solved", "last step"], wanted.map(row_of), {label: "runs"}));
  };
  const refresh = async () => { runs = (await source.get("")).runs; show(); };
  place.append(h("h1", {}, "Runs"), filter_form([field("find", search), compare], show), h("div", {class: "card"}, list));
  await refresh();
  return {refresh: refresh, find: search};
}

// ---- Charts of one run or several

// The series of a chart of lines: those that the runs have values for.
function series_of(chart, runs, metrics) {
  const several = chart.series.length > 1;
  const series = [];
  runs.forEach((run, r) => {
    for (const one of chart.series) {
      const points = (metrics[r] || {})[one.metric];
      if (!points || points.steps.length === 0) continue;
      const label = runs.length === 1 ? one.label || chart.title : several ? one.label + ", " + run : run;
      series.push({label: label, steps: points.steps, values: points.values, colour: several ? series.length : r});
    }
  });
  return series;
}

function level_series(levels, runs) {
  return levels.map((one, r) => ({label: runs.length === 1 ? "mean" : runs[r], colour: r, ...one.mean,
    low: runs.length === 1 ? one.mean.low : undefined, high: runs.length === 1 ? one.mean.high : undefined}))
    .filter((one) => one.steps.length > 0);
}

// Charts as the runs describe them, by section, and any other metric besides.
class ChartWall {
  constructor(overviews, fates) {
    this.names = overviews.map((overview) => overview.name);
    this.fates = fates;
    this.charts = [];
    const seen = new Set();
    for (const overview of overviews) {
      for (const chart of overview.charts) {
        if (!seen.has(chart.id)) this.charts.push(chart);
        seen.add(chart.id);
      }
    }
    const drawn = new Set(this.charts.flatMap((chart) => chart.series.map((one) => one.metric)));
    const others = new Set(overviews.flatMap((overview) => overview.metrics).filter((metric) => !drawn.has(metric)));
    this.others = Array.from(others).sort().map((metric) => (
      {id: "metric/" + metric, section: "Other metrics", title: metric, note: "", unit: "number", kind: "lines", series: [{metric: metric, label: ""}]}));
    this.shown = new Map();
    this.filter = "";
    this.element = h("div", {});
  }

  show(metrics, levels) {
    this.metrics = metrics;
    this.levels = levels;
    const all = this.charts.concat(this.others);
    const sections = Array.from(new Set(all.map((chart) => chart.section)));
    if (this.built !== this.filter) {
      for (const chart of this.shown.values()) chart.forget();
      this.shown.clear();
      this.element.replaceChildren();
    }
    for (const section of sections) {
      const charts = all.filter((chart) => chart.section === section && has_text(chart, ["title", "id", "series"], this.filter));
      this.show_section(section, charts);
    }
    this.built = this.filter;
  }

  show_section(section, charts) {
    const new_cards = [];
    for (const chart of charts) {
      const series = chart.kind === "lines" ? series_of(chart, this.names, this.metrics)
        : chart.kind === "levels" ? level_series(this.levels, this.names) : [];
      const there = this.shown.get(chart.id);
      if (there) {
        there.update(series);
      } else if (series.length > 0) {
        const made = new Chart({title: chart.title, note: chart.note, unit: chart.unit, series: series});
        this.shown.set(chart.id, made);
        new_cards.push(made.element);
      } else if (this.built !== this.filter && this.fates && this.fates[chart.id]) {
        new_cards.push(heat_table(chart, this.fates[chart.id]));
      }
    }
    if (new_cards.length === 0) return;
    let grid = this.element.querySelector('[data-section="' + CSS.escape(section) + '"]');
    if (!grid) {
      grid = h("div", {class: "grid", "data-section": section});
      const body = section === "Other metrics" && !this.filter
        ? h("details", {class: "card"}, h("summary", {}, "Other metrics"), grid)
        : h("section", {}, section ? h("h2", {}, section) : null, grid);
      this.element.append(body);
    }
    grid.append(...new_cards);
  }
}

function chart_controls(wall, redraw) {
  const search = h("input", {type: "search", name: "text"});
  const smoothing = h("input", {type: "range", name: "smoothing", min: "1", max: "50", value: String(Chart.smoothing)});
  const told = h("output", {}, counted(Chart.smoothing, "step"));
  smoothing.addEventListener("input", () => {
    Chart.smoothing = Number(smoothing.value);
    told.textContent = counted(Chart.smoothing, "step");
    Chart.redraw_all();
  });
  const form = filter_form([field("find a metric", search), field("smoothing", h("span", {}, smoothing, told))], () => {
    if (wall.filter === search.value) return;
    wall.filter = search.value;
    redraw();
  });
  return {form: form, search: search};
}

// ---- One run

const TABS = [["overview", "Overview"], ["levels", "Levels"], ["rollouts", "Rollouts"], ["items", "Items"],
              ["evaluations", "Evaluations"], ["configuration", "Configuration"]];

async function overview_view(place, source, run) {
  const overview = await source.get("overview", {run: run});
  const fates = await source.get("fates", {run: run});
  const tiles = h("div", {class: "tiles"});
  const wall = new ChartWall([overview], fates);
  const load = async () => [(await source.get("metrics", {run: run})).metrics, await source.get("levels", {run: run})];
  const show_tiles = (summary) => tiles.replaceChildren(
    tile("State", summary.state || "unreadable", summary.error),
    tile("Steps", summary.steps > 0 ? summary.step + " of " + summary.steps : String(summary.step), duration_text(summary.seconds)),
    tile("Reward", plain_number(summary.reward), "last step"),
    tile("Solved", value_text(summary.solved, "share"), "last step"),
    tile("Seconds a step", plain_number(summary.step > 0 ? summary.seconds / summary.step : NaN), "mean"));
  let [metrics, levels] = await load();
  const controls = chart_controls(wall, () => wall.show([metrics], [levels]));
  show_tiles(overview);
  place.append(tiles, controls.form, wall.element);
  wall.show([metrics], [levels]);
  return {find: controls.search, refresh: async () => {
    show_tiles(await source.get("overview", {run: run}));
    [metrics, levels] = await load();
    wall.show([metrics], [levels]);
  }};
}

async function levels_view(place, source, run) {
  let levels = await source.get("levels", {run: run});
  if (levels.environments.length === 0) {
    place.append(h("p", {class: "card"}, "This run has no curriculum."));
    return {};
  }
  const search = h("input", {type: "search", name: "text"});
  const mean = new Chart({title: "Difficulty", note: "upper level: mean over environments, and the range from lowest to highest",
                          height: 260, series: level_series([levels], [run])});
  const charts = new Map();
  const grid = h("div", {class: "grid small"});
  const rows = h("div", {class: "card"});
  const last = (list) => list[list.length - 1];
  const series = (one) => [{label: one.name, steps: one.steps, values: one.upper, stairs: true}];
  const most = 24;
  const show = () => {
    const wanted = levels.environments.filter((one) => has_text(one, ["name"], search.value))
      .sort((a, b) => last(b.upper) - last(a.upper) || (a.name < b.name ? -1 : 1));
    const cells = wanted.slice(0, most).map((one) => {
      const there = charts.get(one.name);
      if (there) there.update(series(one));
      else charts.set(one.name, new Chart({title: one.name, note: "level " + last(one.lower) + " to " + last(one.upper), unit: "count", height: 120, compact: true, series: series(one)}));
      return charts.get(one.name).element;
    });
    grid.replaceChildren(...cells);
    rows.replaceChildren(table(["environment", "lower", "upper", "climbed", "solved at the upper level"], wanted.map((one) => [one.name,
      String(last(one.lower)), String(last(one.upper)), "+" + (last(one.upper) - one.upper[0]), one.solved + " of " + one.attempts]), {label: "levels"}));
  };
  place.append(filter_form([field("find an environment", search)], show), mean.element, h("h2", {}, "By environment"),
    levels.environments.length > most ? h("p", {class: "note"}, "The " + most + " highest are drawn; the table has all.") : null, grid, rows);
  show();
  return {find: search, refresh: async () => {
    levels = await source.get("levels", {run: run});
    mean.update(level_series([levels], [run]));
    show();
  }};
}

async function rollouts_view(place, source, run, query) {
  const overview = await source.get("overview", {run: run});
  const search = h("input", {type: "search", name: "text"});
  const list = new PagedList((asked) => source.get("rollouts", {run: run, ...asked}),
    (answer) => answer.rollouts.map(rollout_view), {order: query.order || "newest"});
  place.append(filter_form([
    field("order", choice("order", [["newest", "newest"], ["best", "best"], ["worst", "worst"]], query.order)),
    field("environment", choice("environment", [["", "all"], ...overview.environments.map((name) => [name, readable(name)])])),
    field("verdict", choice("solved", [["", "all"], ["true", "solved"], ["false", "not solved"]])),
    field("step", h("input", {type: "number", name: "step", min: "0", class: "short"})),
    field("text", search)], (asked) => list.ask(asked)), h("div", {class: "card"}, list.element));
  await list.refresh();
  return {find: search, reload: () => list.refresh()};
}

async function items_view(place, source, run) {
  const overview = await source.get("overview", {run: run});
  if (overview.items.length === 0) {
    place.append(h("p", {class: "card"}, "This run keeps no items: neither environments nor tasks were written in it."));
    return {};
  }
  const kinds = overview.items;
  const search = h("input", {type: "search", name: "text"});
  const count = (kind) => kind.fates.reduce((sum, one) => sum + one.count, 0);
  const kind_choice = choice("kind", kinds.map((one) => [one.kind, readable(one.kind) + " (" + count(one) + ")"]));
  const fate_choice = choice("fate", []);
  const show_fates = () => {
    const kind = kinds.find((one) => one.kind === kind_choice.value) || kinds[0];
    fate_choice.replaceChildren(h("option", {value: ""}, "all"),
      ...kind.fates.map((one) => h("option", {value: one.fate}, one.fate + " (" + one.count + ")")));
  };
  show_fates();
  const list = new PagedList((asked) => source.get("items", {run: run, ...asked}), (answer) => answer.items.map(item_view), {kind: kinds[0].kind});
  kind_choice.addEventListener("change", show_fates);  // before the form reads its fields
  place.append(filter_form([field("kind", kind_choice), field("fate", fate_choice), field("text", search)], (asked) => list.ask(asked)),
    h("div", {class: "card"}, list.element));
  await list.refresh();
  return {find: search, reload: () => list.refresh()};
}

async function evaluations_view(place, source, run) {
  const {suites} = await source.get("evaluations", {run: run});
  if (suites.length === 0) place.append(h("p", {class: "card"}, "This run was not evaluated yet."));
  for (const suite of suites) {
    place.append(h("h2", {}, suite.name));
    if (suite.curve.length > 0) {
      const pick = (key) => suite.curve.map((one) => one[key]);
      place.append(new Chart({title: "Accuracy during training", note: "share solved on held-out problems; the band is the 95 % interval", unit: "share",
        height: 260, series: [{label: suite.name, steps: pick("step"), values: pick("share"), low: pick("low"), high: pick("high")}]}).element);
    }
    place.append(h("div", {class: "card"}, estimates_table(suite.policies, suite.rows, "evaluation on " + suite.name),
      h("p", {class: "note"}, "Share solved, in brackets the 95 % interval, and the number of responses. ▲ and ▼: the intervals do not overlap.")));
  }
  return {refresh: async () => {}};
}

async function configuration_view(place, source, run) {
  const overview = await source.get("overview", {run: run});
  place.append(h("div", {class: "card"}, code_block(overview.config || "(no configuration)")));
  return {};
}

const RUN_VIEWS = {overview: overview_view, levels: levels_view, rollouts: rollouts_view, items: items_view,
                   evaluations: evaluations_view, configuration: configuration_view};

async function run_view(place, source, run, tab, query) {
  place.append(h("h1", {}, run), h("nav", {class: "tabs", "aria-label": "views of the run"}, TABS.map(([key, label]) =>
    h("a", {href: run_link(run, key), "aria-current": key === tab ? "page" : null}, label))));
  const body = h("div", {});
  place.append(body);
  return RUN_VIEWS[tab](body, source, run, query);
}

// ---- Several runs

async function compare_view(place, source, names) {
  const overviews = await Promise.all(names.map((run) => source.get("overview", {run: run})));
  const comparison = await source.get("comparison", {run: names});
  const wall = new ChartWall(overviews, null);
  const load = async () => [await Promise.all(names.map(async (run) => (await source.get("metrics", {run: run})).metrics)),
                            await Promise.all(names.map((run) => source.get("levels", {run: run})))];
  let [metrics, levels] = await load();
  const controls = chart_controls(wall, () => wall.show(metrics, levels));
  place.append(h("h1", {}, "Comparison"), h("ul", {class: "legend"}, names.map((name, i) => {
    const mark = h("i", {});
    mark.style.background = "var(--line" + i % LINE_COLOURS + ")";
    return h("li", {}, mark, " ", h("a", {href: run_link(name, "overview")}, name));
  })));
  for (const suite of comparison.suites) {
    place.append(h("h2", {}, "Evaluation: " + readable(suite.name)), h("div", {class: "card"}, estimates_table(names, suite.rows, "evaluation on " + suite.name),
      h("p", {class: "note"}, "Share solved by each run's last policy of the problems that all were asked, with its 95 % interval.")));
  }
  const left_heads = names.map((name) => h("th", {scope: "col", class: "left"}, name));
  place.append(h("h2", {}, "Settings that differ"), h("div", {class: "card"}, comparison.settings.length === 0 ? h("p", {}, "none")
    : table(["setting", ...left_heads], comparison.settings.map((row) => [h("th", {scope: "row"}, h("code", {}, row.setting)),
      ...row.values.map((value) => h("td", {class: "left"}, value === null ? "–" : value))]), {label: "settings that differ"})));
  place.append(h("h2", {}, "Training"), controls.form, wall.element);
  wall.show(metrics, levels);
  return {find: controls.search, refresh: async () => {
    [metrics, levels] = await load();
    wall.show(metrics, levels);
  }};
}
