"""The Coworlds under the runner: in sandboxes, with the players of their fixtures. `make soak` certifies all games."""

import os
from pathlib import Path

import pytest

from bitworld.coworld.manifest import WORLDS
from coworld.certification.certify import certify
from coworld.engines.process import ProcessEngine

GAMES = list(WORLDS) if os.environ.get("BITWORLD_CERTIFY") == "all" else ["among_them"]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_manifest_certifies_by_the_rules_of_both_generations(game: str, tmp_path: Path) -> None:
    report = certify(WORLDS[game].path, engine=ProcessEngine(), workspace=tmp_path, timeout_seconds=120)
    assert report.certified, report.text()
    assert [verdict.profile for verdict in report.profiles if verdict.passes] == ["0.1.0", "guide", "0.1.26", "current"]
    assert report.warnings == []
    assert report.scores is not None and len(report.scores) == WORLDS[game].slots
