"""redqueen/_native.pyi, which editors and type checkers read, says what the extension module has."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

import redqueen

PATTERNS = pathlib.Path(__file__).resolve().parents[1] / "native/stub.pattern"


def test_the_stub_is_what_stubgen_makes(tmp_path):
    if importlib.util.find_spec("nanobind") is None:
        pytest.skip("nanobind, which makes the stub, is not installed")
    made = tmp_path / "_native.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "--quiet", "-m", "redqueen._native", "-p", str(PATTERNS), "-o", str(made)]
    subprocess.run(command, check=True)
    kept = pathlib.Path(redqueen.__file__).parent / "_native.pyi"
    assert kept.read_text() == made.read_text(), f"make it anew: {' '.join(command[:-1])} {kept}"
