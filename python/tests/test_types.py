"""A type checker, mypy, reads user's code with the package's types, and the code does what those say."""

import ast
import graphlib
import importlib.util
import os
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

import redqueen

HERE = pathlib.Path(__file__).parent
PACKAGE = pathlib.Path(redqueen.__file__).parent
# Where the package is not installed, the checker is told where it lies.
ENVIRONMENT = {**os.environ, "MYPYPATH": "" if "site-packages" in PACKAGE.parts else str(PACKAGE.parent)}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What one call of mypy has read, NumPy above all, the next need not."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def mypy(tmp_path, cache):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed (scripts/requirements.txt)")

    def call(*words):
        command = [sys.executable, "-m", "mypy", f"--cache-dir={cache}", *map(str, words)]
        return subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)

    return call


def check(mypy, *words):
    return mypy("--strict", "--no-error-summary", "--hide-error-context", *words)


@pytest.fixture
def as_installed(tmp_path):
    """What mypy says of an installed package: nothing."""
    file = tmp_path / "mypy.ini"
    file.write_text("[mypy]\n[mypy-redqueen.*]\nignore_errors = True\n")
    return f"--config-file={file}"


def test_typical_code_has_the_types_that_it_says(mypy, as_installed):
    done = check(mypy, as_installed, HERE / "typed_use.py")
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


def test_the_checker_refuses_what_is_wrong(mypy, as_installed):
    file = HERE / "typed_misuse.py"
    done = check(mypy, as_installed, file)
    wanted = {number for number, line in enumerate(file.read_text().splitlines(), 1) if line.endswith("# error")}
    found = {int(number) for number in re.findall(r"typed_misuse\.py:(\d+): error", done.stdout)}
    assert wanted == found, done.stdout + done.stderr


def test_typical_code_does_what_its_types_say(own_names):
    runpy.run_path(str(HERE / "typed_use.py"), run_name="__main__")


def test_the_package_does_what_its_types_say(mypy):
    modules = sorted(file.stem for file in PACKAGE.glob("*.py*") if file.suffix in (".py", ".pyi") and not file.stem.startswith("__"))
    assert {"_native", "_api", "aio", "connect", "ray", "server", "shared_curriculum"} <= set(modules)
    wanted = [word for module in modules for word in ("-m", f"redqueen.{module}")]
    done = check(mypy, "--allow-any-generics", "--no-warn-return-any", "--disable-error-code=import-untyped",
                 "--disable-error-code=import-not-found", *wanted)
    ours = re.compile(rf"redqueen/({'|'.join(modules)})\.pyi?:\d+: error")
    assert done.returncode in (0, 1) and not ours.search(done.stdout), done.stdout + done.stderr


def imports(file):
    """The modules of the package that one imports, for type checkers alone or not."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from [node.module] if node.module else [name.name for name in node.names]


def test_no_module_imports_itself_by_way_of_others():
    graph = {file.stem: {*imports(file)} for file in PACKAGE.glob("*.py") if not file.stem.startswith("__")}
    assert {"_arguments", "_types"} <= graph["connect"] | graph["remote"] | graph["shared_curriculum"]
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle
