"""docs/python.ipynb is what examples/tour.py gives, and a notebook. tour.py is run here."""
import json
import os
import subprocess
import sys

from conftest import ROOT


def test_the_notebook_is_what_the_tour_gives():
    done = subprocess.run([sys.executable, ROOT / "scripts/make_notebook", "--check"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_notebook_has_the_form_that_viewers_read():
    cells = json.loads((ROOT / "docs/python.ipynb").read_text(encoding="utf-8"))
    assert (cells["nbformat"], cells["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in cells["cells"]}) == len(cells["cells"])
    for cell in cells["cells"]:
        assert cell["cell_type"] in ("markdown", "code") and cell["source"]
        if cell["cell_type"] == "code":
            assert isinstance(cell["execution_count"], int) and isinstance(cell["outputs"], list)
