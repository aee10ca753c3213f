"""`observatory admin season`, `match` and `recompute`."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from observatory.cli.admin import admin_calls, show
from observatory.cli.options import Json
from softmax.cli.errors import fail
from softmax.cli.output import table
from softmax.cli.program import Entry

__all__ = ["MATCHES", "SEASONS", "recompute"]

PATH = "/observatory/api/admin/seasons"
SEASONS = [
    Entry("list", "observatory.cli.seasons:list_seasons", "List seasons, including private ones."),
    Entry("show", "observatory.cli.seasons:show_season", "Show the state of a season."),
    Entry("create", "observatory.cli.seasons:create_season", "Create a season from YAML."),
    Entry("edit", "observatory.cli.seasons:edit_season", "Change a season."),
    Entry("export", "observatory.cli.seasons:export_season", "Print a season as YAML."),
    Entry("start", "observatory.cli.seasons:start_season", "Start a team season."),
    Entry("roll", "observatory.cli.seasons:roll_season", "End a version and start the next."),
    Entry("close", "observatory.cli.seasons:close_season", "Stop accepting policies and scheduling matches."),
    Entry("open", "observatory.cli.seasons:open_season", "Reopen a closed season."),
]
MATCHES = [Entry("again", "observatory.cli.seasons:play_again", "Replay a failed match.")]


def _reference(text: str) -> str:
    """Return a name that can be one part of a URL path."""
    if not text.strip(".") or "/" in text or not text.isprintable():
        raise typer.BadParameter(f"{text!r} is not the name of a season.")
    return text


Name = Annotated[str, typer.Argument(metavar="SEASON", help="NAME, or NAME:v3 for one version.", callback=_reference)]


def list_seasons(
    every: Annotated[bool, typer.Option("--all", help="Also versions that have ended.")] = False, as_json: Json = False
) -> None:
    """Seasons, also those that are not public."""
    with admin_calls() as client:
        seasons = [season for season in client.call("GET", PATH) if every or season["canonical"]]
    rows = [
        [
            season["name"],
            f"v{season['version']}",
            season["tournament_type"],
            "closed" if season["disabled_at"] else season["status"],
            "" if season["public"] else "private",
            "default" if season["is_default"] else "",
        ]
        for season in seasons
    ]
    show(seasons, as_json, table(["Name", "Version", "Type", "Status", "Visibility", "Default"], rows))


def show_season(season: Name, as_json: Json = False) -> None:
    """How a season stands: its pools, and for a team season its stages. `export` prints it as YAML."""
    with admin_calls() as client:
        detail = client.call("GET", f"/tournament/seasons/{quote(season)}")
        stages = client.call("GET", f"/tournament/seasons/{quote(season)}/stages")
    lines = [
        f"{detail['display_name']} ({detail['name']}, version {detail['version']})",
        f"{detail['tournament_type']}, {detail['status']}, {'public' if detail['public'] else 'private'}",
        f"{detail['entrant_count']} policies, {detail['match_count']} matches",
    ]
    if detail["seed"] is not None:
        lines.append(f"seed {detail['seed']}")
    rows = [[stage["name"], stage["policy_count"], stage["match_count"]] for stage in stages]
    if rows:
        lines += ["", table(["Stage", "Policies", "Matches"], rows, right=[1, 2])]
    show({**detail, "stages": stages}, as_json, "\n".join(lines))


def create_season(
    file: Annotated[Path, typer.Argument(help="The season as YAML.")],
    check: Annotated[bool, typer.Option("--check", help="Only say whether it is good.")] = False,
    as_json: Json = False,
) -> None:
    """Make a season."""
    text = _read(file)
    with admin_calls() as client:
        if check:
            _print_check(client.call("POST", f"{PATH}/check", {"yaml": text}), as_json)
            return
        outcome = client.call("POST", PATH, {"yaml": text})
    show(outcome, as_json, outcome["sentence"])


def edit_season(
    season: Name,
    file: Annotated[Path | None, typer.Argument(help="The season as YAML; by default $EDITOR opens it.")] = None,
    as_json: Json = False,
) -> None:
    """Change a season. Texts change in place; another way of playing makes a new version, and says so."""
    with admin_calls() as client:
        path = f"{PATH}/{quote(season)}/yaml"
        text = _read(file) if file is not None else _edited(client.call("GET", path)["yaml"])
        changed = client.call("PUT", path, {"yaml": text})
    show(changed, as_json, changed["sentence"])


def export_season(
    season: Name, output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None
) -> None:
    """Print a season as YAML, which `create` and `edit` take."""
    with admin_calls() as client:
        text = client.call("GET", f"{PATH}/{quote(season)}/yaml")["yaml"]
    if output is None:
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    else:
        output.write_text(text, encoding="utf-8")


def start_season(season: Name, as_json: Json = False) -> None:
    """Begin a team season."""
    _do(season, "start", as_json)


def roll_season(season: Name, as_json: Json = False) -> None:
    """Make the next version, with fresh pools and a fresh hidden seed; the one before it has ended."""
    _do(season, "roll", as_json)


def close_season(
    season: Name,
    final: Annotated[bool, typer.Option("--final", help="End it for good, and tell its seeds.")] = False,
    as_json: Json = False,
) -> None:
    """Take no more policies and make no more matches."""
    _do(season, "close", as_json, {"final": final})


def open_season(season: Name, as_json: Json = False) -> None:
    """Reopen a closed season."""
    _do(season, "open", as_json)


def play_again(match_id: Annotated[str, typer.Argument(help="Id of the match.")], as_json: Json = False) -> None:
    """Play a match again that has failed: the same game with the same policies."""
    with admin_calls() as client:
        outcome = client.call("POST", f"/observatory/api/admin/matches/{quote(match_id)}/again")
    show(outcome, as_json, outcome["sentence"])


def recompute(
    season: Annotated[str | None, typer.Argument(metavar="[SEASON]", help="By default all seasons.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Fold the stored results again and compare everything that was decided.

    Without --check scores that are wrong are put right. The exit status is 1 when something was found.
    """
    with admin_calls() as client:
        body = {"season": season, "check": check}
        report = client.call("POST", "/observatory/api/admin/recompute", body, timeout=3600)
    lines = [f"{finding['season']}: {finding['sentence']}" for finding in report["findings"]]
    show(report, as_json, "\n".join([*lines, report["sentence"]]))
    raise typer.Exit(1 if report["findings"] else 0)


def _do(season: str, verb: str, as_json: bool, body: Any = None) -> None:
    with admin_calls() as client:
        changed = client.call("POST", f"{PATH}/{quote(season)}/{verb}", body)
    show(changed, as_json, changed["sentence"])


def _print_check(checked: dict[str, Any], as_json: bool) -> None:
    show(checked, as_json, checked["sentence"])
    raise typer.Exit(0 if checked["good"] else 1)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        fail(f"{file} cannot be read: {getattr(problem, 'strerror', None) or 'it is not text in UTF-8'}")


def _edited(text: str) -> str:
    """What a person made of the text in their editor."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        fail("No editor is known: set EDITOR, or name a file: `observatory admin season edit SEASON FILE`")
    with tempfile.TemporaryDirectory(prefix="observatory-") as folder:
        path = Path(folder) / "season.yaml"
        path.write_text(text, encoding="utf-8")
        try:
            status = subprocess.run([*shlex.split(editor), str(path)]).returncode
        except OSError as problem:
            fail(f"{editor} cannot be started: {problem.strerror}")
        if status != 0:
            fail(f"{editor} ended with status {status}; nothing was changed")
        return path.read_text(encoding="utf-8")
