"""Published import paths of modules that have moved: the README lists them, and each is the real module itself."""

import importlib
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import coworld

PACKAGE = Path(coworld.__path__[0])
README = Path(__file__).parents[2] / "README.md"
PATHS = dict(re.findall(r"^\| `(coworld\.[\w.]+)` \| `(coworld\.[\w.]+)` \|$", README.read_text(), re.MULTILINE))
NOT_MOVED = {"coworld.__init__", "coworld.__main__", "coworld.errors", "coworld.main"}
THIN = '''"""Published import path: the same module object as `{module}`; the README lists these paths."""

import sys

from {module} import *  # noqa: F403

sys.modules[__name__] = sys.modules["{module}"]
'''


def test_the_root_has_the_files_of_the_table_and_nothing_else() -> None:
    files = {f"coworld.{path.stem}" for path in PACKAGE.glob("*.py")}
    assert files == NOT_MOVED | {path for path in PATHS if path.count(".") == 1}


def test_the_import_contracts_name_the_paths_of_the_table() -> None:
    contracts = tomllib.loads((Path(__file__).parents[4] / "pyproject.toml").read_text())["tool"]["importlinter"]
    by_name = {contract["name"]: contract for contract in contracts["contracts"]}
    layers = by_name["the folders of a Coworld import downwards"]
    protected = by_name["only other programs use the published import paths of a Coworld"]
    assert set(layers["exhaustive_ignores"]) == {path.split(".")[1] for path in PATHS}
    assert set(protected["protected_modules"]) == set(PATHS)


@pytest.mark.parametrize("path", PATHS)
def test_a_published_path_is_the_real_module(path: str) -> None:
    module = PATHS[path]
    file = path.removeprefix("coworld.").replace(".", "/")
    assert (PACKAGE / f"{file}.py").read_text() == THIN.format(module=module)
    assert importlib.import_module(path) is importlib.import_module(module)


def test_a_patch_through_the_published_path_reaches_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    from coworld.certification.certify import load_coworld_package

    opened: list[Path] = []
    monkeypatch.setattr("coworld.certifier.load_package", lambda path, **options: opened.append(path))
    load_coworld_package(Path("manifest.json"))
    assert opened == [Path("manifest.json")]


def test_pickles_with_published_paths_are_readable() -> None:
    from coworld.models import CoworldTextDoc

    assert pickle.loads(b"ccoworld.types\nCoworldTextDoc\n.") is CoworldTextDoc


def test_every_way_to_import_a_published_path_works_in_a_fresh_interpreter() -> None:
    lines = ["import sys", *(f"import {path}" for path in PATHS)]
    lines += [f"assert {path}.__name__ == {module!r}, {path}" for path, module in PATHS.items()]
    lines += [
        "from coworld import certifier, types",
        "from coworld.play import PlaySession",
        "import coworld.report as r",
    ]
    lines += ["assert types is sys.modules['coworld.models'] and PlaySession.__module__ == 'coworld.runner.play'"]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)
