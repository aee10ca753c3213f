"""Draw the maps that are stored as files: `python -m cogsguard.maps.write` writes them into the package."""

from pathlib import Path

from cogsguard.maps.canvas import LEGEND
from cogsguard.maps.catalogue import DRAWINGS
from mettagrid.map_builder.ascii import AsciiMapBuilder

FOLDER = Path(__file__).parent


def as_yaml(text: str) -> str:
    """Return a drawn map in the format of map files."""
    used = [char for char in LEGEND if char in text]
    lines = [
        f"type: {AsciiMapBuilder.Config.__module__}.AsciiMapBuilder.Config",
        "map_data: |-",
        *(f"  {line}" for line in text.splitlines()),
        "char_to_map_name:",
        *(f'  "{char}": "{LEGEND[char]}"' for char in used),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    for name, draw in DRAWINGS.items():
        path = FOLDER / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(as_yaml(draw().text()), encoding="utf-8")


if __name__ == "__main__":
    main()
