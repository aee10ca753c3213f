"""The course of a run, with episodes that are made up."""

import json
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cogames.diagnose import DiagnoseError, DiagnoseOptions, OutputFolderError, run_diagnosis
from cogames.diagnose.artifacts import FILES
from cogames.policy.arguments import PolicyArgumentError
from mettagrid.cogame.core import MissionError

NOT_COMPARED = ("run_id", "created_at", "output_dir", "command", "git_sha", "compared_run_ids")
STAGE2_FILES = [name for name in FILES if name.startswith("stage2_") and name != "stage2_probe_catalog.json"]
RERUN_FILE = "stability_rerun_snapshots.json"

DOCTOR_NOTE = """schema_version run_id status stage_status diagnosis_status dominant_issue axes
stage1_probe_threshold_profile_id stage1_probe_catalog stage1_probe_evaluations tournament_objective_context
baseline_context derived_metrics social_review social_probe_catalog stage2_diagnosis_delta replay_exemplars symptoms
prescriptions evidence_index missing_requirements notes""".split()

VALIDITY = """stage1.pack_contract stage1.required_axes stage1.replay_evidence stage1.signal_confirmation
stage2.absolute_mode stage2.mirror_mode stage2.replay_evidence stage2.social_signal stage2.final_stage_status""".split()

SECTIONS = [
    "5-minute triage",
    "Tournament objective",
    "Stage 1 profile",
    "Stage 1 probe catalog",
    "Stage 1 probe results",
    "Baseline context",
    "Ranked symptoms",
    "Prescriptions",
    "Replay evidence",
    "Social probe catalog",
    "Stage 2 social review",
]


@pytest.fixture
def diagnose(tmp_path, made_up_player, experiments):
    """Run with made-up episodes; returns the run and a function that reads its files."""

    def run(tell=lambda plan: {}, **options):
        settings = {"policy": "noop", "steps": 20, "episodes": 2, "experiments": experiments, **options}
        settings.setdefault("output_dir", tmp_path / "out")
        result = run_diagnosis(DiagnoseOptions(**settings), play=made_up_player(tell))
        return result, lambda name: json.loads((result.output_dir / name).read_text())

    return run


def without_ids(value):
    """JSON without what differs in every run."""
    if isinstance(value, dict):
        return {key: without_ids(entry) for key, entry in value.items() if key not in NOT_COMPARED}
    return [without_ids(entry) for entry in value] if isinstance(value, list) else value


def test_a_complete_run_writes_every_file_with_its_keys(diagnose):
    run, read = diagnose(stability_reruns=1)
    assert run.is_complete
    assert run.exit_code == 0
    assert sorted(path.name for path in run.output_dir.iterdir() if path.is_file()) == sorted(FILES)
    note = read("doctor_note.json")
    assert list(note) == DOCTOR_NOTE
    assert (note["status"], note["diagnosis_status"], note["schema_version"]) == (
        "complete",
        "diagnosis_complete",
        "v1",
    )
    assert [check["check_id"] for check in read("diagnose_validity.json")["checks"]] == VALIDITY
    assert read("diagnose_validity.json")["failed_check_ids"] == ["stage1.pack_contract"]
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{8}", run.run_id)
    manifest = read("manifest.json")
    assert manifest["seeds"] == {"stage1": 42, "stage2_absolute": 43, "stage2_mirror": 44}
    on_disk = sorted(
        path.relative_to(run.output_dir).as_posix() for path in run.output_dir.rglob("*") if path.is_file()
    )
    assert manifest["artifact_files"] == on_disk
    assert read("diagnose_state.json")["replay_count"] == read("diagnose_state.json")["expected_replay_count"] == 18


def test_a_run_of_the_standard_pack_is_valid(diagnose):
    _, read = diagnose(steps=1000, episodes=3, experiments=())
    assert read("stage1_pack_contract.json")["valid"]
    assert read("diagnose_validity.json")["valid"]
    assert len(read("stage1_summary.json")["cases"]) == 15
    assert not any("standard pack" in note for note in read("doctor_note.json")["notes"])


