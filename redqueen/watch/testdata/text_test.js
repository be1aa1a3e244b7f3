// Run after text.js (check_scripts.py).
let failed = 0;

function equal(what, got, expected) {
  if (JSON.stringify(got) === JSON.stringify(expected)) return;
  failed += 1;
  print(what + ": got " + JSON.stringify(got) + ", expected " + JSON.stringify(expected));
}

equal("controls are pictured", readable("a\u001b[31m\u0000\u007f\r\nb\tc\n"), "a\u241b[31m\u2400\u2421\nb\tc\n");
equal("signs that turn the writing are named", readable("x\u202ey\u2066\u200b"), "x\u27e8U+202E\u27e9y\u27e8U+2066\u27e9\u27e8U+200B\u27e9");
equal("what is no text is", readable(12), "12");

equal("numbers", [0, 12, 0.123456, 1234567, 1e-9, -0.5, null, NaN].map(plain_number), ["0", "12", "0.1235", "1.23e+6", "1.00e-9", "-0.5", "–", "–"]);
equal("counted", [0, 1, 2].map((count) => counted(count, "step")), ["0 steps", "1 step", "2 steps"]);
equal("counts", [0, 999, 1234, 5.5e6, 2e9, null].map(count_text), ["0", "999", "1.23k", "5.5M", "2G", "–"]);
equal("shares", [0, 0.25, 1, 0.12345].map((value) => value_text(value, "share")), ["0 %", "25 %", "100 %", "12.3 %"]);
equal("durations", [5, 65, 3700, 90061, -1].map(duration_text), ["5s", "1m05s", "1h01m", "1d01h", "–"]);

equal("no smoothing", smoothed([1, 2, 3], 1), [1, 2, 3]);
equal("a mean of the last values", smoothed([1, null, 3, 5], 2), [1, null, 2, 4]);
equal("a window before it is full", smoothed([2, 4, 6], 10), [2, 3, 4]);

equal("series on one axis", aligned([{steps: [1, 3], values: [10, 30]}, {steps: [2, 3], values: [5, 6]}]), [[1, 2, 3], [10, null, 30], [null, 5, 6]]);
equal("no series", aligned([]), [[]]);

const interval = (low, high) => ({share: (low + high) / 2, low: low, high: high, solved: 1, problems: 2});
equal("beyond", [direction(interval(0, 0.2), interval(0.3, 0.5)), direction(interval(0.3, 0.5), interval(0, 0.2)),
  direction(interval(0, 0.4), interval(0.3, 0.5)), direction(null, interval(0, 1))], ["up", "down", "", ""]);

equal("pieces of a message", pieces_of("<think>hm</think>\n<tool_call>{\"name\": 1}</tool_call> done <tool_call>open"),
  [{kind: "thought", text: "hm"}, {kind: "call", text: "{\"name\": 1}"}, {kind: "text", text: " done <tool_call>open"}]);
equal("an empty message", pieces_of(" \n"), []);
equal("a rollout of one turn", messages_of({prompt: "p", response: "r", tokens: 3}).map((message) => [message.role, message.text]), [["user", "p"], ["assistant", "r"]]);
equal("a rollout of several", messages_of({turns: [{role: "tool", text: "t"}, {}]}).map((message) => [message.role, message.text]), [["tool", "t"], ["?", ""]]);

const rollouts = [{id: 1, step: 1, reward: 5, environment: "A", solved: true, prompt: "Sort", response: "", turns: null},
  {id: 2, step: 2, reward: -1, environment: "B", solved: false, prompt: "", response: "x", turns: [{text: "Found"}]},
  {id: 3, step: 2, reward: 5, environment: "A", solved: false, prompt: "", response: "y", turns: null}];
const ids = (query) => search_rollouts(rollouts, query).rollouts.map((row) => row.id);
equal("newest", ids({}), [3, 2, 1]);
equal("best", ids({order: "best"}), [3, 1, 2]);
equal("worst", ids({order: "worst"}), [2, 3, 1]);
equal("of an environment", ids({environment: "A"}), [3, 1]);
equal("by verdict", [ids({solved: "true"}), ids({solved: "false"})], [[1], [3, 2]]);
equal("by step", ids({step: "1"}), [1]);
equal("by text", [ids({text: "sort"}), ids({text: "FOUND"}), ids({text: "none"})], [[1], [2], []]);
equal("a page", search_rollouts(rollouts, {offset: "1", limit: "1"}), {total: 3, offset: 1, limit: 1, rollouts: [rollouts[1]]});
equal("items", search_items([{id: 1, kind: "a", fate: "x", name: "n", data: {source: "def"}}, {id: 2, kind: "b", fate: "x", name: "", data: null}], {kind: "a", text: "DEF"}).total, 1);

if (failed > 0) throw new Error(failed + " checks of the page's functions failed");
print("the page's functions: all is well");
