"""docs/python.ipynb is run from beginning to end; skipped where there is no nbclient, ipykernel or matplotlib."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_notebook_runs(tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="the notebook is not run: there is no nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel", reason="the notebook is not run: there is no ipykernel")
    pytest.importorskip("matplotlib", reason="the notebook is not run: there is no matplotlib")
    monkeypatch.setenv("OCCUTUNE_KERNELS", str(ROOT / "kernels"))
    notebook = nbformat.read(ROOT / "docs/python.ipynb", 4)
    nbformat.validate(notebook)
    kept = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    made = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    # The same kinds of output as those that are kept in the file, two pictures among them.
    kinds = [[output.output_type for output in outputs] for outputs in made]
    assert kinds == [[output.output_type for output in outputs] for outputs in kept]
    assert sum("image/png" in output.get("data", {}) for outputs in made for output in outputs) == 2
