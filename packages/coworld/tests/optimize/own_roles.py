"""A Coworld whose author wrote every role: each output says whose program has written it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from coworld.templates import write_template

COMMON = """
import io, json, os, sys, zipfile
from pathlib import Path
from urllib.parse import urlsplit

def at(name):
    return Path(urlsplit(os.environ[name]).path)

def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return buffer.getvalue()
"""

REPORTER = """
from common import *
assert at("COGAME_EPISODE_BUNDLE_URI").stat().st_size > 0
page = "<p>written by the author's reporter</p>"
at("COGAME_REPORT_URI").write_bytes(zipped(manifest__json='{"render": "page.html"}', page__html=page))
"""

GRADER = """
from common import *
at("COGAME_GRADE_URI").write_text(json.dumps({"score": 0.875, "grader_id": os.environ["COGAME_GRADER_ID"]}))
"""

BROKEN_GRADER = """
print("the ruler is missing")
raise SystemExit(3)
"""

DIAGNOSER = """
from common import *
text = "about " + os.environ["COGAME_TARGET_POLICY_URI"]
at("COGAME_DIAGNOSIS_URI").write_bytes(zipped(manifest__json='{"render": "page.md"}', page__md=text))
"""

OPTIMIZER = """
from common import *
inputs = {
    name: [urlsplit(uri).path for uri in os.environ[name].split(",") if uri]
    for name in ("COGAME_REPORT_URIS", "COGAME_GRADER_OUTPUT_URIS", "COGAME_DIAGNOSER_OUTPUT_URIS")
}
grades = [json.loads(Path(path).read_text()) for path in inputs["COGAME_GRADER_OUTPUT_URIS"]]
player = at("COGAME_POLICY_WORKSPACE_URI") / "player.py"
text = player.read_text()
start, end = text.index("def choose"), text.index("def main")
walk = 'def choose(state: dict) -> str:\\n    return "right" if state["slot"] == 0 else "left"\\n\\n\\n'
player.write_text(text[:start] + walk + text[end:])
plan = {
    "optimizer_id": os.environ["COGAME_OPTIMIZER_ID"],
    "game": json.loads(at("COWORLD_MANIFEST_URI").read_text())["game"]["name"],
    "counts": {name: len(paths) for name, paths in inputs.items()},
    "scores": [grade["score"] for grade in grades],
    "recommendations": ["MARKER: walk along the first row"],
}
at("COGAME_OPTIMIZER_OUTPUT_URI").write_text(json.dumps(plan))
"""

PROGRAMS = {
    "common": COMMON,
    "reporter": REPORTER,
    "grader": GRADER,
    "broken_grader": BROKEN_GRADER,
    "diagnoser": DIAGNOSER,
    "optimizer": OPTIMIZER.replace("MARKER", "the author's optimizer"),
}
IMAGE = "author/roles:1"
QUICK = ["--variant", "quick-small", "-n", "1", "--pairs", "2", "--no-open-browser"]


def write_player(folder: Path) -> Path:
    """A player that never moves, and Paint Arena's manifest beside it."""
    write_template("python", folder, name="mine")
    player = folder / "player.py"
    text = player.read_text()
    start, end = text.index("def choose"), text.index("def main")
    player.write_text(text[:start] + 'def choose(state: dict) -> str:\n    return "stay"\n\n\n' + text[end:])
    return folder


def write_optimizer(folder: Path, marker: str) -> Path:
    """An optimizer in its own folder, which a Dockerfile describes."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "common.py").write_text(COMMON)
    (folder / "optimizer.py").write_text(OPTIMIZER.replace("MARKER", marker))
    lines = ["FROM python:3.11-slim", "WORKDIR /app", "COPY . .", 'CMD ["python", "optimizer.py"]']
    (folder / "Dockerfile").write_text("\n".join(lines) + "\n")
    return folder


def write_world(folder: Path) -> tuple[Path, Path]:
    """(manifest, player's folder) of a Coworld with its author's own roles; one of its two graders is broken."""
    player = write_player(folder / "player")
    roles = folder / "roles"
    roles.mkdir()
    for name, text in PROGRAMS.items():
        (roles / f"{name}.py").write_text(text)
    manifest = json.loads((player / "coworld_manifest.json").read_text())
    manifest["reporter"] = [_entry("reporter", "reporter")]
    manifest["grader"] = [_entry("grader", "broken_grader"), _entry("grader", "grader")]
    manifest["diagnoser"] = [_entry("diagnoser", "diagnoser")]
    manifest["optimizer"] = [_entry("optimizer", "optimizer")]
    path = folder / "coworld_manifest.json"
    path.write_text(json.dumps(manifest))
    images = {IMAGE: {"root": "roles"}, "mine:latest": {"root": "player", "argv": ["python", "player.py"]}}
    (folder / "coworld_local.json").write_text(json.dumps({"images": images}))
    return path, player


def _entry(role: str, name: str) -> dict[str, Any]:
    text = {"id": f"their-{name}", "name": name, "description": "Written by the author."}
    return {"type": role, **text, "image": IMAGE, "run": ["python", f"{name}.py"]}
