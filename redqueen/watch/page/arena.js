// A run of the arena: its curve, what each submission changed, and its episodes.

function arena_link(name) { return "#/arena/" + encodeURIComponent(name); }

const EDIT_KINDS = ["synthesis", "parametric", "rollback", "retest"];

// Lines of validation and training over the budget. Those that are open have been trained on alone.
function arena_series(submissions) {
  const line = (label, key, colour, stairs) => {
    const points = submissions.filter((one) => typeof one[key] === "number");
    return {label: label, steps: points.map((one) => one.budget_used), values: points.map((one) => one[key]), colour: colour, stairs: stairs};
  };
  return [line("training mean", "mean_return", 2), line("validation mean", "validation_mean", 0), line("best validation so far", "best_so_far", 1, true)]
    .filter((one) => one.steps.length > 0);
}

// What is known of each submission's edit, by its number: from the diagnosis, else whether it was the best so far.
function edits_of(run) {
  const edits = new Map(((run.diagnosis || {}).edits || []).map((edit) => [edit.submit, edit]));
  let best = -Infinity;
  return run.submissions.map((one) => {
    const mean = one.validation_mean;
    const hit = typeof mean === "number" && mean > best;
    if (hit) best = mean;
    return {kind: "", hit: hit, ...edits.get(one.submit)};
  });
}

function diff_block(change) {
  return [h("h4", {}, change.path + ": " + counted(change.added, "line") + " added, " + change.removed + " removed"),
    h("pre", {tabindex: "0", class: "diff"}, change.lines.map((line) =>
      h("span", {class: line[0] === "+" ? "add" : line[0] === "-" ? "del" : ""}, line + "\n")))];
}

// An episode as lines over its steps: the numbers of the observation where there are few, and the rewards so far.
function episode_charts(episode) {
  const line = (label, values, i) => ({label: label, steps: episode.steps, values: values, colour: i});
  const seen = episode.observations.map((values, i) => line("observation " + i, values, i));
  const charts = [new Chart({title: episode.name, note: counted(episode.length, "step") + ", rewards so far", height: 180, series: [line("rewards so far", episode.rewards, 0)]})];
  if (seen.length > 0) charts.push(new Chart({title: episode.name, note: "what the policy saw", height: 180, series: seen}));
  return charts.map((chart) => chart.element);
}

function submission_row(run, one, edit, source) {
  const facts = [edit.kind, edit.hit ? "best so far" : "", one.submit === run.selected ? "selected" : ""].filter(Boolean).join(", ");
  const row = h("details", {class: "row", id: "submission-" + one.submit},
    h("summary", {}, badge(one.status, one.status === "ok" ? "good" : one.status === "playing" ? "" : "bad"), " ", h("b", {}, "submission " + one.submit),
      (facts ? ", " + facts : "") + ", " + one.episodes + " episodes, training " + plain_number(one.mean_return) + ", validation " + plain_number(one.validation_mean)));
  row.addEventListener("toggle", async () => {
    if (!row.open || row.childElementCount > 1) return;
    const body = h("div", {}, one.reason ? [h("h4", {}, "Reason"), code_block(one.reason)] : null);
    row.append(body);
    try {
      const answer = await source.get("submission", {run: run.name, submit: String(one.submit)});
      body.append(...(answer.changes.length === 0 ? [h("p", {class: "note"}, "no source changed")] : answer.changes.flatMap(diff_block)));
      if (answer.episodes.length > 0) body.append(h("h4", {}, "First episodes"), h("div", {class: "grid"}, answer.episodes.flatMap(episode_charts)));
    } catch (error) {
      body.append(h("p", {class: "note"}, error.message));
    }
  });
  return row;
}

// A box for each submission, in the colour of its kind of edit; it leads to its row.
function edit_timeline(run, edits) {
  const box = (one, edit) => {
    const what = "submission " + one.submit + (edit.kind ? ": " + edit.kind : "") + (edit.hit ? ", best so far" : "");
    return h("button", {type: "button", class: "edit " + (EDIT_KINDS.includes(edit.kind) ? edit.kind : ""), title: what, "aria-label": what, onclick: () => {
      const row = document.getElementById("submission-" + one.submit);
      row.open = true;
      row.firstElementChild.focus();
    }}, edit.hit ? "★" : "·");
  };
  const count = (kind) => edits.filter((edit) => edit.kind === kind).length;
  return h("div", {class: "card"}, h("h2", {class: "first"}, "Edits"), h("div", {class: "edits"}, run.submissions.map((one, i) => box(one, edits[i]))),
    h("p", {class: "note"}, run.diagnosis ? EDIT_KINDS.map((kind) => count(kind) + " × " + kind).join(", ") + "; ★ raised the best validation mean."
      : "★ raised the best validation mean. `redqueen arena report` sorts edits into kinds."));
}

async function arena_view(place, source, name) {
  const tiles = h("div", {class: "tiles"});
  const chart = new Chart({title: "Return over the budget", note: "mean return of each submission over its episodes", height: 260, series: []});
  const timeline = h("div", {});
  const rows = h("div", {class: "card"});
  let shown = 0;
  const show = (run) => {
    const selected = run.selected === null ? "none yet" : "submission " + run.selected;
    tiles.replaceChildren(tile("Environment", run.environment, run.cases + " cases"), tile("State", run.state, run.status),
      tile("Held-out mean", plain_number(run.score), "of the selected submission"), tile("Selected", selected),
      tile("Budget", run.used + " of " + run.budget, "training episodes"));
    const series = arena_series(run.submissions);
    if (series.length > 0) chart.update(series);
    const edits = edits_of(run);
    timeline.replaceChildren(edit_timeline(run, edits));
    // Rows that somebody has opened stay as they are; a run that closes has new ones.
    const stamp = run.status + run.submissions.map((one) => one.status).join();
    if (stamp === shown) return;
    shown = stamp;
    rows.replaceChildren(...run.submissions.map((one, i) => submission_row(run, one, edits[i], source)));
  };
  place.append(h("h1", {}, name), tiles, chart.element, timeline, h("h2", {}, "Submissions"), rows);
  show(await source.get("arena", {run: name}));
  return {refresh: async () => show(await source.get("arena", {run: name}))};
}
