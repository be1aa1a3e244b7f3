// Where the page's data come from: the API of a server, or the page itself.

// Answers of /v1/runs. A token, if the server wants one, comes with the page's address (#token=…) and stays in this tab.
class LiveSource {
  constructor() {
    const given = /[#&]token=([^&]+)/.exec(location.hash);
    if (given) {
      sessionStorage.setItem("redqueen-token", decodeURIComponent(given[1]));
      history.replaceState(null, "", location.pathname + "#/");
    }
    this.token = sessionStorage.getItem("redqueen-token");
  }

  // `query`: an object of texts, or lists of texts for parameters that repeat.
  async get(view, query = {}) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== "") parameters.append(name, one);
    }
    const address = "../v1/runs" + (view ? "/" + view : "") + (parameters.size === 0 ? "" : "?" + parameters);
    const headers = this.token ? {Authorization: "Bearer " + this.token} : {};
    const answer = await fetch(address, {headers: headers, cache: "no-store"});
    const body = await answer.json().catch(() => ({error: "the server's answer cannot be read"}));
    if (!answer.ok) throw new Error(readable(body.error || "the server answered " + answer.status));
    return body;
  }

  // Calls `changed` whenever a run has moved. Events where the server has them, else a question every few seconds.
  watch(changed) {
    let polling = null;
    const poll = () => { polling = polling || setInterval(changed, 5000); };
    if (typeof EventSource === "undefined") return poll();
    let events = null;
    let first = true;
    const listen = () => {
      events = new EventSource("../v1/runs/events" + (this.token ? "?token=" + encodeURIComponent(this.token) : ""));
      events.onmessage = () => {
        clearInterval(polling);
        polling = null;
        if (!first) changed();
        first = false;
      };
      events.onerror = poll;
    };
    // A browser keeps pages for the way back, and each would hold one of the six connections that it has to a server.
    addEventListener("pagehide", () => events.close());
    addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
    listen();
  }
}

// The same answers from what the page carries.
class CarriedSource {
  constructor(data) { this.data = data; }

  async get(view, query = {}) {
    if (!view) return {runs: this.data.runs};
    if (view === "comparison") {
      if (!this.data.comparison) throw new Error("this page carries one run");
      return this.data.comparison;
    }
    const run = this.data.views[query.run];
    if (!run) throw new Error("this page carries no run " + readable(query.run));
    if (view === "rollouts") return search_rollouts(run.rollouts, query);
    if (view === "items") return search_items(run.items, query);
    if (view === "metrics" && query.name) {
      const names = [].concat(query.name);
      return {metrics: Object.fromEntries(Object.entries(run.metrics.metrics).filter(([name]) => names.includes(name)))};
    }
    return run[view];
  }

  watch() {}
}

function make_source() {
  const carried = document.getElementById("data");
  return carried ? new CarriedSource(JSON.parse(carried.textContent)) : new LiveSource();
}
