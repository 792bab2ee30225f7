"""The notebooks run, and the examples of the guide give the output that it shows."""

import doctest
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

FOLDER = Path(__file__).parents[1] / "notebooks"
GUIDE = Path(__file__).parents[2] / "docs" / "python.md"


@pytest.mark.parametrize("name", ["balance", "opening", "agent"])
def test_notebook_runs(name, tmp_path):
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    results = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert len(results) >= 4
    if name == "opening":
        assert any("<svg" in "".join(result.get("data", {}).get("image/svg+xml", ""))
                   for result in results)


def test_examples_of_the_guide():
    failed, tried = doctest.testfile(str(GUIDE), module_relative=False)
    assert tried > 10 and failed == 0
