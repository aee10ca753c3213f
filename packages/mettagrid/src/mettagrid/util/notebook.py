"""Import a Jupyter notebook as a module."""

import importlib.abc
import importlib.util
import json
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType


class NotebookLoader(importlib.abc.Loader):
    """Runs the code cells of a notebook in order, without lines for the notebook program (`%magic`, `!command`)."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = str(self.path)
        exec(compile(notebook_source(self.path.read_bytes()), str(self.path), "exec"), module.__dict__)


def import_notebook(name: str) -> ModuleType | None:
    """Import `<name>.ipynb` from the import path, once, like any module; return None if there is none."""
    if name in sys.modules:
        return sys.modules[name]
    package, _, last = name.rpartition(".")
    places = sys.path if not package else list(getattr(sys.modules.get(package), "__path__", ()))
    for place in places:
        path = Path(place or ".") / f"{last}.ipynb"
        if path.is_file():
            return _run(name, path.resolve())
    return None


def notebook_source(content: bytes) -> str:
    """Return the code cells of a notebook as one text."""
    try:
        cells = json.loads(content)["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        texts = [source if isinstance(source, str) else "".join(source) for source in sources]
    except (ValueError, KeyError, TypeError) as error:
        raise ImportError(f"The file is not a Jupyter notebook: {error}") from error
    return "\n\n".join(_python_lines(text) for text in texts if not text.lstrip().startswith("%%"))


def _python_lines(cell: str) -> str:
    return "\n".join(_without_magic(line) for line in cell.splitlines())


def _without_magic(line: str) -> str:
    code = line.lstrip()
    # `pass` keeps the block of the line valid.
    return f"{line[: len(line) - len(code)]}pass" if code.startswith(("%", "!")) else line


def _run(name: str, path: Path) -> ModuleType:
    loader = NotebookLoader(path)
    spec = ModuleSpec(name, loader, origin=str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module
