"""A model of the wire is defined once: in `softmax.wire`, for clients and the server."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIRE = ROOT / "packages" / "softmax" / "src" / "softmax" / "wire"
SERVER = ROOT / "packages" / "observatory" / "src"
FEW_FIELDS = 3  # two classes with fewer fields may agree by chance


def parsed(text: str) -> list[ast.ClassDef]:
    return [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]


def classes(folder: Path) -> Iterator[ast.ClassDef]:
    for path in sorted(folder.rglob("*.py")):
        yield from parsed(path.read_text())


def fields(node: ast.ClassDef) -> tuple[str, ...]:
    return tuple(
        line.target.id for line in node.body if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    )


def is_subclass_of(node: ast.ClassDef, names: set[str]) -> bool:
    return any(isinstance(base, ast.Name) and base.id in names for base in node.bases)


def twins(wire: Iterable[ast.ClassDef], others: Iterable[ast.ClassDef]) -> list[str]:
    """Return the other classes that have the name or the fields of a model of the wire."""
    names = {node.name for node in wire}
    shapes = {fields(node): node.name for node in wire if len(fields(node)) >= FEW_FIELDS}
    duplicates = []
    for node in others:
        if node.name in names:
            duplicates.append(f"{node.name}: the name of a model in softmax.wire")
        elif fields(node) in shapes and not is_subclass_of(node, names):
            duplicates.append(f"{node.name}: the fields of softmax.wire.{shapes[fields(node)]}")
    return duplicates


def test_no_model_of_the_wire_is_defined_twice() -> None:
    wire = list(classes(WIRE))
    assert len(wire) > 40
    assert not twins(wire, classes(SERVER))


def test_a_duplicate_model_is_reported_by_name_and_by_fields() -> None:
    wire = parsed("class Player(Base):\n    id: int\n    name: str\n    score: float\n")
    others = parsed(
        "class Player:\n    pass\n"
        "class Contestant(Base):\n    id: int\n    name: str\n    score: float\n"
        "class StrictPlayer(Player):\n    id: int\n    name: str\n    score: float\n"
        "class Row(Base):\n    id: int\n    name: str\n"
    )
    assert [line.partition(":")[0] for line in twins(wire, others)] == ["Player", "Contestant"]
