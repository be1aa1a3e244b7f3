"""docs/python.ipynb is what examples/tour.py gives, runs whole in Jupyter's kernel, and renders.

The last two need Jupyter's packages: scripts/check_trainers notebook.
"""
import json
import os
import re
import subprocess
import sys

from support import ROOT, package

NOTEBOOK = ROOT / "docs/python.ipynb"


def cells():
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]


def text(lines):
    return lines if isinstance(lines, str) else "".join(lines)


def shown(outputs):
    """The words that a cell shows; a kernel breaks long lines where it likes."""
    return [word for out in outputs for word in text(out["text"] if out["output_type"] == "stream" else out["data"]["text/plain"]).split()]


def test_the_notebook_is_what_the_tour_gives():
    done = subprocess.run([sys.executable, ROOT / "scripts/make_notebook", "--check"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_check_runs_every_cell_and_sees_another_output(tmp_path):
    for folder in ("scripts", "examples", "docs"):
        (tmp_path / folder).mkdir()
    for name in ("scripts/make_notebook", "examples/tour.py", "docs/python.ipynb"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")

    def check():
        return subprocess.run([sys.executable, tmp_path / "scripts/make_notebook", "--check"], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})

    assert check().returncode == 0
    notebook, tour = tmp_path / "docs/python.ipynb", tmp_path / "examples/tour.py"
    whole = notebook.read_text(encoding="utf-8")
    last = [cell for cell in cells() if cell["cell_type"] == "code"][-1]
    value = text(last["outputs"][-1]["data"]["text/plain"])
    assert value in whole
    notebook.write_text(whole.replace(value, value.replace("1", "2")), encoding="utf-8")
    assert "is not what examples/tour.py gives" in check().stderr
    tour.write_text(tour.read_text(encoding="utf-8") + "\n# %%\nraise SystemExit('the last cell')\n", encoding="utf-8")
    assert "the last cell" in check().stderr


def test_the_notebook_has_the_form_that_viewers_read():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in cells()}) == len(cells())
    for cell in cells():
        assert cell["cell_type"] in ("markdown", "code") and cell["source"]
        if cell["cell_type"] == "code":
            assert isinstance(cell["execution_count"], int) and isinstance(cell["outputs"], list)


def test_it_runs_whole_in_a_kernel():
    nbclient, nbformat = package("nbclient"), package("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    ran = [cell for cell in notebook.cells if cell.cell_type == "code"]
    kept = [cell for cell in cells() if cell["cell_type"] == "code"]
    assert [shown(cell.outputs) for cell in ran] == [shown(cell["outputs"]) for cell in kept]


def test_it_renders():
    nbconvert = package("nbconvert")
    page, _ = nbconvert.HTMLExporter().from_filename(str(NOTEBOOK))
    plain = re.sub(r"<[^>]+>|\s+", "", page)
    for cell in cells():
        for line in text(cell["source"]).splitlines():
            words = re.findall(r"[A-Za-z]{4,}", line)
            assert all(word in plain for word in words), line
    assert page.count("jp-OutputArea-output") >= sum(bool(cell.get("outputs")) for cell in cells())
