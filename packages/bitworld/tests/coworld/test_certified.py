"""Among Them under the runner: in sandboxes, with the players of its own fixture. `make soak` certifies all games."""

from pathlib import Path

import pytest

from bitworld.coworld.worlds import AMONG_THEM
from coworld.certification.certify import certify
from coworld.engines.process import ProcessEngine


@pytest.mark.slow
def test_the_manifest_certifies_by_the_rules_of_both_generations(tmp_path: Path) -> None:
    report = certify(AMONG_THEM, engine=ProcessEngine(), workspace=tmp_path, timeout_seconds=120)
    assert report.certified, report.text()
    assert [verdict.profile for verdict in report.profiles if verdict.passes] == ["0.1.0", "guide", "0.1.26", "current"]
    assert report.warnings == []
    assert report.scores is not None and len(report.scores) == 8
