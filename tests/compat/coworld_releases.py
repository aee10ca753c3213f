"""What the comparisons of published Coworld releases share: where a release is installed, and its manifest today."""

import json
import subprocess
from pathlib import Path
from typing import Any

CONFIG = {"width": 12, "height": 8, "max_ticks": 20, "tick_rate": 10}
PLAYED = 5
"""tiles that a player has painted at least who has really moved; how many exactly depends on how busy the machine is"""

FIND = """
import json, sys, importlib.util, importlib.metadata
spec = importlib.util.find_spec("coworld")
print(json.dumps({"folder": spec.submodule_search_locations[0], "version": importlib.metadata.version("coworld")}))
"""


def installed(python: Path) -> tuple[str, Path]:
    """Return the version of `coworld` that an interpreter has, and the folder of its Paint Arena."""
    answer = subprocess.run([python, "-I", "-c", FIND], capture_output=True, text=True, check=True)
    install = json.loads(answer.stdout)
    return install["version"], Path(install["folder"]) / "examples" / "paintarena"


def published_manifest(example: Path) -> dict[str, Any]:
    """Return the manifest of a release's Paint Arena, or its template in releases that have one."""
    names = ("coworld_manifest_template.json", "coworld_manifest.json")
    document: dict[str, Any] = json.loads(
        next((example / name).read_text() for name in names if (example / name).is_file())
    )
    return document


def bring_up_to_date(document: dict[str, Any]) -> list[str]:
    """Add what certification asks for today and did not when the release was made; return the names of that."""
    added = []
    if "tags" not in document:
        document["tags"] = ["paint", "arena", "example"]
        added.append("tags")
    if "docs" not in document["game"]:
        document["game"]["docs"] = {"readme": {"type": "text", "value": "Paint tiles."}}
        added.append("docs")
    for name, text in document["game"]["protocols"].items():
        if name != "engine_runtime" and isinstance(text, str):
            document["game"]["protocols"][name] = {"type": "text", "value": text}
            added.append(f"protocols.{name} as a document")
    if any("image" in entry for entry in document.get("reporter", [])):
        del document["reporter"]
        added.append("no container reporters")
    return added
