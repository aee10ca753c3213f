"""Real episodes: `starter`, and policies with one planted fault each."""

import json
import sys
from pathlib import Path

import pytest

from cogames.diagnose import DiagnoseOptions, run_diagnosis
from cogames.diagnose.artifacts import FILES
from mettagrid.runner.episode import play_episode

PLANTED = Path(__file__).parent / "planted"
RERUN_FILE = "stability_rerun_snapshots.json"


@pytest.fixture
def options(tmp_path, experiments):
    """Short episodes of one mission per axis."""

    def build(policy, name="out", **settings):
        settings = {"steps": 60, "episodes": 1, "experiments": experiments, **settings}
        return DiagnoseOptions(policy, output_dir=tmp_path / name, **settings)

    return build


@pytest.fixture
def play_planted(monkeypatch):
    """Plays planted policies. Time passes only when one of them says so."""
    monkeypatch.syspath_prepend(str(PLANTED))
    import planted_policies

    yield lambda plans: [play_episode(plan, clock=planted_policies.CLOCK) for plan in plans]
    sys.modules.pop("planted_policies", None)


def read(run, name):
    return json.loads((run.output_dir / name).read_text())


@pytest.mark.parametrize(
    ("policy", "issue", "symptom"),
    [
        ("NeverMoves", "speed", "stage1.efficiency.risk"),
        ("MissesDeadlines", "stability", "stage1.stability.risk"),
        ("PlaysAlone", "social_coordination", "stage2.social_coordination.risk"),
        ("Breaks", "stability", "stage1.stability.risk"),
    ],
)
def test_a_planted_fault_is_found(options, play_planted, policy, issue, symptom):
    run = run_diagnosis(options(f"class=planted_policies.{policy}"), play=play_planted)
    assert run.is_complete
    assert run.dominant_issue == issue
    assert read(run, "doctor_note.json")["prescriptions"][0]["symptom_id"] == symptom


def test_starter_is_healthy(options):
    said, episodes = [], []
    run = run_diagnosis(
        options("starter"), say=said.append, progress=lambda done, total: episodes.append((done, total))
    )
    note = read(run, "doctor_note.json")
    assert run.is_complete
    assert note["symptoms"] == []
    assert all(axis["normalized_score"] > 80 for axis in note["axes"])
    assert note["tournament_objective_context"]["aligned_junction_held_stage1"] > 0
    assert episodes == [(1, 3), (2, 3), (3, 3)] * 3
    assert [text.partition(":")[0] for text in said[1:]] == ["Stage 1", "Stage 1 is complete", "Stage 2"]


def test_two_runs_write_the_same_files_on_one_worker_and_on_two(options):
    runs = [run_diagnosis(options("starter", f"on_{workers}", workers=workers)) for workers in (1, 2)]
    for name in FILES:
        if name != RERUN_FILE:
            first, second = (_without_ids(run, name) for run in runs)
            assert first == second, name


def _without_ids(run, name):
    content = (run.output_dir / name).read_bytes()
    for text in (run.run_id, read(run, "manifest.json")["created_at"], str(run.output_dir)):
        content = content.replace(text.encode(), b"-")
    return content
