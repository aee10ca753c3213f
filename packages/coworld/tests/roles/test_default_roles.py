"""The default grader, diagnoser, optimizer and reporter, run as the programs they are."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from coworld.roles.event_log import EVERYBODY, Event, write_event_log
from coworld.roles.report_checks import read_event_log, read_report


def bundle(folder: Path, tiles: list[int], *, names: tuple[str, ...] = ("Ada", "Ben"), size: int = 6) -> Path:
    """A bundle of a small painted game in which seat 0 leads at first."""
    results = {"scores": [float(count) for count in tiles], "painted_tiles": tiles, "ticks": 10}
    frames = [
        {"tick": tick, "scores": [min(tick, tiles[0]), tiles[1] * max(tick - 5, 0) // 5]} for tick in range(1, 11)
    ]
    config = {"width": size, "height": size}
    replay = {"config": config, "player_names": list(names), "frames": frames, "results": results}
    path = folder / "episode.zip"
    with zipfile.ZipFile(path, "w") as archive:
        logs = {"0": "logs/0.log", "x": "logs/0.log"}
        files = {"results": "out/results.json", "replay": "out/replay", "player_logs": logs}
        manifest = {"ereq_id": "ereq_1", "status": "success", "include": [*files], "files": files}
        archive.writestr("manifest.json", json.dumps(manifest))
        archive.writestr("out/results.json", json.dumps(results))
        archive.writestr("out/replay", json.dumps(replay))
        archive.writestr("logs/0.log", "fine\n")
    return path


def run(role: str, **variables: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {name: str(value) for name, value in variables.items()}
    return subprocess.run(
        [sys.executable, "-m", f"coworld.roles.{role}"], env=environment, capture_output=True, text=True, timeout=60
    )


def written(path: Path, role: str, **variables: str | Path) -> bytes:
    done = run(role, **variables)
    assert done.returncode == 0, done.stderr
    return path.read_bytes()


@pytest.mark.parametrize(
    ("tiles", "score", "margin", "winner"),
    [([12, 12], 0.0, 0, None), ([20, 4], 0.4444, 16, 0), ([12, 13], 0.0278, 1, 1)],
)
def test_the_grade_is_the_margin_as_a_share_of_the_board(
    tmp_path: Path, tiles: list[int], score: float, margin: int, winner: int | None
) -> None:
    target = tmp_path / "grade.json"
    data = written(
        target, "grader", COGAME_EPISODE_BUNDLE_URI=bundle(tmp_path, tiles).as_uri(), COGAME_GRADE_URI=target.as_uri()
    )
    grade = json.loads(data)
    assert grade.pop("scale")
    assert grade == {
        "grader_id": "default-grader",
        "score": score,
        "margin_tiles": margin,
        "total_tiles": 36,
        "winner_slot": winner,
    }


def test_a_painted_game_without_two_counts_is_refused_in_one_sentence(tmp_path: Path) -> None:
    target, three = tmp_path / "grade.json", bundle(tmp_path, [1, 2, 3])
    done = run("grader", COGAME_EPISODE_BUNDLE_URI=three, COGAME_GRADE_URI=target)
    assert (done.returncode, done.stderr) == (1, "error: `painted_tiles` must have exactly two counts\n")
    (tmp_path / "not.zip").write_text("no")
    done = run("grader", COGAME_EPISODE_BUNDLE_URI=tmp_path / "not.zip", COGAME_GRADE_URI=target)
    assert done.returncode == 1 and "cannot be read" in done.stderr and "Traceback" not in done.stderr
    assert run("grader", COGAME_EPISODE_BUNDLE_URI="").stderr == "error: COGAME_EPISODE_BUNDLE_URI is not set\n"


@pytest.mark.parametrize(("tiles", "says"), [([9, 9], "equal"), ([20, 2], "large"), ([10, 9], "close")])
def test_the_diagnosis_depends_on_how_decided_the_episode_was(tmp_path: Path, tiles: list[int], says: str) -> None:
    target = tmp_path / "diagnosis.zip"
    variables = {
        "COGAME_EPISODE_BUNDLE_URI": bundle(tmp_path, tiles).as_uri(),
        "COGAME_TARGET_POLICY_URI": "policy://somebody?slot=1",
        "COGAME_DIAGNOSIS_URI": target.as_uri(),
    }
    first = written(target, "diagnoser", **variables)
    assert written(target, "diagnoser", **variables) == first, "the same episode gives the same bytes"
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert archive.namelist() == ["manifest.json", "diagnosis.md", "findings.json"]
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        manifest, findings = json.loads(archive.read("manifest.json")), json.loads(archive.read("findings.json"))
        assert says in archive.read("diagnosis.md").decode()
    assert manifest == {"diagnoser_id": "default-diagnoser", "render": "diagnosis.md", "findings": "findings.json"}
    assert findings["target_policy_uri"] == "policy://somebody?slot=1" and findings["target_slot"] == 1
    assert says in findings["recommendations"][0]


def test_the_optimizer_counts_its_inputs_and_plans_from_them(tmp_path: Path) -> None:
    manifest, target = tmp_path / "coworld_manifest.json", tmp_path / "plan.json"
    manifest.write_text(json.dumps({"game": {"name": "paintarena"}, "variants": [{"id": "default"}, {"id": "small"}]}))
    grades = []
    for index, score in enumerate((0.1, 0.6)):
        grades.append(tmp_path / f"grade{index}.json")
        grades[-1].write_text(json.dumps({"score": score}))
    diagnosis = tmp_path / "diagnosis.zip"
    written(
        diagnosis,
        "diagnoser",
        COGAME_EPISODE_BUNDLE_URI=bundle(tmp_path, [9, 9]),
        COGAME_TARGET_POLICY_URI="Ben",
        COGAME_DIAGNOSIS_URI=diagnosis,
    )
    plan = json.loads(
        written(
            target,
            "optimizer",
            COWORLD_MANIFEST_URI=manifest.as_uri(),
            COGAME_OPTIMIZER_OUTPUT_URI=target.as_uri(),
            COGAME_OPTIMIZER_ID="mine",
            COGAME_POLICY_WORKSPACE_URI="file:///workspace",
            COGAME_GRADER_OUTPUT_URIS=",".join(path.as_uri() for path in grades),
            COGAME_DIAGNOSER_OUTPUT_URIS=diagnosis.as_uri(),
        )
    )
    advice = plan.pop("recommendations")
    assert plan == {
        "optimizer_id": "mine",
        "coworld_name": "paintarena",
        "policy_workspace_uri": "file:///workspace",
        "input_counts": {"reports": 0, "grader_outputs": 2, "diagnoser_outputs": 1},
    }
    assert "equal" in advice[0] and any("grader output 1 has a score of 0.6" in text for text in advice)
    assert any("default, small" in text for text in advice)


def test_the_report_is_a_safe_page_and_an_event_log(tmp_path: Path) -> None:
    target, stats = tmp_path / "report.zip", tmp_path / "stats.parquet"
    hostile = '<script>alert(1)</script><img src=x onerror="x">'
    data = written(
        target,
        "reporter",
        COGAME_EPISODE_BUNDLE_URI=bundle(tmp_path, [10, 14], names=(hostile, "Ben")).as_uri(),
        COGAME_REPORT_URI=target.as_uri(),
        COGAME_REPLAY_STATS_PARQUET_URI=stats.as_uri(),
    )
    report = read_report(data)  # refuses what is unsafe
    assert report.manifest.reporter_id == "default-reporter" and report.render is not None
    assert report.events == read_event_log(stats.read_bytes())
    assert Event(10, 1, "final_score", "14") in (report.events or [])
    page = report.render[1]
    assert "Ben wins with 14" in page and "takes the lead" in page and "<polyline" in page
    assert "<script" not in page and "&lt;script&gt;" in page


def test_an_event_log_is_a_parquet_file_also_when_it_is_empty() -> None:
    rows = [Event(tick, EVERYBODY if tick % 3 == 0 else tick % 2, "score", f"ü{tick}") for tick in range(20_000)]
    for data, digest in ((write_event_log([]), "EMPTY"), (write_event_log(rows), "FULL")):
        assert data[:4] == data[-4:] == b"PAR1"
        assert hashlib.sha256(data).hexdigest() == DIGESTS[digest]
    pyarrow = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.read_table(io.BytesIO(write_event_log(rows)))
    assert [tuple(row.values()) for row in table.to_pylist()] == rows


# Read back equal by pyarrow 26.0.1.
DIGESTS = {
    "EMPTY": "2e058ba39808897e1cce36061d1e89aa2b709cb8d9310349fba5f055d530aefb",
    "FULL": "614eabf0faa9ac1d93feeef978ab981d4714c7daca1af2548e321cad621fda24",
}
