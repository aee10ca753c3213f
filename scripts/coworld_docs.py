"""Copy the documents about Coworlds into the package that prints them (`coworld docs`).

usage: python scripts/coworld_docs.py [check]     check: report stale files, and change nothing
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "docs" / "coworld"
TARGET = ROOT / "packages" / "coworld" / "src" / "coworld" / "docs"


def stale() -> dict[Path, str | None]:
    """Return stale files of the package with their current text; None for files to delete."""
    expected = {TARGET / path.name: path.read_text(encoding="utf-8") for path in sorted(SOURCE.glob("*.md"))}
    existing = {path: path.read_text(encoding="utf-8") for path in TARGET.glob("*.md")}
    changed: dict[Path, str | None] = {path: text for path, text in expected.items() if existing.get(path) != text}
    return changed | {path: None for path in existing if path not in expected}


def main(words: list[str]) -> int:
    changed = stale()
    for path, text in changed.items():
        if words == ["check"]:
            print(f"{path.relative_to(ROOT)} is stale: run scripts/coworld_docs.py", file=sys.stderr)
        elif text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return int(words == ["check"] and bool(changed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
