"""`cogames cache`: show or empty the cache of unpacked and downloaded bundles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cogames.commands.shared.server import Json
from softmax.cli.output import hint, print_data, print_table
from softmax.cli.program import CommandGroup, Entry, examples

if TYPE_CHECKING:
    from mettagrid.policy.cache_entries import CacheEntry

Days = Annotated[float, typer.Option("--days", metavar="N", min=0, help="Remove what was not used for this many days.")]


def show(ctx: typer.Context, json: Json = False) -> None:
    """Show or empty the cache of bundles.

    Bundles are unpacked once, and downloaded once. Commands create again what was removed.
    """
    if ctx.invoked_subcommand is not None:
        return
    from mettagrid.policy.bundle_cache import usable_cache_dir
    from mettagrid.policy.cache_entries import cache_entries

    entries = cache_entries()
    folder = usable_cache_dir()
    kinds = sorted({entry.kind for entry in entries})
    rows = [(kind, [entry for entry in entries if entry.kind == kind]) for kind in kinds]
    if json:
        document = {
            "folder": str(folder),
            "bytes": sum(entry.size for entry in entries),
            "entries": [
                {
                    "path": str(entry.path),
                    "kind": entry.kind,
                    "bytes": entry.size,
                    "used_at": entry.used_at.isoformat(),
                }
                for entry in entries
            ],
        }
        print_data(document, "json")
        return
    print(f"Folder: {folder}")
    if not entries:
        print("The cache is empty.")
        return
    cells: list[Sequence[object]] = [(kind, len(items), _total(items)) for kind, items in rows]
    print_table(["Content", "Entries", "Size"], [*cells, ("all", len(entries), _total(entries))], right=[1, 2])
    hint("`cogames cache prune` removes what was not used for 30 days, `cogames cache clear` everything")


def clear() -> None:
    """Remove everything; an episode that is being played from a bundle may fail."""
    from mettagrid.policy.cache_entries import cache_entries

    _remove(cache_entries())


@examples("cogames cache prune", "cogames cache prune --days 7")
def prune(days: Days = 30) -> None:
    """Remove what was not used for a while."""
    from datetime import UTC, datetime, timedelta

    from mettagrid.policy.cache_entries import cache_entries

    limit = datetime.now(UTC) - timedelta(days=days)
    _remove([entry for entry in cache_entries() if entry.used_at < limit])


COMMANDS = CommandGroup(
    [
        Entry("clear", "cogames.commands.cache:clear", "Remove everything."),
        Entry("prune", "cogames.commands.cache:prune", "Remove what was not used for a while."),
    ],
    show,
    works_alone=True,
)


def _remove(entries: Sequence[CacheEntry]) -> None:
    from mettagrid.policy.cache_entries import remove_entry

    removed = [entry for entry in entries if remove_entry(entry)]
    count = "1 entry" if len(removed) == 1 else f"{len(removed)} entries"
    print(f"Removed {count}, {_total(removed)}" if removed else "Nothing to remove.")


def _total(entries: Sequence[CacheEntry]) -> str:
    size = float(sum(entry.size for entry in entries))
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
