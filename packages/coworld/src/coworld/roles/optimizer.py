"""The default optimizer: a plan from the outputs of graders, diagnosers and reporters.

In: `COWORLD_MANIFEST_URI`, `COGAME_POLICY_WORKSPACE_URI` and the comma lists `COGAME_REPORT_URIS`,
`COGAME_GRADER_OUTPUT_URIS`, `COGAME_DIAGNOSER_OUTPUT_URIS`. Out: JSON at `COGAME_OPTIMIZER_OUTPUT_URI`. The loop that
changes a player, plays and compares is `coworld optimize`; this is the advice it can start from.
"""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from collections import Counter
from typing import Any

from coworld.roles.episode import RoleInputError
from coworld.roles.program import json_bytes, listed, run_role, variable
from coworld.uris.transfer import read_uri, write_uri


def plan(manifest: dict[str, Any], grades: list[dict[str, Any]], diagnoses: list[list[str]], reports: int) -> list[str]:
    """Return recommendations, most useful first. Grades are 0 for a tie and 1 for a walkover."""
    variants = [str(variant.get("id")) for variant in manifest.get("variants", []) if isinstance(variant, dict)]
    advice = [text for text, _ in Counter(text for diagnosis in diagnoses for text in diagnosis).most_common(3)]
    scores = [grade["score"] for grade in grades if isinstance(grade.get("score"), (int, float))]
    if scores and max(scores) >= 0.2:
        index = max(range(len(scores)), key=lambda at: scores[at])
        advice.append(f"Begin with the most decided episode: grader output {index} has a score of {scores[index]:g}.")
    elif scores:
        advice.append(f"All {len(scores)} graded episodes were close: compare versions over many paired seeds.")
    if not diagnoses:
        advice.append("Diagnose an episode the policy lost: `coworld diagnose` names what to look at.")
    if not reports:
        advice.append("Make a report of a recent episode: `coworld report` shows when the scores parted.")
    if len(variants) > 1:
        advice.append(f"Test a change on every variant: {', '.join(variants)}.")
    advice.append(
        "Keep a change only when it wins over the old version on the same seeds and seats: `coworld optimize`."
    )
    return advice


def run() -> None:
    manifest = _object(read_uri(variable("COWORLD_MANIFEST_URI")), "the manifest")
    target = variable("COGAME_OPTIMIZER_OUTPUT_URI")
    reports, graders, diagnosers = (
        listed(name) for name in ("COGAME_REPORT_URIS", "COGAME_GRADER_OUTPUT_URIS", "COGAME_DIAGNOSER_OUTPUT_URIS")
    )
    grades = [_object(read_uri(uri), "a grader's output") for uri in graders]
    diagnoses = [_findings(read_uri(uri)) for uri in diagnosers]
    game = manifest.get("game")
    document = {
        "optimizer_id": os.environ.get("COGAME_OPTIMIZER_ID", "default-optimizer"),
        "coworld_name": game.get("name") if isinstance(game, dict) else None,
        "policy_workspace_uri": os.environ.get("COGAME_POLICY_WORKSPACE_URI"),
        "input_counts": {
            "reports": len(reports),
            "grader_outputs": len(graders),
            "diagnoser_outputs": len(diagnosers),
        },
        "recommendations": plan(manifest, grades, diagnoses, len(reports)),
    }
    write_uri(target, json_bytes(document), content_type="application/json")


def _object(data: bytes, name: str) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RoleInputError(f"{name} is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise RoleInputError(f"{name} must be a JSON object")
    return document


def _findings(data: bytes) -> list[str]:
    """Return the recommendations in a diagnosis; archives of other diagnosers may have none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            names = set(file.namelist())
            manifest = _object(file.read("manifest.json"), "a diagnosis") if "manifest.json" in names else {}
            findings = manifest.get("findings", "findings.json")
            if not isinstance(findings, str) or findings not in names:
                return []
            texts = _object(file.read(findings), "a diagnosis").get("recommendations")
    except (zipfile.BadZipFile, KeyError) as error:
        raise RoleInputError(f"a diagnosis is not a readable zip: {error}") from None
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, list) else []


if __name__ == "__main__":
    sys.exit(run_role(run))
