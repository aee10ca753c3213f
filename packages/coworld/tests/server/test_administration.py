"""Players, leagues and rights: who may do what, and what a mistake says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Call


def test_a_user_acts_as_one_of_their_players(call: Call, ask: Any) -> None:
    created = ask("player create second")
    assert created["name"] == "second"
    active = ask("player use second")
    assert active["player_id"] == created["id"]
    said = call("--elevated leagues")
    # `call` saves the user's token again, which ends the player's session.
    assert said.code == 0
    assert call("player use no-such-player").code == 2
    assert ask("player unset")["player_id"] is None


def test_a_players_session_cannot_be_elevated(call: Call, ask: Any) -> None:
    from packages.coworld.tests.cli.conftest import coworld

    ask("player use {player}")
    said = coworld("--elevated", "leagues")
    assert said.code == 1 and "--elevated needs your own account" in said.err


def test_administrators_need_to_say_that_they_act_as_such(call: Call) -> None:
    assert call("visibility paintarena public", user="admin_token").code == 1
    said = call("--elevated visibility paintarena public", user="admin_token")
    assert said.code == 0, said.err
    assert call("visibility paintarena private").code == 2


def test_a_league_is_changed_by_its_owner(call: Call, ask: Any) -> None:
    changed = ask("league update {seed} --set minimum_champions=4 --default-variant small")
    assert changed["overrides"]["minimum_champions"] == 4 and changed["default_variant_id"] == "small"
    assert ask("league lock {league} --submissions")["submissions_locked"]
    said = call("submit theirs --league {league} --no-open-browser", user="other_token")
    assert said.code == 1 and "locked" in said.err
    assert not ask("league lock {league} --no-submissions")["submissions_locked"]
    assert call("league update {seed} --set x=1", user="other_token").code == 1
    assert call("league setup {league} --preview").code == 1
    assert ask("--elevated league setup {league} --preview", user="admin_token")["status"]


def test_an_owner_decides_how_rounds_are_played(call: Call, ask: Any) -> None:
    Path("settings.json").write_text(json.dumps({"ladder": {"enabled": True}, "round_interval_minutes": 10}))
    changed = ask("league settings {league} settings.json")
    assert changed["effective_ladder_config"]["ranking"]["k_factor"] == 32.0
    assert json.loads(call("league settings {league}").out)["round_interval_minutes"] == 10
    assert ask("league pause {league}")["rounds_paused_at"]
    said = call("league trigger {league}")
    assert said.code == 1 and "paused" in said.err
    assert call("league resume {league}").out == "Rounds of Paint Main are played\n"
    assert call("league trigger {league}").code == 0
    said = call("league cancel-round {round}")
    assert said.code == 1 and "completed already" in said.err
    assert call("league pause {league}", user="other_token").code == 1
    Path("settings.json").write_text("[]")
    assert call("league settings {league} settings.json").code == 2
    Path("settings.json").write_text('{"ladder": {"speed": 1}}')
    said = call("league settings {league} settings.json")
    assert said.code == 1 and "There is no setting ladder.speed" in said.err


def test_leagues_are_rebound_by_a_plan(call: Call, ask: Any) -> None:
    Path("plan.json").write_text("{}")
    assert call("league rebind plan.json").code == 2
    seed = ask("league list")[0]
    plan = [{"seed_id": seed["id"], "coworld_name": "paintarena", "league_key": "moved"}]
    Path("plan.json").write_text(json.dumps(plan))
    said = call("--elevated league rebind plan.json", user="admin_token")
    assert said.code == 0 and "--commit" in said.err, said.err


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("results nothing", 2, "is not the id of a league, division or round"),
        ("leagues league_none", 1, "league_none"),
        ("submit absent --league {league}", 1, "You have no policy absent"),
        ("submit mine:v0 --league {league}", 2, "Invalid policy version"),
        ("submit mine --league nowhere", 1, "No league has the name 'nowhere'"),
        ("submit mine --league {league} --auto-champion sometimes", 2, "--auto-champion"),
        ("submit mine --league {league} --preference x", 2, "KEY=VALUE"),
        ("power-analysis {coworld}", 2, "is not the id of a division or league"),
        ("upload-policy", 2, "either an image or --file"),
        ("upload-policy --file nowhere --name x", 1, "cannot be read"),
        ("upload-policy --file . --name x --llm-model m", 2, "--use-llm"),
        ("upload-coworld", 2, "either a manifest or --from-coworld"),
        ("upload-coworld --from-coworld paintarena --image game", 2, "TARGET=IMAGE"),
        ("retry-certification {coworld}", 1, "certified already"),
        ("hosted-game join ps_none", 1, "ps_none not found"),
        ("show no-such-game", 1, "no-such-game"),
        ("images img_none", 1, "img_none"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(line: str, code: int, sentence: str, call: Call) -> None:
    said = call(line)
    assert said.code == code, (said.out, said.err)
    assert sentence in said.err and said.err.startswith("Error: ")


def test_without_a_token_public_rows_can_be_read_and_nothing_else(league: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from packages.coworld.tests.cli.conftest import coworld

    monkeypatch.setenv("COGAMES_API_URL", f"{league.url}/api")
    assert coworld("leagues").code == 0
    assert coworld("show", league.names["coworld"]).code == 0
    for words in (["submissions", "--mine"], ["xp-request", "list"], ["credits"]):
        said = coworld(*words)
        assert said.code == 1 and "not signed in" in said.err and "softmax login" in said.err
