"""Run a tutorial in a Jupyter kernel and collect the outputs of its cells. Needs the extra `notebooks`."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cogames.docsync.cells import Cell, DocsyncError
from cogames.docsync.notebook import plain_output, write_notebook
from cogames.docsync.scripts import environment

__all__ = ["run_cells"]

SECONDS = 300
"""time limit for one cell"""

# Commands run without a terminal, so they print neither colours nor progress; a failing command ends the run.
_PRELUDE = """\
def _run(command):
    import subprocess
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="")
    if done.returncode:
        raise RuntimeError(f"{command!r} ended with {done.returncode}: {done.stdout.strip()[-300:]}")
get_ipython().system = _run
"""


def run_cells(cells: Sequence[Cell], where: str | Path) -> list[Cell]:
    """Run the cells in order in an empty folder, and return them with their outputs."""
    try:
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    except ImportError as error:
        raise DocsyncError(
            "Running notebooks needs nbclient and ipykernel: pip install 'cogames[notebooks]'."
        ) from error

    prelude = Cell("code", _PRELUDE, directive="hide")
    notebook = nbformat.reads(write_notebook([prelude, *cells]), as_version=4)
    at = 0

    def count(cell_index: int, **more: Any) -> None:
        nonlocal at
        at = cell_index

    with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as home:
        place = {"metadata": {"path": work}}
        client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=place, on_cell_start=count)
        manager = client.create_kernel_manager()
        manager.connection_file = str(Path(home) / "kernel.json")
        if hasattr(socket, "AF_UNIX"):
            manager.transport = "ipc"  # through sockets in `home`, which other users cannot open
        # A temporary IPython folder: the user's settings do not apply, and nothing is left behind in them.
        own = {"IPYTHONDIR": home, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
        # Output of the kernel itself, such as a warning during shutdown, is not output of the tutorial.
        log = Path(home) / "kernel.log"
        with log.open("wb") as stderr:
            try:
                client.execute(env={**environment(), **own}, stderr=stderr)
            except CellExecutionError as error:
                raise DocsyncError(f"{where}, cell {at} fails: {error.ename}: {error.evalue}") from error
            except (CellTimeoutError, DeadKernelError) as error:
                reason = str(error).strip().splitlines()[0]
                last = log.read_text(errors="replace").strip().splitlines()[-1:]
                raise DocsyncError(f"{where}, cell {at} fails: {': '.join([reason, *last])}") from error
    ran = notebook.cells[1:]
    return [
        replace(cell, outputs=_merged(executed["outputs"])) if cell.keeps_outputs else replace(cell, outputs=())
        for cell, executed in zip(cells, ran, strict=True)
    ]


def _merged(outputs: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Join consecutive stdout chunks and drop stderr, whose position among the others varies from run to run."""
    merged: list[dict[str, Any]] = []
    for output in map(plain_output, outputs):
        if output["output_type"] == "stream":
            if output["name"] != "stdout":
                continue
            if merged and merged[-1]["output_type"] == "stream":
                merged[-1] = plain_output({**output, "text": merged[-1]["text"] + output["text"]})
                continue
        merged.append(output)
    return tuple(merged)
