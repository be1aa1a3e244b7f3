// Parts that several views use.

function tile(label, value, detail) {
  return h("div", {class: "tile"}, h("span", {}, label), h("b", {}, value), detail ? h("i", {}, detail) : null);
}

function badge(text, kind) { return h("span", {class: "badge " + (kind || "")}, text); }

function code_block(text) { return h("pre", {tabindex: "0"}, text); }

// A block of text with what models mark in it set apart.
function marked_text(text) {
  const pieces = pieces_of(text);
  if (pieces.length === 0) return h("p", {class: "note"}, "(empty)");
  return pieces.map((piece) => piece.kind === "text" ? code_block(piece.text)
    : h("div", {class: "piece " + piece.kind}, h("span", {class: "note"}, piece.kind === "call" ? "tool call" : "thought"),
        code_block(piece.text)));
}

function table(heads, rows, attributes) {
  return h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": (attributes || {}).label || "table"},
    h("table", {class: (attributes || {}).class || ""},
      h("thead", {}, h("tr", {}, heads.map((head) => head instanceof Node ? head : h("th", {scope: "col"}, head)))),
      h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell, i) =>
        cell instanceof Node && (cell.tagName === "TD" || cell.tagName === "TH") ? cell
          : h(i === 0 ? "th" : "td", i === 0 ? {scope: "row"} : {}, cell)))))));
}

function field(label, control) { return h("label", {class: "field"}, h("span", {}, label), control); }

function choice(name, options, value) {
  return h("select", {name: name}, options.map(([key, label]) => h("option", {value: key, selected: key === value}, label)));
}

// A form whose fields are a query; `changed` gets the query at once, texts a moment after typing.
function filter_form(fields, changed) {
  let waiting = null;
  const form = h("form", {class: "filter", role: "search", onsubmit: (event) => event.preventDefault()}, fields);
  const send = () => changed(Object.fromEntries(new FormData(form)));
  form.addEventListener("change", send);
  form.addEventListener("input", (event) => {
    if (event.target.tagName !== "INPUT") return;
    clearTimeout(waiting);
    waiting = setTimeout(send, 250);
  });
  return form;
}

// A long list in pages: `load(query)` gives {total, offset, limit}, `show(answer)` its rows.
class PagedList {
  constructor(load, show, query) {
    this.load = load;
    this.show = show;
    this.query = {...query, offset: 0, limit: 25};
    this.rows = h("div", {class: "rows"});
    this.count = h("p", {class: "note", role: "status"});
    this.before = h("button", {type: "button", onclick: () => this.turn(-1)}, "← previous");
    this.after = h("button", {type: "button", onclick: () => this.turn(1)}, "next →");
    this.element = h("div", {}, this.count, this.rows, h("div", {class: "pager"}, this.before, this.after));
  }

  ask(query) {
    this.query = {...this.query, ...query, offset: 0};
    return this.refresh();
  }

  turn(pages) {
    this.query.offset = Math.max(0, this.query.offset + pages * this.query.limit);
    return this.refresh().then(() => this.element.scrollIntoView({block: "start"}));
  }

  async refresh() {
    const asked = this.asked = {};
    try {
      const answer = await this.load({...this.query, offset: String(this.query.offset), limit: String(this.query.limit)});
      if (asked !== this.asked) return;  // another question was put meanwhile
      const end = Math.min(answer.total, answer.offset + answer.limit);
      this.count.textContent = answer.total === 0 ? "nothing found" : (answer.offset + 1) + " to " + end + " of " + answer.total;
      this.before.disabled = answer.offset === 0;
      this.after.disabled = end >= answer.total;
      this.rows.replaceChildren(...this.show(answer));
    } catch (error) {
      this.count.textContent = readable(error.message);
    }
  }
}

