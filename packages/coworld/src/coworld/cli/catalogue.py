"""Print catalogues: entries of folders, and reporters of a server."""

from __future__ import annotations

import json as format
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from coworld.cli.json_output import CatalogueDocument, CatalogueEntryDocument
from softmax.cli.output import note, print_json, print_table

if TYPE_CHECKING:
    from coworld.catalogue.folders import Listed
    from coworld.server.pages import ReporterListPage
    from softmax.wire.coworlds import ReporterRow

__all__ = ["print_entries", "print_entry", "print_reporter", "print_reporters"]


def print_entries(listed: Sequence[Listed], *, json: bool) -> None:
    """Print entries of catalogues as a table."""
    if json:
        print_json(CatalogueDocument(entries=[item.document() for item in listed]))
        return
    if not listed:
        note("No entry matches")
        return
    rows = [[item.entry.id, item.entry.role, item.entry.name, item.entry.program, item.catalogue] for item in listed]
    print_table(["ID", "Role", "Name", "Program", "Catalogue"], [[*map(_plain, row)] for row in rows])


def print_entry(item: Listed, *, json: bool) -> None:
    """Print one entry, its outputs and what a manifest needs to use it."""
    entry = item.entry
    manifest_entry = entry.manifest_entry()
    if json:
        print_json(CatalogueEntryDocument(entry=item.document(), manifest_entry=manifest_entry))
        return
    print(_plain(f"{entry.name} ({entry.role} {entry.id}, {item.catalogue})"))
    print(_plain(entry.description))
    for name in ("owner", "source_url", "repository_url"):
        if getattr(entry, name):
            print(_plain(f"{name.replace('_', ' ').capitalize()}: {getattr(entry, name)}"))
    _print_outputs(entry.outputs)
    print("Manifest entry:")
    print(format.dumps(manifest_entry, indent=2))


def print_reporters(page: ReporterListPage, *, json: bool) -> None:
    """Print one page of a server's reporters."""
    if json:
        entries = [_document(reporter) for reporter in page.entries]
        print_json(CatalogueDocument(entries=entries, next_cursor=page.next_cursor))
        return
    if not page.entries:
        note("No reporter matches")
    else:
        rows = [[each.id, each.name, each.display_name, _mode(each), _types(each)] for each in page.entries]
        print_table(["ID", "Name", "Title", "Mode", "Outputs"], [[*map(_plain, row)] for row in rows])
    if page.next_cursor is not None:
        note(f"There are more; continue with --cursor {page.next_cursor}")


def print_reporter(reporter: ReporterRow, *, json: bool) -> None:
    """Print one reporter of a server."""
    reference = (
        {"reporter": f"{reporter.user_id}/{reporter.name}@{reporter.latest_version}"}
        if reporter.latest_version is not None
        else None
    )
    if json:
        print_json(CatalogueEntryDocument(entry=_document(reporter), manifest_entry=reference))
        return
    print(_plain(f"{reporter.display_name or reporter.name} ({reporter.id}, {_mode(reporter)})"))
    print(_plain(reporter.description))
    print(_plain(f"Owner: {reporter.user_id}"))
    _print_outputs(reporter.outputs)
    print(f"Runs: {reporter.run_count}, outputs: {reporter.output_count}")
    if reference is not None:
        print("Manifest entry:")
        print(format.dumps(reference, indent=2))


def _print_outputs(outputs: Sequence[Mapping[str, Any]]) -> None:
    for output in outputs:
        print(_plain(f"Output: {output.get('name')} ({output.get('type')}): {output.get('description', '')}"))


def _plain(text: object) -> str:
    """Return a third party's text without characters that control a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in str(text))


def _types(reporter: ReporterRow) -> str:
    return ", ".join(dict.fromkeys(str(output.get("type")) for output in reporter.outputs))


def _mode(reporter: ReporterRow) -> str:
    """Return where a reporter runs: one without a version runs outside the server."""
    return "hosted" if reporter.latest_version is not None else "external"


def _document(reporter: ReporterRow) -> dict[str, Any]:
    return {**reporter.model_dump(mode="json"), "mode": _mode(reporter)}
