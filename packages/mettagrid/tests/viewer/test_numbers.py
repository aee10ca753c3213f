"""The pages repeat numbers of the engine and of the file format, because they are built without either."""

import re
from pathlib import Path

from mettagrid import _native
from mettagrid.compiler.tables import CONSTANTS
from mettagrid.replay._compact_write import FOOT, HEAD, MAGIC, VERSION
from mettagrid.simulator.interface import EMPTY_LOCATION, GLOBAL_LOCATION

PAGES = Path(__file__).parents[4] / "web" / "src"


def number(file: str, name: str) -> int:
    found = re.search(rf"^(?:export )?const {name} = (0x[0-9a-f]+|\d+);$", (PAGES / file).read_text(), re.MULTILINE)
    assert found is not None, f"{file} has no number {name}"
    return int(found[1], 0)


def test_tokens_of_the_engine() -> None:
    assert number("decode/tokens.ts", "GLOBAL") == GLOBAL_LOCATION == CONSTANTS["global_location"]
    assert number("decode/vision.ts", "FULL_RADIUS") == CONSTANTS["full_radius"]
    assert CONSTANTS["unused_location"] == EMPTY_LOCATION


def test_fields_of_recorded_rows() -> None:
    text = (PAGES / "decode/rows.ts").read_text()
    listed = re.search(r"export const Field = \{(.*?)\}", text, re.DOTALL)
    assert listed is not None
    fields = {name: int(code) for name, code in re.findall(r"(\w+): (\d+),", listed[1])}
    engine = [re.sub(r"_(\w)", lambda letter: letter[1].upper(), name.lower()) for name in _native.record_fields()]
    assert fields == {name: code for code, name in enumerate(engine) if name in fields}
    assert list(fields) == engine[engine.index("alive") :]


def test_the_file_format() -> None:
    assert number("decode/compact.ts", "VERSION") == VERSION
    assert number("decode/compact.ts", "HEAD_BYTES") == HEAD.size
    assert number("decode/compact.ts", "FOOT_BYTES") == FOOT.size
    magic = re.search(r"MAGIC = \[(.*?)\]", (PAGES / "decode/compact.ts").read_text())
    assert magic is not None and bytes(int(byte, 0) for byte in magic[1].split(",")) == MAGIC
