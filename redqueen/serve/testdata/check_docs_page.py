"""check_docs_page: the page's script is one that a browser's parser takes, and its functions do what they say. Runs in
QuickJS, from the wheel `quickjs`."""
import json
import pathlib

import quickjs

SCRIPT = (pathlib.Path(__file__).resolve().parent.parent / "page/docs.js").read_text(encoding="utf-8")
context = quickjs.Context()
context.eval(SCRIPT)


def call(function, *arguments):
    context.set("given", json.dumps(arguments))
    return json.loads(context.eval(f"JSON.stringify({function}(...JSON.parse(given)))"))


schema = {"type": "object", "required": ["items", "level"], "properties": {
    "items": {"type": "array"}, "level": {"type": "integer"}, "prompt": {"type": "string"}}}
assert call("example", schema) == {"items": [], "level": 0}
assert call("example", None) == {}
assert call("fields_text", schema).splitlines()[1:] == ["level  integer, required", "prompt  string"]
assert call("address_of", "/v1/environments/{name}", {"name": "azr/x?"}, "") == "/v1/environments/azr%2Fx%3F"
assert call("address_of", "/v1/runs", {}, "?a=1") == "/v1/runs?a=1"
document = {"paths": {"/a": {"get": {"tags": ["x"], "summary": "One"}, "post": {}}, "/b": {"get": {"tags": ["x"]}}}}
context.set("given", json.dumps(document))
groups = json.loads(context.eval("JSON.stringify([...groups_of(JSON.parse(given))])"))
assert [(name, [(one["method"], one["path"]) for one in calls]) for name, calls in groups] == [
    ("x", [("get", "/a"), ("get", "/b")]), ("other", [("post", "/a")])], groups
found = groups[0][1][0]
assert call("is_found", found, "GET one") and call("is_found", found, "") and not call("is_found", found, "two")
