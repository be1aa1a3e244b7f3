"""check_scripts: every script of the page is one that a browser's parser takes, and text.js does what text_test.js says. Runs
in QuickJS, from the wheel `quickjs`."""
import pathlib

import quickjs

PAGE = pathlib.Path(__file__).resolve().parent.parent / "page"
context = quickjs.Context()
context.add_callable("print", print)
context.eval("function parses(text) { new Function('\"use strict\";' + text); }")
scripts = [path.read_text(encoding="utf-8") for path in sorted(PAGE.glob("*.js"))]
assert len(scripts) == 7, scripts
for script in [*scripts, "\n".join(scripts)]:
    context.get("parses")(script)
context.eval((PAGE / "text.js").read_text(encoding="utf-8") + pathlib.Path(__file__).with_name("text_test.js").read_text(encoding="utf-8"))