def test_each_part_has_its_seed_and_its_seats(tmp_path, made_up_player, experiments):
    player = made_up_player()
    options = DiagnoseOptions("noop", steps=5, episodes=2, experiments=experiments, output_dir=tmp_path / "out")
    run_diagnosis(options, play=player)
    parts = [player.plans[start : start + 6] for start in (0, 6, 12)]
    assert [[plan.seed for plan in part] for part in parts] == [[seed, seed + 1] * 3 for seed in (42, 43, 44)]
    assert [sorted({len(plan.policies) for plan in part}) for part in parts] == [[1], [1], [2]]
    assert all(sorted(plan.assignments) == [0] * 4 + [1] * 4 for plan in parts[2])
    assert all(plan.max_action_time_ms == 10_000 and plan.env.game.max_steps == 5 for plan in player.plans)


def test_two_runs_write_the_same_json_apart_from_ids_and_times(diagnose, tmp_path):
    folders = [diagnose(output_dir=tmp_path / name, stability_reruns=1)[0].output_dir for name in ("one", "two")]
    for name in (name for name in FILES if name.endswith(".json")):
        first, second = (json.loads((folder / name).read_text()) for folder in folders)
        assert without_ids(first) == without_ids(second), name
    archives = [(folder / "replay_bundle.zip").read_bytes() for folder in folders]
    assert archives[0] == archives[1]


def test_without_a_mission_for_every_axis_nothing_is_played(diagnose):
    run, read = diagnose(lambda plan: pytest.fail("played"), experiments=("evals.eval_clip_oxygen",))
    assert (run.exit_code, run.status.stage_status) == (0, "stage1_incomplete")
    note = read("doctor_note.json")
    assert list(note) == DOCTOR_NOTE
    assert note["prescriptions"] == []
    assert [missing["axis"] for missing in note["missing_requirements"]] == ["stability", "efficiency"]
    assert (run.output_dir / "diagnose_report.html").exists()
    assert not any((run.output_dir / name).exists() for name in STAGE2_FILES)


def test_another_mission_set_is_never_enough(diagnose):
    run, _ = diagnose(mission_set="integrated_evals", experiments=())
    assert (run.exit_code, run.status.stage_status) == (0, "stage1_incomplete")


def test_no_matching_case_is_an_error_that_leaves_a_report(diagnose):
    run, read = diagnose(cogs=(77,))
    assert (run.exit_code, run.status.run_status) == (1, "incomplete")
    assert read("stage1_summary.json")["cases"] == []
    assert (run.output_dir / "diagnose_report.html").exists()


def test_a_missing_replay_stops_the_run_after_its_stage(diagnose):
    run, read = diagnose(lambda plan: {"writes_replay": plan.seed != 43 or len(plan.policies) == 2})
    assert run.status.stage_status == "stage1_incomplete"
    assert "Only 3 of 6 replays of stage 1 were written." in read("doctor_note.json")["notes"]
    run, _ = diagnose(lambda plan: {"writes_replay": plan.seed < 45})
    assert run.status.stage_status == "stage2_incomplete"


def test_reruns_are_compared_with_the_run(diagnose, tmp_path):
    run, read = diagnose(stability_reruns=2, require_stable_interpretation=True)
    assert run.is_complete
    stability = read("interpretation_stability.json")
    assert [snapshot["label"] for snapshot in stability["snapshots"]] == ["current", "rerun_1", "rerun_2"]
    assert stability["stable"]
    assert (run.output_dir / "stability_reruns/rerun_2/replays_stage2/mirror").is_dir()
    assert read(RERUN_FILE)["snapshots"] == stability["snapshots"][1:]


