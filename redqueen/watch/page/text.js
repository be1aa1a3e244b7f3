// Texts and numbers as people read them, and lists as they are searched. Nothing here touches the page.

// Signs that would change how a text around them looks: controls but tab and line feed, and those that turn the
// direction of writing. They are shown as what they are.
const HIDDEN_SIGNS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function readable(text) {
  return String(text).replace(/\r\n/g, "\n").replace(HIDDEN_SIGNS, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return "\u27e8U+" + code.toString(16).toUpperCase().padStart(4, "0") + "\u27e9";
  });
}

// A number with about four digits that matter.
function plain_number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

// "1 step", "2 steps".
function counted(count, noun) { return count + " " + noun + (count === 1 ? "" : "s"); }

function count_text(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 1000) return plain_number(value);
  for (const [unit, sign] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit) return String(Number((value / unit).toPrecision(3))) + sign;
  }
  return plain_number(value);
}

// A value in the unit of its chart (ChartRecord::unit).
function value_text(value, unit) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (unit === "share") return Number((100 * value).toPrecision(3)) + " %";
  return unit === "count" ? count_text(value) : plain_number(value);
}

function duration_text(seconds) {
  if (!Number.isFinite(seconds) || seconds < 0) return "–";
  const whole = Math.round(seconds);
  const two = (number) => String(number).padStart(2, "0");
  if (whole < 60) return whole + "s";
  if (whole < 3600) return Math.floor(whole / 60) + "m" + two(whole % 60) + "s";
  if (whole < 86400) return Math.floor(whole / 3600) + "h" + two(Math.floor(whole % 3600 / 60)) + "m";
  return Math.floor(whole / 86400) + "d" + two(Math.floor(whole % 86400 / 3600)) + "h";
}

// "31.2 % [29.0, 33.5] of 1600": an estimate as the API gives it.
function estimate_text(estimate) {
  if (!estimate) return "–";
  const percent = (share) => (100 * share).toFixed(1);
  return percent(estimate.share) + " % [" + percent(estimate.low) + ", " + percent(estimate.high) + "] of " +
    estimate.problems;
}

// "up", "down" or "": whether the second interval lies beyond the first.
function direction(before, after) {
  if (!before || !after) return "";
  if (after.low > before.high) return "up";
  return after.high < before.low ? "down" : "";
}

// Mean of each value and up to window − 1 before it; nulls stay and count for nothing.
function smoothed(values, window) {
  if (window <= 1) return values;
  const out = [];
  const recent = [];
  let sum = 0;
  for (const value of values) {
    if (value === null) {
      out.push(null);
      continue;
    }
    recent.push(value);
    sum += value;
    if (recent.length > window) sum -= recent.shift();
    out.push(sum / recent.length);
  }
  return out;
}

// Several series {steps, values} on one axis of steps: [steps, values, …], null where a series has none.
function aligned(series) {
  const all = new Set();
  for (const one of series) for (const step of one.steps) all.add(step);
  const steps = Array.from(all).sort((a, b) => a - b);
  const place = new Map(steps.map((step, i) => [step, i]));
  return [steps, ...series.map((one) => {
    const values = new Array(steps.length).fill(null);
    one.steps.forEach((step, i) => { values[place.get(step)] = one.values[i]; });
    return values;
  })];
}

// The turns of a rollout: those it has, or its prompt and response.
function messages_of(rollout) {
  if (Array.isArray(rollout.turns) && rollout.turns.length > 0) {
    return rollout.turns.map((turn) => ({
      role: String(turn.role || "?"), text: String(turn.text === undefined ? turn.content || "" : turn.text),
      tokens: turn.tokens, reward: turn.reward, tool_calls: turn.tool_calls || [],
    }));
  }
  return [{role: "user", text: rollout.prompt, tool_calls: []},
          {role: "assistant", text: rollout.response, tokens: rollout.tokens, tool_calls: []}];
}

// A message in pieces: {kind: "text", "call" or "thought", text}. What models write between the usual marks stands out.
function pieces_of(text) {
  const marks = /<(tool_call|think)>([\s\S]*?)<\/\1>/g;
  const pieces = [];
  let end = 0;
  const add = (kind, part) => { if (part.trim() !== "") pieces.push({kind: kind, text: part}); };
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    add("text", text.slice(end, found.index));
    add(found[1] === "think" ? "thought" : "call", found[2]);
    end = marks.lastIndex;
  }
  add("text", text.slice(end));
  return pieces;
}

// ---- Searching lists as the API does, for pages that carry their data

function has_text(row, keys, text) {
  if (!text) return true;
  const wanted = text.toLowerCase();
  return keys.some((key) => {
    const value = row[key];
    if (value === null || value === undefined) return false;
    return (typeof value === "string" ? value : JSON.stringify(value)).toLowerCase().includes(wanted);
  });
}

function page_of(rows, name, query) {
  const offset = Number(query.offset || 0);
  const limit = Number(query.limit || 50);
  return {total: rows.length, offset: offset, limit: limit, [name]: rows.slice(offset, offset + limit)};
}

function search_rollouts(rows, query) {
  const found = rows.filter((row) =>
    (!query.environment || row.environment === query.environment) &&
    (!query.solved || String(row.solved) === query.solved) &&
    (!query.step || row.step === Number(query.step)) &&
    has_text(row, ["address", "prompt", "response", "turns"], query.text));
  const newest = (a, b) => b.step - a.step || b.id - a.id;
  if (query.order === "best") found.sort((a, b) => b.reward - a.reward || b.id - a.id);
  else if (query.order === "worst") found.sort((a, b) => a.reward - b.reward || b.id - a.id);
  else found.sort(newest);
  return page_of(found, "rollouts", query);
}

function search_items(rows, query) {
  const found = rows.filter((row) => (!query.kind || row.kind === query.kind) &&
    (!query.fate || row.fate === query.fate) && has_text(row, ["name", "fate", "data"], query.text));
  return page_of(found.sort((a, b) => b.id - a.id), "items", query);
}
