"""Write the files of a tutorial, and find stale ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cogames.docsync.cells import Cell, DocsyncError
from cogames.docsync.markdown import COLAB_LINK, write_markdown
from cogames.docsync.notebook import read_notebook, write_notebook
from cogames.docsync.percent import is_tutorial, read_script, write_script

__all__ = ["Tutorial", "find_tutorials"]

_PICTURE = re.compile(r"!\[[^\]]*\]\((?!\w+:)[^)]*\)\n*")
_LINK = re.compile(r"\[(?P<words>[^\]]*)\]\((?!\w+:)[^)]*\)")
DOCUMENTS = Path("packages/cogames/src/cogames/docs")
"""folder in the same repository with copies of the pages for `cogames docs`"""


@dataclass(frozen=True)
class Tutorial:
    """A script and the files generated from it. `repository` (OWNER/NAME on GitHub) is for links to Colab."""

    script: Path
    repository: str | None = None

    @property
    def notebook(self) -> Path:
        return self.script.with_suffix(".ipynb")

    @property
    def page(self) -> Path:
        return self.script.with_suffix(".md")

    @property
    def document(self) -> Path | None:
        """Return the path of the page's copy in the package; None outside this repository."""
        root = _repository_root(self.script)
        return root / DOCUMENTS / self.page.name if root is not None and (root / DOCUMENTS).is_dir() else None

    def make(self, *, rerun: bool = True) -> list[Path]:
        """Write notebook and page from the script; return the changed files."""
        return [*self.make_notebook(rerun=rerun), *self.make_page(rerun=False)]

    def make_notebook(self, *, rerun: bool = True) -> list[Path]:
        """Write the notebook from the script. Without `rerun`, unchanged cells keep their outputs."""
        cells = read_script(_read(self.script), self.script)
        return _write(self.notebook, write_notebook(self._with_outputs(cells, rerun)))

    def make_page(self, *, rerun: bool = True) -> list[Path]:
        """Write the page from the notebook; with `rerun`, run the notebook first."""
        cells = read_notebook(_read(self.notebook), self.notebook)
        changed = []
        if rerun:
            cells = self._with_outputs(cells, rerun)
            changed += _write(self.notebook, write_notebook(cells))
        pages = self._pages(cells)
        return [*changed, *(path for page, text in pages.items() for path in _write(page, text))]

    def make_script(self) -> list[Path]:
        """Write the script from the notebook, unless it already has the same cells."""
        cells = read_notebook(_read(self.notebook), self.notebook)
        if self.script.exists() and read_script(_read(self.script), self.script) == cells:
            return []
        return _write(self.script, write_script(cells))

    def stale(self, *, rerun: bool = True) -> list[Path]:
        """Return the files that differ from what the script generates.

        With `rerun` this runs the script. Without, pages are checked only if the notebook has the cells of the script.
        """
        cells = read_script(_read(self.script), self.script)
        if not rerun and self.notebook.exists() and read_notebook(_read(self.notebook), self.notebook) != cells:
            return [self.notebook]
        notebook = write_notebook(self._with_outputs(cells, rerun))
        expected = {self.notebook: notebook, **self._pages(read_notebook(notebook))}
        return [path for path, text in expected.items() if not path.exists() or _read(path) != text]

    def _with_outputs(self, cells: Sequence[Cell], rerun: bool) -> list[Cell]:
        if rerun:
            from cogames.docsync.running import run_cells

            return run_cells(cells, self.script)
        before = read_notebook(_read(self.notebook), self.notebook) if self.notebook.exists() else []
        printed: dict[Cell, list[tuple[dict[str, Any], ...]]] = {}  # several cells may have the same source
        for cell in before:
            printed.setdefault(cell, []).append(cell.outputs)
        return [replace(cell, outputs=printed[cell].pop(0) if printed.get(cell) else ()) for cell in cells]

    def _pages(self, cells: Sequence[Cell]) -> dict[Path, str]:
        """Return the text of each page."""
        link = None
        if any(cell.kind == "text" and COLAB_LINK in cell.source for cell in cells):
            link = self._colab_link()
        pages = {self.page: write_markdown(cells, colab_link=link)}
        if self.document is not None:
            # `cogames docs` prints this copy in a terminal, where links to other files do not work.
            texts = [
                replace(cell, source=_without_links(cell.source)) if cell.kind == "text" else cell for cell in cells
            ]
            pages[self.document] = write_markdown(texts, colab_link=link)
        return pages

    def _colab_link(self) -> str:
        root = _repository_root(self.script)
        if self.repository is None or root is None:
            raise DocsyncError(
                f"{self.notebook} contains {COLAB_LINK}; pass its GitHub repository with --repository OWNER/NAME."
            )
        place = self.notebook.resolve().relative_to(root).as_posix()
        return f"https://colab.research.google.com/github/{self.repository}/blob/main/{place}"


def find_tutorials(folder: Path, repository: str | None = None) -> list[Tutorial]:
    """Return the tutorials of a folder, sorted by name; raise `DocsyncError` if there are none."""
    scripts = [path for path in sorted(folder.glob("*.py")) if is_tutorial(_read(path))]
    if not scripts:
        raise DocsyncError(f"{folder} has no tutorials; they are Python files with `# %% [markdown]` cells.")
    return [Tutorial(script, repository) for script in scripts]


def _without_links(text: str) -> str:
    """Return Markdown without images, and with links to other files replaced by their text."""
    return _LINK.sub(r"\g<words>", _PICTURE.sub("", text)).strip("\n")


def _repository_root(path: Path) -> Path | None:
    return next((folder for folder in path.resolve().parents if (folder / ".git").exists()), None)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DocsyncError(f"{path} is not UTF-8 text.") from None


def _write(path: Path, text: str) -> list[Path]:
    if path.exists() and _read(path) == text:
        return []
    path.write_text(text, encoding="utf-8")
    return [path]
