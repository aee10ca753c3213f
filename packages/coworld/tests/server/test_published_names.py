"""The published modules about a server: their names call ours."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from pydantic import ValidationError
from typer.testing import CliRunner

from coworld.config import NEXT_CURSOR_HEADER, participation_guide_url
from coworld.runner.phase_timings import EpisodePhaseTimings, ProcessTimings, TimingClock, TimingInterval
from coworld.server.policy_upload import UploadError, upload_file_policy
from coworld.submit import parse_policy_identifier, submit_policy_to_league_cmd
from coworld.tournament_cli import register_tournament_commands
from coworld.upload import (
    CoworldUploadClient,
    coworld_status,
    download_coworld,
    downloaded_coworld_images_path,
    downloaded_coworld_player_files_path,
    get_hosted_smoke_episode_statuses,
    resolve_coworld_download_id,
    upload_coworld_update,
    wait_for_upload_certification,
)
from softmax.client.credentials import save_user_token
from softmax.client.errors import ClientError
from tests.league import League


def test_status_and_submission_work_from_a_program(league: League, capsys: pytest.CaptureFixture[str]) -> None:
    server = f"{league.url}/api"
    save_user_token(server, league.names["token"])
    status = coworld_status(league.names["coworld"], server=server)
    assert status.hosted_smoke_passed and status.certification is not None and status.certification.certified
    with CoworldUploadClient.from_login(server_url=server) as client:
        [row] = [row for row in client.list_coworlds(name="paintarena") if row.canonical]
        assert row.id == league.names["coworld"]
        Path("player").mkdir()
        Path("player", "player.py").write_text("print('hello')\n")
        assert upload_file_policy(client, Path("player"), name="from-a-program").version == 1
    with pytest.raises(ClientError, match="no policy absent"):
        submit_policy_to_league_cmd("absent", league_id=league.names["league"], server=server, open_browser=False)
    submit_policy_to_league_cmd("from-a-program", league_id=league.names["league"], server=server, open_browser=False)
    assert "Submission: sub_" in capsys.readouterr().out


def test_a_coworld_is_published_again_and_found_from_a_program(league: League) -> None:
    server, coworld_id = f"{league.url}/api", league.names["coworld"]
    save_user_token(server, league.names["token"])
    assert resolve_coworld_download_id("paintarena", server=server) == coworld_id
    assert download_coworld(coworld_id, server=server).name == "paintarena"
    with pytest.raises(UploadError, match="that changes"):
        upload_coworld_update("paintarena", server=server)
    changed = upload_coworld_update(
        "paintarena", server=server, version="7.0.0", patch_update='{"tags": ["a", "b", "c"]}'
    )
    assert (changed.version, changed.canonical, changed.hosted_smoke_episode_ids) == ("7.0.0", False, ())
    with CoworldUploadClient.from_login(server_url=server) as client:
        episodes = get_hosted_smoke_episode_statuses(client, coworld_id=changed.id)
        assert {episode.status for episode in episodes} == {"pending"}
        with pytest.raises(UploadError, match="had not certified"):
            wait_for_upload_certification(client, coworld_id=changed.id, timeout_seconds=0, poll_seconds=0)
    folder = Path("coworld")
    assert downloaded_coworld_images_path(folder, "cow_1") == folder / "cow_1" / "coworld_images.json"
    assert downloaded_coworld_player_files_path(folder, "cow_1").parent == folder / "cow_1"


def test_references_and_guides() -> None:
    assert parse_policy_identifier("mine:v2") == ("mine", 2)
    guide = participation_guide_url("https://h/api/", "league_1")
    assert guide == "https://h/api/observatory/v2/participate?league_id=league_1" and NEXT_CURSOR_HEADER


def test_the_commands_can_join_another_program(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGAMES_API_URL", league.url)
    app = typer.Typer()
    register_tournament_commands(app)
    assert league.names["league"] in CliRunner().invoke(app, ["leagues"]).output
    assert CliRunner().invoke(app, ["xp-request", "--help"]).exit_code == 0


def test_timings_are_measured_from_one_clock(tmp_path: Path) -> None:
    timings = ProcessTimings(clock=TimingClock.capture())
    zero = timings.clock.monotonic_ns
    assert timings.record("setup", zero, zero + 2_000_000_000) == 2.0
    with pytest.raises(ValidationError, match="before its start"):
        TimingInterval(start_ns=2, end_ns=1)
    phases = EpisodePhaseTimings(worker=timings, game_boot_s=1.5)
    assert phases.phase_seconds() == {"game_boot": 1.5}
    assert EpisodePhaseTimings.model_validate_json(phases.model_dump_json()) == phases
