"""The game's classes have the fields, defaults, methods and dependencies that the published package has.

The list is in `shared/spec/cogsguard-surface.md`; long values are cut there and not compared.
"""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support import find_shared

SHARED = find_shared()
FIELD = re.compile(r"^  - `(\w+): (.+?) = (.*)`$")
METHOD = re.compile(r"^  - (?:classmethod |property )?`(\w+)\(")
DEPENDENCIES = re.compile(r"^  - dependencies: Deps\(required=\[(.*?)\], optional=\[(.*?)\]\)$")


def listed(text: str) -> dict[str, list[str]]:
    """Return the lines about each class, by its path."""
    classes: dict[str, list[str]] = {}
    module, lines = "", []
    for line in text.splitlines():
        if line.startswith("### "):
            module, lines = line.removeprefix("### ").strip(), []
        elif line.startswith("- "):
            lines = []
            kind = re.match(r"^- class `(\w+)\(", line)
            if kind:
                classes[f"{module}.{kind[1]}"] = lines
        else:
            lines.append(line)
    return classes


def members(text: str) -> list[tuple[str, str]]:
    """Functions and constants: their module, and the line about them."""
    module, entries = "", []
    for line in text.splitlines():
        if line.startswith("### "):
            module = line.removeprefix("### ").strip()
        elif line.startswith("- `"):
            entries.append((module, line.removeprefix("- `").removesuffix("`")))
    return entries


TEXT = (SHARED / "spec" / "cogsguard-surface.md").read_text() if SHARED else ""
CLASSES = listed(TEXT)


def find(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def names(text: str) -> list[str]:
    return [name for name in text.split(", ") if name]


@pytest.mark.parametrize("path", CLASSES)
def test_a_class_has_the_published_members(path: str, shared_dir: Path) -> None:
    cls = find(path)
    for line in CLASSES[path]:
        if field := FIELD.match(line):
            name, _, default = field.groups()
            assert name in cls.model_fields, f"no field {name!r}"
            info = cls.model_fields[name]
            if default == "required":
                assert info.is_required(), f"{name!r} has a default"
            elif "..." not in default and "..." not in line:
                assert repr(info.get_default(call_default_factory=True)) == default, name
        elif dependencies := DEPENDENCIES.match(line):
            required, optional = map(names, dependencies.groups())
            deps = cls().dependencies()
            assert [kind.__name__ for kind in deps.required] == required
            assert [kind.__name__ for kind in deps.optional] == optional
        elif method := METHOD.match(line):
            assert hasattr(cls, method[1]), f"no method {method[1]!r}"


@pytest.mark.parametrize(("module", "line"), members(TEXT))
def test_a_function_or_constant_matches_the_published_one(module: str, line: str, shared_dir: Path) -> None:
    name = re.match(r"\w+", line)[0]  # type: ignore[index]
    if name == "T":  # a type variable
        return
    ours = find(f"{module}.{name}")
    if line.startswith(f"{name}("):
        listed_names = re.findall(r"(\w+): ", line.rpartition(") -> ")[0])
        assert list(inspect.signature(ours).parameters) == listed_names
    elif "..." not in line and "frozenset" not in line:
        assert line == f"{name} = {ours!r}"
