"""Running a tutorial in a kernel, as Jupyter does, to see what its cells print. Needs the extra `notebooks`."""

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
"""for one cell"""

# Commands are run without a terminal, so that they print neither colours nor progress, and one that fails ends the run.
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
    """The cells with what they print when run from the first to the last, in an empty folder."""
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
            manager.transport = "ipc"  # through files in `home`, which nobody else can open
        # Nobody's own settings of IPython, and nothing left behind in them.
        own = {"IPYTHONDIR": home, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
        # What the kernel itself writes (a warning as it shuts down, say) is not the tutorial's output.
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
        replace(cell, outputs=_kept(found["outputs"])) if cell.keeps_outputs else replace(cell, outputs=())
        for cell, found in zip(cells, ran, strict=True)
    ]


def _kept(outputs: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """What was printed, in one piece, and results. What went to stderr is left out: its place among them varies."""
    kept: list[dict[str, Any]] = []
    for output in map(plain_output, outputs):
        if output["output_type"] == "stream":
            if output["name"] != "stdout":
                continue
            if kept and kept[-1]["output_type"] == "stream":
                kept[-1] = plain_output({**output, "text": kept[-1]["text"] + output["text"]})
                continue
        kept.append(output)
    return tuple(kept)