// Values of any shape, as lists of names and values.
function value_view(value, depth = 0) {
  if (value === null || value === undefined) return h("span", {class: "note"}, "none");
  if (typeof value === "string") return value.length > 80 || value.includes("\n") ? code_block(value) : h("span", {}, value);
  if (typeof value === "number") return h("span", {}, plain_number(value));
  if (typeof value !== "object") return h("span", {}, String(value));
  if (depth > 6) return code_block(JSON.stringify(value, null, 1));
  const entries = Array.isArray(value) ? value.map((one, i) => [String(i + 1), one]) : Object.entries(value);
  if (entries.length === 0) return h("span", {class: "note"}, "none");
  if (Array.isArray(value) && value.every((one) => one === null || typeof one !== "object"))
    return h("span", {}, value.map(String).join(", "));
  return h("dl", {}, entries.map(([name, one]) => [h("dt", {}, name), h("dd", {}, value_view(one, depth + 1))]));
}

// The turns of a rollout, or of anything else that has turns.
function conversation_view(rollout) {
  return messages_of(rollout).map((message) => h("section", {class: "message " + (message.role === "assistant" ? "own" : "")},
    h("h4", {}, message.role, message.tokens ? h("span", {class: "note"}, " " + message.tokens + " tokens") : null,
      typeof message.reward === "number" ? h("span", {class: "note"}, " reward " + plain_number(message.reward)) : null),
    marked_text(message.text),
    message.tool_calls.map((call) => h("div", {class: "piece call"}, h("span", {class: "note"}, "tool call " + (call.name || "")),
      code_block(JSON.stringify(call.arguments === undefined ? call : call.arguments, null, 1))))));
}

function rollout_view(rollout) {
  const verdict = rollout.solved ? ["solved", "good"] : rollout.well_formed ? ["not solved", ""] : ["malformed", "bad"];
  return h("details", {class: "row"},
    h("summary", {}, badge(...verdict), " ", h("b", {}, rollout.environment), " level " + rollout.level + ", reward " +
      plain_number(rollout.reward) + ", " + rollout.tokens + " tokens, step " + rollout.step + " ", h("code", {}, rollout.address)),
    conversation_view(rollout));
}

// ---- Items. What an item holds decides how it is shown, not which recipe wrote it; all others are shown as names and values.

// A program that was written and judged.
function source_view(data) {
  const facts = [["reward", plain_number(data.reward)], ["layer reached", data.layer], ["reason", data.reason],
    ["environment", data.environment], ["tags", (data.tags || []).join(", ")], ["novelty", plain_number(data.novelty)],
    ["nearest", data.nearest ? data.nearest.name + " (" + plain_number(data.nearest.similarity) + ")" : null],
    ["calibration", data.calibration && data.calibration.instances !== undefined
      ? data.calibration.solved + " of " + data.calibration.instances + " solved" : null]];
  const verdicts = ((data.review || {}).verdicts || []).filter((one) => one && typeof one === "object");
  return [
    h("dl", {}, facts.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== "–")
      .map(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))])),
    h("h4", {}, "Source"), code_block(data.source || data.response || ""),
    verdicts.length > 0 ? [h("h4", {}, "Reviews"), verdicts.map((one) => value_view(one))] : null,
    data.validation ? h("details", {}, h("summary", {}, "Validation"), value_view(data.validation)) : null,
    data.response && data.source ? h("details", {}, h("summary", {}, "Response"), marked_text(data.response)) : null,
  ];
}

// A program to reason about.
function program_view(data) {
  const task = data.task || {};
  const measures = ["success", "cognitive", "halstead", "difference", "diversity"].filter((name) => typeof data[name] === "number");
  const rest = Object.fromEntries(Object.entries(task).filter(([name]) => name !== "program"));
  return [h("h4", {}, "Program"), code_block(task.program || ""), value_view(rest),
    h("dl", {}, measures.map((name) => [h("dt", {}, name), h("dd", {}, plain_number(data[name]))]))];
}

