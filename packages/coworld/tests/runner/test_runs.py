"""What a run keeps to itself: its folder, its secrets; and what it says about files that are too large."""

from __future__ import annotations

import base64
import json
import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from coworld.cli.setting import check_words, player_secrets
from coworld.errors import SourceError
from coworld.runner import traces
from coworld.runner.lock import sole_use
from coworld.runner.log_end import describe_log_end
from coworld.runner.options import LiveEpisode
from coworld.runner.play import build_play_links
from coworld.runner.redaction import Redactor, secret_values
from coworld.runner.replay import require_replay
from coworld.runner.runner import RunnerEpisodeError, run_episode
from packages.coworld.tests.worlds import world
from softmax.cli.errors import CommandError, UsageError


def _second_run(folder: str) -> None:
    try:
        with sole_use(Path(folder)):
            os._exit(0)
    except SourceError:
        os._exit(7)


def test_a_second_run_in_one_folder_is_refused_and_leaves_the_first_alone(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    workspace = tmp_path / "out"
    refusals: list[SourceError] = []

    def second(live: LiveEpisode) -> None:
        def run() -> None:
            try:
                run_episode(package, request, engine=engine, workspace=workspace, budget_seconds=20)
            except SourceError as error:
                refusals.append(error)

        before = sorted(path.name for path in workspace.iterdir())
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert sorted(path.name for path in workspace.iterdir()) == before

    outcome = run_episode(package, request, engine=engine, workspace=workspace, budget_seconds=30, on_ready=second)
    assert outcome.ok, outcome.error
    assert [str(error).endswith("would be mixed up with these") for error in refusals] == [True]
    assert not (workspace / ".coworld.lock").exists()
    assert run_episode(package, request, engine=engine, workspace=workspace, budget_seconds=30).ok


def test_a_folder_is_held_against_other_processes_and_free_afterwards(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process
    with sole_use(tmp_path), sole_use(tmp_path):  # a caller may hold it twice
        other = process(target=_second_run, args=(str(tmp_path),))
        other.start()
        other.join()
        assert other.exitcode == 7
    later = process(target=_second_run, args=(str(tmp_path),))
    later.start()
    later.join()
    assert later.exitcode == 0


SECRETS = {"KEY": 'a"secret/value', "PIN": "4711", "AWS_REGION": "us-east-1", "DEBUG": "true", "N": "1"}


def test_secrets_stay_out_of_every_log_and_a_region_is_none(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path, players=("tells_secrets", "good"))
    workspace = tmp_path / "out"
    outcome = run_episode(package, request, engine=engine, workspace=workspace, budget_seconds=30, secret_env=SECRETS)
    kept = b"".join(path.read_bytes() for path in workspace.rglob("*") if path.is_file())
    log = (workspace / "logs" / "policy_agent_0.log").read_text()
    assert "KEY=" in log and "us-east-1" in log, outcome.error
    for form in ('a"secret/value', 'a\\"secret/value', "a%22secret%2Fvalue", "4711"):
        assert form.encode() not in kept
    assert base64.b64encode(b'a"secret/value').rstrip(b"=") not in kept
    assert outcome.error is not None and "secret" not in outcome.error.message


def test_a_short_secret_is_hidden_as_a_word_and_not_inside_others() -> None:
    clean = Redactor(["token"], secret_values({"PIN": "4711", "FLAG": "True"}))
    assert clean.text("pin=4711, 14711, 4711! true token") == "pin=reda, 14711, reda! true redac"


@pytest.mark.parametrize(("limit", "error"), [("LARGEST_RESULTS", "results_malformed"), ("LARGEST_REPLAY", None)])
def test_what_is_too_large_to_keep_is_named(
    limit: str, error: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, limit, 5)
    package, request, engine = world(tmp_path)
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out", budget_seconds=30)
    name = "results.json" if error else "replay"
    sentence = "is larger than the 5 bytes that are kept"
    assert json.loads((tmp_path / "out" / "left_out.json").read_bytes())[name] == sentence
    if error:
        assert outcome.error is not None
        assert (outcome.error.error_type, outcome.error.message) == (error, f"results.json {sentence}")
    else:
        assert outcome.ok
        with pytest.raises(RunnerEpisodeError, match=f"the replay {sentence}"):
            require_replay(outcome.artifacts.replay_path)


TRACEBACK = (
    'Traceback (most recent call last):\n  File "server.py", line 1\n    raise ValueError("no")\nValueError: no\n'
)


@pytest.mark.parametrize(
    ("log", "says"),
    [
        ("", ""),
        ("starting\n", "; the last line of its log: starting"),
        (TRACEBACK, ": ValueError: no"),
        (f"{TRACEBACK}cleaning up\nbye\n", ": ValueError: no"),
        (
            TRACEBACK.replace("ValueError: no", "game.errors.BadBoardError: it is 3 x 0"),
            ": game.errors.BadBoardError: it is 3 x 0",
        ),
    ],
)
def test_a_failure_shows_the_exception_and_else_the_last_line(log: str, says: str) -> None:
    assert describe_log_end(log) == says


def test_bedrock_without_keys_is_refused_and_a_profile_gives_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    credentials, config = tmp_path / "credentials", tmp_path / "config"
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(credentials))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    for profile in (None, "work"):
        with pytest.raises(CommandError, match="`--use-bedrock` needs AWS keys"):
            player_secrets([], use_llm=False, use_bedrock=True, aws_profile=profile)
    credentials.write_text("[work]\naws_access_key_id = AKIA\naws_secret_access_key = 50%secret\n")
    config.write_text("[profile work]\nregion = eu-west-1\n")
    secrets = player_secrets([], use_llm=False, use_bedrock=True, aws_profile="work")
    assert secrets.env["AWS_SECRET_ACCESS_KEY"] == "50%secret" and secrets.env["AWS_REGION"] == "eu-west-1"
    assert secrets.hosts == ["bedrock-runtime.eu-west-1.amazonaws.com:443"]
    secrets = player_secrets([], use_llm=False, use_bedrock=True, aws_profile="work", aws_region="us-west-2")
    assert secrets.hosts == ["bedrock-runtime.us-west-2.amazonaws.com:443"]
    with pytest.raises(UsageError, match="are for `--use-bedrock`"):
        player_secrets([], use_llm=False, use_bedrock=False, aws_region="us-west-2")


def test_hints_are_commands_that_a_shell_reads() -> None:
    with pytest.raises(UsageError) as refused:
        check_words(["python player.py --name 'a b'"])
    assert refused.value.hints == ["--run python --run player.py --run --name --run 'a b'"]
    links = build_play_links(["x"], ["a b"], game_port=1, admin_token="s")
    assert links.admin == "http://127.0.0.1:1/client/admin?token=s"


def test_the_record_names_the_hosts_behind_a_proxy(tmp_path: Path) -> None:
    package, request, engine = world(tmp_path)
    hosts = ["models.example:443"]
    outcome = run_episode(package, request, engine=engine, workspace=tmp_path / "out", budget_seconds=30, egress=hosts)
    assert outcome.ok, outcome.error
    record = json.loads((tmp_path / "out" / "isolation.json").read_bytes())
    reaches = [entry["reaches"] for entry in record["runnables"]]
    assert reaches == ["the runner's log", *["the game, models.example:443 through a logging proxy"] * 2]
