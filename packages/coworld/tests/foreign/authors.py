"""Worlds as authors elsewhere write them: their own packages, whatever the names, and their own interpreters."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import websockets

from coworld.templates import write_template

MARKER = "written by another author"


def _server(folder: Path) -> str:
    """The template's game, which also says in its results whose code has run."""
    text = (folder / "game_server.py").read_text()
    wanted = '"rounds": len(server.game.played)}'
    assert wanted in text
    return text.replace(wanted, wanted[:-1] + ', "marker": MARKER}')


def _change(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "coworld_manifest.json"
    manifest = json.loads(path.read_text())
    properties = manifest["game"]["results_schema"]["properties"]
    properties["marker"] = {"const": MARKER}
    manifest["game"]["results_schema"]["required"].append("marker")
    change(manifest)
    path.write_text(json.dumps(manifest))


def _map(folder: Path, **entry: Any) -> None:
    document = json.loads((folder / "coworld_local.json").read_text())
    (image,) = document["images"]
    document["images"][image] = {"root": ".", **entry}
    (folder / "coworld_local.json").write_text(json.dumps(document))


def package_named(name: str) -> Callable[[Path], Path]:
    """A game in a package with the name of one of ours; its server is the file that is returned."""

    def write(folder: Path) -> Path:
        write_template("game", folder, name="theirs")
        package = folder / name
        package.mkdir()
        (package / "__init__.py").write_text(f"MARKER = {MARKER!r}\n")
        server = package / "server.py"
        server.write_text(f"from {name} import MARKER\n{_server(folder)}")
        (folder / "game_server.py").unlink()
        shutil.copy(folder / "page.html", package)

        def run(manifest: dict[str, Any]) -> None:
            manifest["game"]["runnable"]["run"] = ["python", "-m", f"{name}.server"]

        _change(folder, run)
        _map(folder, argv=["python", "-m", f"{name}.server"])
        return server

    return write


def own_venv(folder: Path) -> Path:
    """A game with a virtual environment in its folder, in which alone the marker is installed."""
    write_template("game", folder, name="theirs")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    (site,) = (folder / ".venv").glob("lib/python*/site-packages")
    shutil.copytree(Path(websockets.__file__).parent, site / "websockets")
    (site / "installed_by_author.py").write_text(f"MARKER = {MARKER!r}\n")
    server = folder / "game_server.py"
    server.write_text(f"from installed_by_author import MARKER\n{_server(folder)}")
    _change(folder, lambda manifest: None)
    return server


REPORTER = """
import io, json, os, zipfile
from pathlib import Path
from urllib.parse import urlsplit

request = json.loads(os.environ["COGAME_REPORT_REQUEST"])
(episode,) = request["episodes"]
path = lambda uri: Path(urlsplit(uri).path)
results = json.loads(path(episode["artifacts"]["results"]["uri"]).read_bytes())
assert path(episode["artifacts"]["replay"]["uri"]).stat().st_size > 0
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w") as archive:
    archive.writestr("manifest.json", json.dumps({"reporter_id": "theirs", "render": "report.md"}))
    archive.writestr("report.md", f"{episode['status']}: {results['marker']}, scores {results['scores']}")
path(request["report_uri"]).write_bytes(buffer.getvalue())
"""


def generation_0_1_26(folder: Path) -> Path:
    """A world of the 0.1.26 contract: no tags, a container reporter that reads a request, sections left empty."""
    server = own_marker(folder)
    (folder / "reporter.py").write_text(REPORTER)

    def change(manifest: dict[str, Any]) -> None:
        del manifest["tags"]
        for section in ("grader", "diagnoser", "optimizer"):
            manifest[section] = []
        manifest["reporter"] = [
            {
                "type": "reporter",
                "id": "theirs",
                "name": "Their reporter",
                "description": "Tells the scores.",
                "image": manifest["game"]["runnable"]["image"],
                "run": ["python", "reporter.py"],
                "purpose": "narrative",
                "output_format": "text/markdown",
            }
        ]

    _change(folder, change)
    return server


def guide_without_readme(folder: Path) -> Path:
    """A world of the guide: all roles, pages with the rules and how to play, and no readme."""
    server = own_marker(folder)
    _change(folder, lambda manifest: manifest["game"]["docs"].pop("readme"))
    return server


def own_marker(folder: Path) -> Path:
    write_template("game", folder, name="theirs")
    server = folder / "game_server.py"
    server.write_text(f"MARKER = {MARKER!r}\n{_server(folder)}")
    return server


WORLDS: dict[str, Callable[[Path], Path]] = {
    "coworld": package_named("coworld"),
    "mettagrid": package_named("mettagrid"),
    "venv": own_venv,
    "0.1.26": generation_0_1_26,
    "guide": guide_without_readme,
}
