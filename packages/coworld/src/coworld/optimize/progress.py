"""Compute the progress of a run from its state folder alone, while it runs or after it was killed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coworld.optimize.boxed_optimizer import OUTPUT
from coworld.optimize.journal import is_locked, read_entries
from coworld.optimize.versions import JOURNAL

Entry = Mapping[str, Any]


def progress(state: Path) -> dict[str, Any]:
    """Return the progress of the run in a folder, for the page.

    `status` is `new`, `running`, `finished`, `failed`, `stopped`, or `interrupted` for a run that was killed.
    """
    locked = is_locked(state / JOURNAL)  # read first: a run that ends in between must not count as killed
    entries = read_entries(state / JOURNAL)
    status, reason = _status(entries, locked)
    begun = next((entry for entry in entries if entry["kind"] == "begin"), None)
    starts = [entry for entry in entries if entry["kind"] == "start"]
    planned = int(starts[-1]["iterations"]) if starts else 0
    if begun is None:
        return {"status": status, "reason": reason, "planned": planned, "iterations": [], "phase": None}
    rows = _rows(entries, state)
    accepted = [row["version"] for row in rows if row["kept"]]
    best = str(accepted[-1] if accepted else begun["version"])
    return {
        "status": status,
        "reason": reason,
        "planned": planned,
        "pairs": begun["pairs"],
        "game": begun.get("game"),
        "player": begun.get("player"),
        "opponents": begun.get("opponents", []),
        "variants": sorted({condition["variant"] or "certification fixture" for condition in begun["conditions"]}),
        "first": begun["version"],
        "best": best,
        "best_folder": str((state / "versions" / best).resolve()),
        "iterations": rows,
        "phase": _phase(rows, begun["pairs"], planned) if status == "running" else None,
    }


def _status(entries: Sequence[Entry], locked: bool) -> tuple[str, str | None]:
    for entry in reversed(entries):
        if entry["kind"] == "end":
            return str(entry["status"]), entry["reason"]
        if entry["kind"] == "start":
            return ("running" if locked else "interrupted"), None
    return ("running" if locked else "new"), None


def _rows(entries: Sequence[Entry], state: Path) -> list[dict[str, Any]]:
    rows: dict[int, dict[str, Any]] = {}
    for entry in entries:
        number = entry.get("iteration")
        if number is None:
            continue
        empty = {"iteration": number, "decided": False, "kept": False, "version": None, "from": None, "note": None}
        row = rows.setdefault(number, {**empty, "proposed": False, "plan": None, "scores": {}, "findings": {}})
        if entry["kind"] == "episode":
            row["from"] = row["from"] or entry["version"]
            row["scores"].setdefault(entry["version"], {})[entry["index"]] = entry["score"]
        elif entry["kind"] == "finding":
            key = (entry["episode"], entry["role"], entry["id"])
            row["findings"][key] = {name: entry[name] for name in ("role", "id", "episode", "file", "error", "score")}
        elif entry["kind"] == "proposal":
            plan = state / "findings" / str(number) / OUTPUT
            row |= {"proposed": True, "version": entry["version"], "from": entry["from"], "note": entry["note"]}
            row["plan"] = OUTPUT if plan.is_file() else None
        elif entry["kind"] == "decision":
            numbers = {name: entry.get(name) for name in ("mean", "low", "high")}
            row |= {"decided": True, "kept": entry["kept"], "version": entry["version"], "reason": entry["reason"]}
            row |= numbers
    for row in rows.values():
        scores = row.pop("scores")
        row["old"] = _ordered(scores.get(row["from"], {}))
        row["new"] = _ordered(scores.get(row["version"], {})) if row["version"] != row["from"] else []
        row["findings"] = list(row["findings"].values())
    return [rows[number] for number in sorted(rows)]


def _ordered(scores: Mapping[int, float | None]) -> list[float | None]:
    return [scores[index] for index in sorted(scores)]


def _phase(rows: Sequence[Entry], pairs: int, planned: int) -> dict[str, Any]:
    """Return the current phase of a run."""
    row = next((row for row in rows if not row["decided"]), None)
    number = int(row["iteration"]) if row is not None else sum(row["decided"] for row in rows)
    done, step = 0, "old"
    if row is not None:
        if not row["proposed"]:
            done, step = len(row["old"]), "old" if len(row["old"]) < pairs else "proposal"
        else:
            done, step = pairs + len(row["new"]), "new"
    texts = {
        "old": f"Playing the best version: {done} of {pairs} episodes",
        "proposal": "Analyzing episodes and waiting for a proposal",
        "new": f"Playing the candidate: {done - pairs} of {pairs} episodes",
    }
    share = (number + done / (2 * pairs)) / max(1, planned)
    return {"iteration": number, "text": texts[step], "share": min(1.0, share)}
