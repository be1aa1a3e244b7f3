"""The command `redqueen` of the package: `python -m redqueen`, and the script that the wheel installs."""
import importlib.metadata
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

import redqueen as rq


def commands():
    yield pytest.param([sys.executable, "-m", "redqueen"], id="module")
    try:
        importlib.metadata.distribution("redqueen")
    except importlib.metadata.PackageNotFoundError:
        return  # a build's folder has no scripts
    yield pytest.param([str(pathlib.Path(sys.executable).parent / "redqueen")], id="script")


@pytest.fixture(params=commands())
def redqueen(request, tmp_path):
    """Calls the command from another folder, as a user's shell does."""

    def call(*words):
        environment = {name: value for name, value in os.environ.items() if name not in ("REDQUEEN_CONFIGS", "REDQUEEN_BINARY")}
        return subprocess.run([*request.param, *map(str, words)], cwd=tmp_path, env=environment, capture_output=True, text=True)

    call.command = request.param
    return call


def test_it_is_the_same_engine(redqueen):
    done = redqueen("gym", "sample", "Sorting", "--level", 2, "--seed", 5)
    assert done.returncode == 0, done.stderr
    statement = rq.make("Sorting").generate(level=2, seed=5, split="test").prompt.split("\n\n")[0]  # without how to mark the answer
    assert statement in done.stdout
    assert redqueen("--version").stdout == f"redqueen {rq.__version__}\n"
    listed = redqueen("gym", "list").stdout
    assert all(name in listed for name in ("Sorting", "household", "azr/deduction"))


def test_configurations_and_the_sandbox_come_with_it(redqueen, tmp_path):
    assert 'recipe = "rlve"' in redqueen("config", "show", "quickstart").stdout
    program = tmp_path / "program.py"
    program.write_text("import hashlib\nprint(hashlib.sha256(b'drawer').hexdigest())\n")
    done = redqueen("sandbox", "run", program, "--require", "standard", "--profile", "program")
    import hashlib

    assert done.stdout == hashlib.sha256(b"drawer").hexdigest() + "\n", done.stderr


def test_exit_codes_and_what_is_not_in_it(redqueen):
    wrong = redqueen("gym", "sample", "Sortin")
    assert wrong.returncode == 2 and "did you mean Sorting?" in wrong.stderr
    assert redqueen().returncode == 2
    for words in (("train", "--config", "quickstart"), ("policy", "init", "--out", "DIR"), ("eval", "--policy", "DIR")):
        missing = redqueen(*words)
        assert missing.returncode == 1 and "needs libtorch" in missing.stderr, words


def test_it_serves_and_a_signal_reaches_it(redqueen, tmp_path):
    url = tmp_path / "url"
    process = subprocess.Popen([*redqueen.command, "serve", "--port", "0", "--announce", str(url)], cwd=tmp_path,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        give_up = time.monotonic() + 60
        while not url.exists():
            assert process.poll() is None and time.monotonic() < give_up, process.stderr.read()
            time.sleep(0.02)
        there = rq.connect(url.read_text().strip())
        assert there.make("Sorting").generate(level=2, seed=5).prompt == rq.make("Sorting").generate(level=2, seed=5).prompt
        with urllib.request.urlopen(url.read_text().strip() + "/healthz") as answer:
            assert answer.status == 200
    finally:
        process.terminate()
    assert process.wait(30) == 0  # it is the program itself that the signal ended in order
    process.stderr.close()


def test_a_reader_that_leaves_ends_it_quietly(redqueen):
    shown = subprocess.Popen([*redqueen.command, "gym", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    shown.stdout.close()
    assert (shown.stderr.read(), shown.wait(60)) == (b"", -signal.SIGPIPE)
    shown.stderr.close()
