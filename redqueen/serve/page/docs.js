"use strict";
// The server's OpenAPI document as a page on which its calls can be tried. What comes from the server becomes text, never
// markup.

const SHOWN_SIGNS = 200000;  // of an answer
const METHODS_WITH_BODY = ["post", "put", "patch"];

// An example of what a JSON schema describes.
function example(schema) {
  if (!schema || typeof schema !== "object") return {};
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === "object") {
    const value = {};
    for (const key of schema.required || []) value[key] = example((schema.properties || {})[key]);
    return value;
  }
  return { array: [], string: "", integer: 0, number: 0, boolean: false }[schema.type] ?? {};
}

// One line a field: "level  integer", and whether it must be there.
function fields_text(schema) {
  const needed = (schema && schema.required) || [];
  return Object.entries((schema && schema.properties) || {}).map(([name, field]) =>
    name + "  " + (field.type || "any") + (needed.includes(name) ? ", required" : "")).join("\n");
}

// The path with its parts filled in, and the query behind it.
function address_of(pattern, parts, query) {
  const path = pattern.replace(/\{([^}]*)\}/g, (_, name) => encodeURIComponent(parts[name] || ""));
  return query ? path + "?" + query.replace(/^\?/, "") : path;
}

// The operations of a document under their headings, in its order.
function groups_of(document) {
  const groups = new Map();
  for (const [path, methods] of Object.entries(document.paths || {})) {
    for (const [method, operation] of Object.entries(methods)) {
      const group = (operation.tags || ["other"])[0];
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push({ path, method, operation });
    }
  }
  return groups;
}

function is_found(call, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = (call.method + " " + call.path + " " + (call.operation.summary || "")).toLowerCase();
  return words.every((word) => whole.includes(word));
}

// ---------------------------------------------------------------------------------------------------------------------
// The page

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== ""));
  return made;
}

function headers() {
  const token = document.getElementById("token").value;
  return token ? { Authorization: "Bearer " + token } : {};
}

function field(label, attributes, tag) {
  const control = element(tag || "input", attributes);
  return [element("label", {}, label, control), control];
}

async function answer_text(response) {
  const text = (await response.text()).slice(0, SHOWN_SIGNS);
  if (!(response.headers.get("content-type") || "").includes("json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, SHOWN_SIGNS);
  } catch (_) {
    return text;
  }
}

function form_of(call) {
  const { path, method, operation } = call;
  const form = element("form", { autocomplete: "off" });
  const parts = {};
  for (const parameter of operation.parameters || []) {
    const [label, input] = field(parameter.name, { name: parameter.name });
    parts[parameter.name] = input;
    form.append(label);
  }
  const content = operation.requestBody && operation.requestBody.content["application/json"];
  let body = null;
  let query = null;
  if (METHODS_WITH_BODY.includes(method)) {
    if (content) form.append(element("pre", {}, fields_text(content.schema) || "a JSON object"));
    const [label, area] = field("Body", { name: "body", spellcheck: "false" }, "textarea");
    area.value = JSON.stringify(content && content.example || example(content ? content.schema : null), null, 2);
    body = area;
    form.append(label);
  } else {
    const [label, input] = field("Query, e.g. count=3", { name: "query" });
    query = input;
    form.append(label);
  }
  const status = element("p", { class: "note", role: "status" });
  const shown = element("pre", { hidden: "", tabindex: "0", "aria-label": "answer" });
  form.append(element("button", { type: "submit" }, "Send"), status, shown);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = Object.fromEntries(Object.entries(parts).map(([name, input]) => [name, input.value]));
    const where = ".." + address_of(path, values, query ? query.value : "");
    const began = performance.now();
    status.textContent = "…";
    try {
      const response = await fetch(where, { method: method.toUpperCase(), headers: headers(), body: body ? body.value : undefined });
      shown.textContent = await answer_text(response);
      status.textContent = response.status + " after " + Math.round(performance.now() - began) + " ms";
      status.className = response.ok ? "good" : "bad";
    } catch (error) {
      shown.textContent = String(error);
      status.textContent = "no answer";
      status.className = "bad";
    }
    shown.hidden = false;
  });
  return form;
}

function details_of(call) {
  const { path, method, operation } = call;
  const details = element("details", {}, element("summary", {}, element("b", {}, method.toUpperCase()), element("code", {}, path), " ",
    element("span", {}, operation.summary || "")));
  // Forms are made when they are first looked at. A WebSocket cannot be tried by a form.
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    const is_socket = operation.responses && operation.responses["101"];
    details.append(is_socket ? element("p", { class: "note" }, operation.responses["101"].description) : form_of(call));
  });
  return details;
}

function draw(document_) {
  const main = document.getElementById("main");
  const text = document.getElementById("search").value;
  main.replaceChildren(element("p", { class: "note" }, "All calls of this server; ", element("a", { href: "../openapi.json" }, "openapi.json"),
    " is the same for programs."));
  for (const [group, calls] of groups_of(document_)) {
    const found = calls.filter((call) => is_found(call, text));
    if (found.length) main.append(element("section", { "aria-label": group }, element("h2", {}, group), ...found.map(details_of)));
  }
}

async function start() {
  const main = document.getElementById("main");
  const named = new URLSearchParams(location.hash.slice(1)).get("token");
  if (named) document.getElementById("token").value = named;
  const response = await fetch("../openapi.json", { headers: headers() });
  if (response.ok) {
    const read = await response.json();
    document.getElementById("search").addEventListener("input", () => draw(read));
    draw(read);
  } else if (response.status === 401) {
    main.replaceChildren(element("p", {}, "This server asks for a token: give it above."));
    document.getElementById("token").addEventListener("change", start, { once: true });
  } else {
    main.replaceChildren(element("p", { class: "bad" }, "openapi.json: " + response.status));
  }
  document.body.dataset.ready = "";
}

if (typeof document !== "undefined") start();