// A task that was tried: what it asks, and every try.
function tried_view(data) {
  const known = ["prompt", "traces", "description"];
  const rest = Object.fromEntries(Object.entries(data).filter(([name]) => !known.includes(name)));
  return [value_view(rest), data.description ? [h("h4", {}, "Description"), value_view(data.description)] : null,
    h("h4", {}, "Prompt"), marked_text(String(data.prompt || "")),
    data.traces.map((trace, i) => h("details", {}, h("summary", {}, badge(trace.solved ? "solved" : "not solved", trace.solved ? "good" : ""),
      " try " + (i + 1) + ", reward " + plain_number(trace.reward)), Array.isArray(trace.turns) ? conversation_view({turns: trace.turns})
      : marked_text(String(trace.text || ""))))];
}

function item_body(item) {
  const data = item.data;
  if (data && typeof data === "object" && !Array.isArray(data)) {
    if (Array.isArray(data.traces)) return tried_view(data);
    if (typeof data.source === "string") return source_view(data);
    if (data.task && typeof data.task.program === "string") return program_view(data);
  }
  return value_view(data);
}

// Data that only begin like one of these are shown as they are.
function item_parts(item) {
  try {
    return [item_body(item)].flat(Infinity).filter(Boolean);
  } catch (error) {
    return [value_view(item.data)];
  }
}

// Words by which items say that they turned out well.
const GOOD_FATES = ["admitted", "valid", "accepted", "solved", "sometimes"];

function item_view(item) {
  const data = item.data && typeof item.data === "object" ? item.data : {};
  const detail = data.reason || data.detail || data.environment || "";
  const row = h("details", {class: "row"},
    h("summary", {}, badge(item.fate || "–", GOOD_FATES.includes(item.fate) ? "good" : ""), " ", h("b", {}, item.name || item.kind),
      " step " + item.step + (typeof detail === "string" && detail ? ": " + detail.slice(0, 160) : "")));
  // Made when somebody looks: a page of sources is long.
  row.addEventListener("toggle", () => { if (row.open && row.childElementCount === 1) row.append(...item_parts(item)); });
  return row;
}

// A table of counts by windows of steps, the darker the larger the share (fates of items).
function heat_table(chart, map) {
  const heads = ["", ...map.columns];
  const rows = map.rows.map((row) => [row.label, ...row.counts.map((count, i) => {
    const cell = h("td", {class: "heat"}, count === 0 ? "" : String(count));
    const share = map.totals[i] > 0 ? count / map.totals[i] : 0;
    cell.style.background = count === 0 ? "" : "color-mix(in srgb, var(--line0) " + Math.round(8 + 42 * share) + "%, var(--card))";
    return cell;
  })]);
  return h("figure", {class: "card wide"}, h("figcaption", {}, h("b", {}, chart.title), h("span", {class: "note"}, " " + chart.note)),
    table(heads, rows, {label: chart.title, class: "heats"}));
}

// Rows of estimates with their intervals as bars, a column for each name.
function estimates_table(names, rows, label) {
  const with_change = names.length === 2;
  const bar = (estimate, i) => {
    if (!estimate) return "–";
    const mark = h("i", {});
    mark.style.left = 100 * estimate.low + "%";
    mark.style.width = Math.max(1, 100 * (estimate.high - estimate.low)) + "%";
    mark.style.background = "var(--line" + i % LINE_COLOURS + ")";
    return [estimate_text(estimate), h("span", {class: "interval", "aria-hidden": "true"}, mark)];
  };
  return table(["Environment", ...names, ...(with_change ? ["change"] : [])], rows.map((row) => {
    const cells = [row.environment || "all", ...names.map((name, i) => h("td", {}, bar(row.estimates[i], i)))];
    if (with_change) {
      const [before, after] = row.estimates;
      const way = direction(before, after);
      const change = before && after ? (after.share >= before.share ? "+" : "") + (100 * (after.share - before.share)).toFixed(1) : "–";
      cells.push(h("td", {class: way}, change + (way === "up" ? " ▲" : way === "down" ? " ▼" : "")));
    }
    return cells;
  }), {label: label});
}