def test_an_earlier_run_that_was_understood_otherwise_makes_the_diagnosis_incomplete_on_demand(diagnose, tmp_path):
    diagnose(lambda plan: {"moved": 0, "blocked": 0, "stuck": 20, "rewards": 0.0}, output_dir=tmp_path / "earlier")
    earlier = {"compare_run_dirs": [tmp_path / "earlier", tmp_path / "nowhere"]}
    run, read = diagnose(**earlier)
    assert run.is_complete
    assert not read("interpretation_stability.json")["dominant_issue_stable"]
    assert any("nowhere" in note for note in read("doctor_note.json")["notes"])
    run, read = diagnose(**earlier, require_stable_interpretation=True)
    assert run.status.stage_status == "stage2_incomplete"
    assert read("doctor_note.json")["prescriptions"] == []


def test_baselines_give_the_scale_and_one_that_fails_is_a_note(diagnose):
    def tell(plan):
        return {"failed": 8.0} if plan.policies[0].name == "NoopPolicy" else {"failed": 0.0}

    _, read = diagnose(tell, scripted_baseline_policy="random", known_strong_policy="class=")
    context = read("doctor_note.json")["baseline_context"]
    assert (context["normalization_mode"], len(context["baselines"])) == ("scripted_only", 1)
    assert any("could not be played" in note for note in read("doctor_note.json")["notes"])
    baselines = read("stage1_baselines.json")
    assert baselines["known_strong"] is None
    assert list(baselines["scripted_baseline"]) == ["policy", "missions", "axis_scores"]


def test_the_bundle_holds_every_file_of_the_run(diagnose, tmp_path):
    _, read = diagnose(bundle_zip=tmp_path / "shared/bundle.zip")
    with zipfile.ZipFile(tmp_path / "shared/bundle.zip") as archive:
        assert archive.namelist() == read("manifest.json")["artifact_files"]


def test_invalid_options_are_refused_before_anything_is_written(diagnose, tmp_path):
    for error, options in (
        (PolicyArgumentError, {"policy": ","}),
        (FileNotFoundError, {"policy": "./no/such/bundle.zip"}),
        (MissionError, {"mission_set": "no_such_set"}),
        (DiagnoseError, {"steps": 0}),
        (DiagnoseError, {"cogs": (0,)}),
    ):
        with pytest.raises(error):
            diagnose(**options)
        assert not (tmp_path / "out").exists()
    with pytest.raises(OutputFolderError, match="--bundle-zip"):
        diagnose(bundle_zip=tmp_path / "out/replay_bundle.zip")


class Page(HTMLParser):
    """Elements that are open must be closed; what is loaded from elsewhere is collected."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.titles: list[str] = []
        self.links: list[str] = []
        self.elements: set[str] = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.links += [value for key, value in attrs if key in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.titles.append(data)


def test_the_report_is_one_page_with_all_sections(diagnose):
    run, _ = diagnose(lambda plan: {"moved": 0, "blocked": 0, "stuck": 20, "rewards": 0.0})
    text = (run.output_dir / "diagnose_report.html").read_text()
    page = Page(text)
    assert page.titles == SECTIONS
    assert "svg" in page.elements
    assert not page.elements & {"script", "link", "img", "iframe"}
    assert "prefers-color-scheme: dark" in text
    assert all((run.output_dir / link).is_file() for link in page.links)


def test_texts_from_outside_are_escaped_in_the_report(diagnose):
    policy = "class=noop,kw.x=<script>alert(1)</script>"
    run, _ = diagnose(policy=policy, scripted_baseline_policy="<b>&")
    text = (run.output_dir / "diagnose_report.html").read_text()
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "<b>" not in text
    Page(text)


def test_the_default_folder_is_named_after_the_run(made_up_player, tmp_path, monkeypatch, experiments):
    monkeypatch.chdir(tmp_path)
    run = run_diagnosis(DiagnoseOptions("noop", steps=5, episodes=1, experiments=experiments), play=made_up_player())
    assert run.output_dir == tmp_path / "outputs/cogames-diagnose" / run.run_id
    assert json.loads((run.output_dir / "manifest.json").read_text())["git_sha"] is None
    assert Path(run.output_dir / "replays/eval_collect_resources-cogs8-episode0.json.z").is_file()
