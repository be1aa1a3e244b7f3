// Which view is shown: the address behind # decides. Keys, theme, and what happens when runs move.

const source = make_source();
let current = {};
let moved = false;

// "#/run/NAME/TAB?a=b" as {parts, query}.
function route_of(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  return {parts: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query || "")};
}

async function show() {
  const {parts, query} = route_of(location.hash);
  const place = h("div", {});
  const asked = show.asked = {};
  Chart.forget_all();
  current = {};
  const main = document.getElementById("main");
  main.replaceChildren(place);
  try {
    let view;
    if (parts[0] === "run" && parts[1]) {
      const tab = RUN_VIEWS[parts[2]] ? parts[2] : "overview";
      document.title = readable(parts[1]) + " · " + tab + " · RedQueen";
      view = await run_view(place, source, parts[1], tab, Object.fromEntries(query));
    } else if (parts[0] === "arena" && parts[1]) {
      document.title = readable(parts[1]) + " · arena · RedQueen";
      view = await arena_view(place, source, parts[1]);
    } else if (parts[0] === "compare" && query.getAll("run").length > 1) {
      document.title = "Comparison · RedQueen";
      view = await compare_view(place, source, query.getAll("run"));
    } else {
      document.title = "Runs · RedQueen";
      view = await runs_view(place, source);
    }
    if (asked === show.asked) current = view;
  } catch (error) {
    place.append(h("p", {class: "card fault", role: "alert"}, error.message));
  }
  document.body.dataset.ready = location.hash || "#/";
}

// ---- What every view has

const KEYS = [["/", "go to the search field"], ["1 … 6", "views of a run"], ["g", "the list of runs"], ["j, k", "next and previous entry"],
  ["Enter", "open or close an entry"], ["r", "load again"], ["t", "light or dark"], ["?", "this list"],
  ["drag in a chart", "zoom; a double click shows all"]];

function theme_now() { return document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"); }

function turn_theme() {
  const theme = theme_now() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("redqueen-theme", theme); } catch (error) { /* a page from a file may not keep anything */ }
  Chart.redraw_all();
}

const help = h("dialog", {"aria-labelledby": "help-title"}, h("h2", {id: "help-title"}, "Keys"),
  h("dl", {}, KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
  h("form", {method: "dialog"}, h("button", {}, "Close")));

function step_through(by) {
  const rows = Array.from(document.querySelectorAll("details.row > summary, tbody th a"));
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement);
  rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + by))].focus();
}

function on_key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const {parts} = route_of(location.hash);
  const actions = {
    "/": () => current.find && current.find.focus(), g: () => { location.hash = "#/"; }, j: () => step_through(1), k: () => step_through(-1),
    r: () => reload(), t: turn_theme, "?": () => help.showModal(),
  };
  const tab = TABS[Number(event.key) - 1];
  if (parts[0] === "run" && tab) location.hash = run_link(parts[1], tab[0]);
  else if (actions[event.key]) actions[event.key]();
  else return;
  event.preventDefault();
}

async function reload() {
  tell("");
  if (current.reload) return current.reload();
  if (current.refresh) return current.refresh().catch((error) => tell(error.message));
}

function tell(text) {
  const status = document.getElementById("status");
  status.textContent = readable(text);
  status.classList.toggle("hidden", !text);
}

// Views of numbers follow by themselves; lists that somebody reads only say that there is more.
function runs_moved() {
  if (document.hidden) {
    moved = true;
    return;
  }
  if (current.refresh) current.refresh().catch((error) => tell(error.message));
  else if (current.reload) tell("The run went on: press r to load the list again.");
}

function start() {
  try { document.documentElement.dataset.theme = localStorage.getItem("redqueen-theme") || ""; } catch (error) { /* as above */ }
  document.getElementById("top").append(h("a", {href: "#/", class: "brand"}, "RedQueen"), h("span", {class: "room"}),
    h("button", {type: "button", onclick: turn_theme, "aria-label": "light or dark"}, "◐"),
    h("button", {type: "button", onclick: () => help.showModal(), "aria-label": "keys"}, "?"));
  document.body.append(help);
  addEventListener("hashchange", () => { tell(""); show(); });
  addEventListener("keydown", on_key);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => Chart.redraw_all());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && moved) {
      moved = false;
      runs_moved();
    }
  });
  source.watch(runs_moved);
  const runs = source.data && source.data.runs;
  if (runs && !location.hash) {
    location.replace(runs.length === 1 ? run_link(runs[0].name, "overview")
      : "#/compare?" + runs.map((run) => "run=" + encodeURIComponent(run.name)).join("&"));
  }
  show();
}

start();
