"""`cogames docsync`: keep script, notebook and page of each tutorial in sync."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from softmax.cli.errors import fail
from softmax.cli.output import note
from softmax.cli.program import Entry, examples

PANEL = "Docsync"
COMMANDS = [
    Entry("all", "cogames.commands.docsync:make_all", "Make notebooks and pages from the scripts.", PANEL),
    Entry("check", "cogames.commands.docsync:check", "Find notebooks and pages that are stale.", PANEL),
    Entry("py-to-nb", "cogames.commands.docsync:script_to_notebook", "Make a notebook from its script.", PANEL),
    Entry("nb-to-md", "cogames.commands.docsync:notebook_to_page", "Make a page from its notebook.", PANEL),
    Entry("nb-to-py", "cogames.commands.docsync:notebook_to_script", "Write a changed notebook to its script.", PANEL),
]

Folder = Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where the tutorials are.")]
Script = Annotated[Path, typer.Argument(metavar="FILE.py", help="Script of a tutorial.")]
Notebook = Annotated[Path, typer.Argument(metavar="FILE.ipynb", help="Notebook of a tutorial.")]
SkipRerun = Annotated[bool, typer.Option("--skip-rerun", help="Reuse saved outputs; run nothing.")]
Repository = Annotated[
    str | None, typer.Option("--repository", metavar="OWNER/NAME", help="On GitHub, for <<colab-link>> in texts.")
]
TUTORIALS = Path("docs/tutorials")


@examples("cogames docsync all", "cogames docsync all docs/tutorials --skip-rerun")
def make_all(folder: Folder = TUTORIALS, skip_rerun: SkipRerun = False, repository: Repository = None) -> None:
    """Make notebooks and pages from the scripts.

    Runs every notebook from top to bottom in an empty folder and saves its outputs. A directive in the first line of a
    cell hides or folds parts of it in the page: # <<hide>>, # <<hide-input>>, # <<hide-output>>,
    # <<collapse-input>>, # <<collapse-output>>.
    """
    from cogames.docsync import find_tutorials

    tutorials = find_tutorials(_folder(folder), repository)
    _tell([path for tutorial in tutorials for path in tutorial.make(rerun=not skip_rerun)])


@examples("cogames docsync check", "cogames docsync check --skip-rerun")
def check(folder: Folder = TUTORIALS, skip_rerun: SkipRerun = False, repository: Repository = None) -> None:
    """Find notebooks and pages that are stale.

    Runs the notebooks unless --skip-rerun is given, and changes nothing. The exit code is 1 if anything is stale.
    """
    from cogames.docsync import find_tutorials

    tutorials = find_tutorials(_folder(folder), repository)
    stale = [path for tutorial in tutorials for path in tutorial.stale(rerun=not skip_rerun)]
    if stale:
        names = ", ".join(map(_display_path, stale))
        subject = f"{names} is" if len(stale) == 1 else f"{names} are"
        fail(f"{subject} stale", "cogames docsync all", "cogames docsync nb-to-py FILE.ipynb")
    print(f"{len(tutorials)} tutorials are in sync")


@examples("cogames docsync py-to-nb docs/tutorials/write_policy.py")
def script_to_notebook(file: Script, skip_rerun: SkipRerun = False) -> None:
    """Make a notebook from its script."""
    from cogames.docsync import Tutorial

    _tell(Tutorial(_file(file, ".py")).make_notebook(rerun=not skip_rerun))


@examples("cogames docsync nb-to-md docs/tutorials/write_policy.ipynb --skip-rerun")
def notebook_to_page(file: Notebook, skip_rerun: SkipRerun = False, repository: Repository = None) -> None:
    """Make a page from its notebook.

    Runs the notebook first unless --skip-rerun is given.
    """
    from cogames.docsync import Tutorial

    _tell(Tutorial(_file(file, ".ipynb").with_suffix(".py"), repository).make_page(rerun=not skip_rerun))


@examples("cogames docsync nb-to-py docs/tutorials/write_policy.ipynb")
def notebook_to_script(file: Notebook) -> None:
    """Write a changed notebook to its script."""
    from cogames.docsync import Tutorial

    _tell(Tutorial(_file(file, ".ipynb").with_suffix(".py")).make_script())


def _folder(path: Path) -> Path:
    if not path.is_dir():
        fail(f"Folder not found: {path}", "run this in the root of the repository, or pass the folder")
    return path


def _file(path: Path, suffix: str) -> Path:
    if path.suffix != suffix:
        fail(f"{path} must end in {suffix}")
    if not path.is_file():
        fail(f"File not found: {path}")
    return path


def _tell(changed: list[Path]) -> None:
    for path in changed:
        print(f"Wrote {_display_path(path)}")
    if not changed:
        note("No changes")


def _display_path(path: Path) -> str:
    """Return the path relative to the working folder if it is inside it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
