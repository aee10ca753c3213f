"""Starting points for games, players and roles. Each one plays and certifies without changes.

    write_template("python", Path("my-player"))     # a player; also "typescript" and "cpp"
    write_template("game", Path("my-game"))         # or another role

A folder made from a template is a whole Coworld: beside the program there are `coworld_manifest.json` (Paint Arena with
the new part in it, or the new game) and `coworld_local.json`, which says how its image is run on this machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coworld.errors import CoworldError

__all__ = ["TEMPLATES", "Template", "TemplateError", "write_template"]

_HERE = Path(__file__).parent
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class TemplateError(CoworldError):
    """The template does not exist, or cannot be written there."""


@dataclass(frozen=True)
class Template:
    """One starting point."""

    role: str
    """the section of the manifest it belongs to"""
    folders: tuple[str, ...]
    summary: str
    build: str | None = None
    """the command to run after every change, where one is needed"""


TEMPLATES: Mapping[str, Template] = {
    "python": Template("player", ("players/python", "players/common"), "a player in Python"),
    "typescript": Template(
        "player", ("players/typescript", "players/common"), "a player in TypeScript", "npm install && npm run build"
    ),
    "cpp": Template("player", ("players/cpp", "players/common"), "a player in C++", "make"),
    "game": Template("game", ("roles/game",), "a game of two seats in Python, with its player and its pages"),
    "commissioner": Template("commissioner", ("roles/commissioner",), "a league's scheduler and ranking, in Python"),
    "reporter": Template("reporter", ("roles/reporter",), "a page about one episode, in Python"),
    "grader": Template("grader", ("roles/grader",), "one number for one episode, in Python"),
    "diagnoser": Template("diagnoser", ("roles/diagnoser",), "advice for one policy after an episode, in Python"),
    "optimizer": Template("optimizer", ("roles/optimizer",), "a plan from reports, grades and diagnoses, in Python"),
}


def write_template(template: str, directory: Path, *, name: str | None = None) -> list[Path]:
    """Write a template into a folder that is missing or empty, and return the files.

    `name` is what the new part is called in the manifest and in the name of its image; by default the folder's name.

    Raises:
        TemplateError: no such template, a name that cannot be part of an image's name, or a folder with files in it.
    """
    if template not in TEMPLATES:
        raise TemplateError(f"there is no template {template!r}", hint=f"it is one of {', '.join(TEMPLATES)}")
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise TemplateError(f"{directory} is not empty", hint="name a folder that is missing or empty")
    name = name if name is not None else _name_from(directory)
    if not _NAME.fullmatch(name):
        raise TemplateError(
            f"{name!r} cannot be part of an image's name", hint="use small letters, digits, `-` and `_`, up to 64"
        )
    chosen = TEMPLATES[template]
    contents: dict[str, str] = {}
    for folder in chosen.folders:
        for path in sorted((_HERE / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                contents[path.relative_to(_HERE / folder).as_posix()] = path.read_text().replace("{{NAME}}", name)
    if "coworld_manifest.json" not in contents:
        contents["coworld_manifest.json"] = (
            json.dumps(_manifest(chosen.role, name), indent=2, ensure_ascii=False) + "\n"
        )
    contents[".coworld-project"] = f"{chosen.role}\n"
    files = [directory / relative for relative in contents]
    for path, text in zip(files, contents.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return files


def _manifest(role: str, name: str) -> dict[str, Any]:
    """Return Paint Arena's manifest with one part replaced by the new one."""
    from coworld.examples.paintarena.build import config, manifest

    document: dict[str, Any] = deepcopy(manifest())
    entry = {
        "id": name,
        "type": role,
        "name": name,
        "description": f"Made from the {role} template.",
        "image": f"{name}:latest",
    }
    document["certification"]["game_config"] = config(12, 8, 30, 30)
    if role == "player":
        document["player"].insert(0, entry)
        document["certification"]["players"][0] = {"player_id": name}
        for part in (*document["variants"], document["certification"]):
            part["game_config"]["players"] = [{"name": name}, {"name": "Sweep"}]
    else:
        document[role] = [entry]
    return document


def _name_from(directory: Path) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", directory.resolve().name.lower()).strip("-_") or "mine"
