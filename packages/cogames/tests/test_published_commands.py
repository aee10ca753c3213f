"""Commands, documents and diagnosis files under the published module names."""

import json
import uuid
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import cogames.diagnose
import cogames.main
from cogames.cli import assay, auth, compat, episode, generated_models, leaderboard, matches, player, season, submit
from cogames.cli.docsync import docsync
from cogames.client import TournamentServerClient
from cogames.softmax_cli import app as local_app
from cogames.softmax_cli import evaluate_app, tutorial_app
from mettagrid.policy.policy_spec import PolicySpec
from packages.cogames.tests.client.stub import POLICY_VERSION, SEASONS, TOKEN, serve_stub
from softmax.client.addresses import API_VARIABLE, LOGIN_VARIABLE

APPS = {
    "login": auth.auth_app,
    "results": assay.assay_app,
    "replay": episode.episode_app,
    "credentials": player.player_app,
    "revoke": player.credentials_app,
    "leaderboard": season.season_app,
    "nb-to-md": docsync.app,
    "bundle": local_app,
    "pickup": evaluate_app,
    "make-policy": tutorial_app,
}


@pytest.mark.parametrize("command", APPS)
def test_groups_are_applications_of_their_own_and_part_of_others(command: str) -> None:
    shown = CliRunner().invoke(APPS[command], ["--help"])
    assert (shown.exit_code, command in shown.stdout) == (0, True)
    outer = typer.Typer()
    outer.add_typer(APPS[command], name="inner")
    assert CliRunner().invoke(outer, ["inner", command, "--help"]).exit_code == 0


def test_an_application_talks_to_the_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SOFTMAX_CONFIG_DIR", raising=False)
    with serve_stub() as stub:
        ran = CliRunner().invoke(season.season_app, ["list", "--server", stub.address, "--json"])
    assert [row["name"] for row in json.loads(ran.stdout)] == [row["name"] for row in SEASONS]


def test_command_functions_are_those_of_the_program() -> None:
    from cogames.commands.play import play

    assert cogames.main.play_cmd is play
    assert cogames.main.POLICY_NAME_MAX_LENGTH == 64
    for name in cogames.main._PUBLISHED:
        assert getattr(cogames.main, name) is not None
    with pytest.raises(AttributeError, match="train_cmd"):
        _ = cogames.main.train_cmd
    for module in (assay, auth, episode, leaderboard, matches, player, season, docsync):
        assert all(hasattr(module, name) for name in module.__all__)


def test_help_needs_none_of_it() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from cogames.main import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'torch', 'numpy', 'pydantic', 'rich.console', 'cogames.cli.mission', 'cogames.softmax_cli'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("text", "policy", "season_reference"),
    [
        ("a", ("a", None), ("a", None)),
        ("a:v3", ("a", 3), ("a", 3)),
        ("a:3", ("a", 3), ("a", 3)),
        ("a:b:v2", ("a:b", 2), ("a:b", 2)),
        ("a:b", None, ("a:b", None)),
    ],
)
def test_references_are_split(text: str, policy: tuple | None, season_reference: tuple) -> None:
    assert leaderboard.parse_season_ref(text) == season_reference
    if policy is None:
        with pytest.raises(ValueError, match="Invalid version format: a:b"):
            leaderboard.parse_policy_identifier(text)
    else:
        assert leaderboard.parse_policy_identifier(text) == policy


def test_documents_have_enums_that_compare_as_text() -> None:
    found = generated_models.SeasonSummary.model_validate(SEASONS[0])
    assert found.status is generated_models.Status1.in_progress
    assert (found.status, found.status.value, f"{found.status}") == ("in_progress",) * 3
    assert found.model_dump(mode="json")["tournament_type"] == "freeplay"
    progress = generated_models.TeamTournamentProgress(phase=generated_models.Phase.team_eval, stages=[])
    assert (progress.stage_flow, progress.started) == (None, False)
    policy = generated_models.PolicyVersionSummary(id=uuid.uuid4(), name="a", version=1)
    assert generated_models.MatchPlayerInfo(policy=policy, num_agents=1).score is None
    assert generated_models.AssayStatus("failed") is generated_models.AssayStatus.failed


def test_a_season_of_another_version_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    found = generated_models.SeasonSummary.model_validate(SEASONS[0])
    compat.check_compat_version(found)
    with pytest.raises(typer.Exit):
        compat.check_compat_version(found.model_copy(update={"compat_version": "0.1"}))
    assert "plays version 0.1" in capsys.readouterr().out


def test_paths_of_a_submission_lie_in_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here" / "sub").mkdir(parents=True)
    (tmp_path / "here" / "my_policy.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path / "here")
    paths = submit.validate_paths(["my_policy.py", str(tmp_path / "here" / "sub")])
    assert paths == [Path("my_policy.py"), Path("sub")]
    with pytest.raises(FileNotFoundError, match="nope"):
        submit.validate_paths(["nope"])
    with pytest.raises(ValueError, match="outside of the working folder"):
        submit.validate_paths(["../x"])


def test_a_bundle_is_packed_and_uploaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zipfile

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("from mettagrid.policy.noop import NoopPolicy as Mine\n")
    file = submit.create_submission_zip([Path("mine.py")], PolicySpec(class_path="mine.Mine"))
    assert {"policy_spec.json", "mine.py"} <= set(zipfile.ZipFile(file).namelist())
    with serve_stub() as stub:
        monkeypatch.setenv(API_VARIABLE, stub.address)
        monkeypatch.setenv(LOGIN_VARIABLE, f"{stub.address}/api")
        assert stub.address == submit.DEFAULT_SUBMIT_SERVER
        assert submit.observatory_home_url() == f"{stub.address}/observatory/home"
        client = TournamentServerClient(stub.address, TOKEN)
        sent = submit.upload_submission(client, file, "mine", season="beta-cvc")
    assert (str(sent.policy_version_id), sent.name) == (POLICY_VERSION, "mine")
    assert sent.pools


def test_diagnosis_documents_are_read_under_their_published_names(tmp_path: Path) -> None:
    from cogames.diagnose import DiagnoseAxis, DiagnoseOptions, load_doctor_note, mission_from_case_name, run_diagnosis

    assert mission_from_case_name("cvc_evals.eval_clip_oxygen (cogs=4)") == "eval_clip_oxygen"
    assert DiagnoseAxis.STABILITY == "stability"
    assert len(cogames.diagnose.load_diagnose_missions("cvc_evals")) > 3
    assert cogames.diagnose.stage1_probe_catalog() == cogames.diagnose.STAGE1_PROBE_CATALOG_V1
    with pytest.raises(AttributeError, match="compute_stage1_axis_scores"):
        _ = cogames.diagnose.compute_stage1_axis_scores
    options = DiagnoseOptions(
        "noop",
        mission_set="cognitive_substrate_memory",
        steps=5,
        episodes=1,
        output_dir=tmp_path / "out",
    )
    run = run_diagnosis(options)
    note = load_doctor_note(run.output_dir / "doctor_note.json")
    assert isinstance(note, cogames.diagnose.DiagnoseDoctorNote)
    assert note.dominant_issue == run.dominant_issue
    snapshot = cogames.diagnose.interpretation_snapshot_from_doctor_note(note, label="current")
    assert cogames.diagnose.evaluate_interpretation_stability([snapshot, snapshot]).stable
    cogames.diagnose.write_json(tmp_path / "note.json", note)
    assert load_doctor_note(tmp_path / "note.json") == note
