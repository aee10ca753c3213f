"""Data of the pages of leagues: the numbers of the public API, in words, for those who may see them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Engine, event

from observatory.database.cache import Cache
from observatory.database.tables.leagues import Division, League
from observatory.leagues.ladder_settings import Ladder, SettingsDocument
from packages.observatory.tests.leagues.field import raw
from packages.observatory.tests.rounds.conftest import Yard, alphabetical, blames

API = "/observatory/api"
BROKEN = {"error_type": "worker_error", "message": "the machine lost power"}


@contextmanager
def counted_queries() -> Iterator[list[str]]:
    statements: list[str] = []

    def count(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.lstrip().upper().startswith("SELECT"):
            statements.append(statement)

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", count)


def two_divisions(yard: Yard, **ladder: Any) -> dict[str, str]:
    """Start a league with two levels and lines between them; the divisions."""
    yard.start()
    body = {"divisions": [{"name": "Gold", "level": 2}, {"name": "Competition", "level": 1}]}
    yard.call("PUT", f"/v2/leagues/{yard.league}/divisions", body)
    divisions = yard.divisions()
    rules = [
        {"division_id": divisions["Competition"], "maximum_rating": 1515.0},
        {"division_id": divisions["Gold"], "minimum_rating": 1500.0},
    ]
    yard.configure({"divisions": rules, **ladder}, round_interval_minutes=10)
    return divisions


def test_a_league_says_what_it_plays_and_what_it_waits_for(yard: Yard, clock: Any) -> None:
    divisions = two_divisions(yard)
    path = f"{API}/leagues/{yard.league}"
    yard.check()
    page = yard.read(path)
    assert page["state"]["sentence"] == "The division has 0 champions and needs 2"
    yard.enter("ada", "bob", "carol")
    yard.check()
    yard.play(limit=1)
    page = yard.read(path)
    assert page["state"]["sentence"] == "Playing round 1 of Competition" and page["state"]["state"] == "playing"
    gold, competition = page["division_cards"]
    assert (gold["name"], gold["state"], gold["champions"]) == ("Gold", "waiting", 0)
    assert (competition["members"], competition["champions"], competition["state"]) == (3, 3, "playing")
    assert competition["why"] == "Round 1: 1 of 3 episodes have ended"
    line = competition["round"]
    assert (line["episodes"], line["ended"], line["waiting"], line["kind"]) == (3, 1, 2, "ladder")
    yard.play()
    yard.check()
    [card] = yard.read(f"{API}/leagues")
    assert card["leader"]["player"]["name"] == "ada" and card["leader_label"] == "Elo"
    assert (card["players"], card["members"], card["rounds"], card["playing"]) == (3, 3, 1, [])
    assert card["state"]["sentence"] == "The next round is due in Competition"
    assert card["state"]["next_at"] is not None  # ada alone in Gold waits for a second champion
    page = yard.read(path)
    assert [place["player"]["name"] for place in page["division_cards"][1]["best"]] == ["bob", "carol"]
    assert page["division_cards"][0]["best"][0]["policy"]["name"] == "ada"
    yard.call("POST", f"/v2/leagues/{yard.league}/rounds-paused", {"paused": True})
    assert yard.read(path)["state"]["sentence"] == "The owner of the league has paused rounds"
    assert page["rules"][0]["round_structure"].startswith("Every entrant meets every other")
    commands = [command for step in page["commands"] for command in step["commands"]]
    assert any(command.startswith(f"coworld submit my-policy --league {yard.league}") for command in commands)
    rounds = yard.read(f"{path}/rounds", division=divisions["Competition"])
    assert rounds["total"] == 1 and rounds["rows"][0]["winner"]["name"] == "ada"
    kinds = [row["kind"] for row in yard.read(f"{path}/events", limit=3)["rows"]]
    assert kinds[0] == "league_paused"


@pytest.mark.any_database
def test_the_table_of_a_division_has_the_published_numbers_form_and_lines(yard: Yard, clock: Any) -> None:
    divisions = two_divisions(yard)
    yard.enter("ada", "bob", "carol")
    yard.round()
    yard.enter("dave")
    competition = f"{API}/divisions/{divisions['Competition']}"
    table = yard.read(f"{competition}/table")
    published = yard.read(f"/v2/divisions/{divisions['Competition']}/leaderboard")
    assert [(row["rank"], row["player"]["id"], row["score"], row["rounds"]) for row in table["rows"]] == [
        (row["rank"], row["player_id"], row["score"], row["rounds_played"]) for row in published
    ]
    assert (table["score_label"], table["measured_label"], table["view"]) == ("Elo", "Mean score", "rating")
    bob, carol = table["rows"]
    assert bob["settling"] is True and bob["low"] is None and bob["measured"] == 0.5
    assert [(point["rank"], point["of"], point["rating"]) for point in bob["form"]] == [(2, 3, 1500.0)]
    assert bob["policy"]["name"] == "bob" and bob["policy"]["author"] == "bob"
    assert [row["player"]["name"] for row in table["waiting"]] == ["dave"]
    lines = table["lines"]
    assert (lines["promote_above"], lines["promote_to"]["name"], lines["relegate_below"]) == (1515.0, "Gold", None)
    assert carol["zone"] is None
    page = yard.read(competition)
    assert [division["name"] for division in page["ladder"]] == ["Gold", "Competition"]
    assert page["lines"]["sentences"][0] == "Players above 1515 move up to Gold after a round"
    gold = yard.read(f"{API}/divisions/{divisions['Gold']}/table")
    assert gold["lines"]["relegate_to"]["name"] == "Competition" and gold["rows"][0]["zone"] is None
    answer = yard.client.get(f"{competition}/table", params={"view": "none"})
    assert answer.status_code == 404 and "has no view" in answer.json()["detail"]
    clock.advance(601)
    yard.round()
    row = next(row for row in yard.read(f"{competition}/table")["rows"] if row["player"]["name"] == "carol")
    assert row["low"] < row["measured"] < row["high"] and len(row["form"]) == 2


def test_a_round_makes_no_page_of_another_division_stale_except_one_that_its_players_move_to(
    yard: Yard, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(Cache.put.__kwdefaults__, "seconds", 600.0)  # responses do not expire meanwhile
    divisions = two_divisions(yard)
    yard.enter("ada", "bob", "carol")
    paths = {
        name: [
            f"{API}/divisions/{division}",
            f"{API}/divisions/{division}/table",
            f"/v2/divisions/{division}/leaderboard",
        ]
        for name, division in divisions.items()
    }

    def read(name: str) -> tuple[int, list[str], list[str]]:
        page, table, board = (yard.read(path) for path in paths[name])
        shown = [row["player"]["name"] for row in table["rows"]], [row["player_name"] for row in board]
        return page["rounds"], *shown

    yard.check()
    assert read("Gold") == (0, [], []) and read("Competition") == (0, [], [])
    yard.round()
    assert read("Competition") == (1, ["bob", "carol"], ["bob", "carol"])
    assert read("Gold") == (0, ["ada"], ["ada"])  # where no round was played
    yard.configure(round_interval_minutes=10)  # without lines
    clock.advance(601)
    yard.check()
    first = yard.rounds()[-1]
    yard.play()
    for path in (*paths["Gold"], *paths["Competition"], f"{API}/rounds/{first['id']}"):
        yard.read(path)
    yard.check()
    with counted_queries() as statements:
        for path in paths["Gold"]:
            yard.read(path)
    assert statements == []
    assert read("Competition")[0] == 2
    with counted_queries() as statements:
        yard.read(f"{API}/rounds/{first['id']}")
    assert statements  # a round of the same division may be its neighbour


def test_the_loop_reads_only_divisions_in_which_something_has_changed_and_misses_none(yard: Yard, clock: Any) -> None:
    two_divisions(yard)
    loop = yard.world.app.state.league_loop
    yard.check()
    with counted_queries() as statements:
        loop.check_all(unchanged=False)
    assert len(statements) == 2  # which divisions play, and which do not
    yard.enter("ada", "bob", "carol")
    loop.check_all(unchanged=False)
    assert [row["status"] for row in yard.rounds()] == ["running"]
    yard.play()
    loop.check_all(unchanged=False)
    assert [row["status"] for row in yard.rounds()] == ["completed"]
    assert yard.member("ada")["division"]["name"] == "Gold"
    clock.advance(1)
    yard.call("POST", f"/v2/leagues/{yard.league}/trigger-round")
    loop.check_all(unchanged=False)
    assert [row["status"] for row in yard.rounds()] == ["running", "completed"]


@pytest.mark.any_database
def test_a_round_shows_its_plan_results_moves_and_every_seat(yard: Yard) -> None:
    two_divisions(yard)
    yard.enter("ada", "bob", "carol")
    yard.check()
    yard.play(lambda names: BROKEN, limit=1)
    yard.check()  # it is queued once more
    yard.play(limit=1)
    [running] = yard.rounds()
    path = f"{API}/rounds/{running['id']}"
    page = yard.read(path)
    assert (page["status"], page["episodes"], page["ended"], page["retries"]) == ("running", 3, 1, 1)
    assert page["structure"] == "Every entrant meets every other; each has at least 1 episode"
    assert [entrant["player"]["name"] for entrant in page["participants"]] == ["ada", "bob", "carol"]
    met = yard.read(f"{path}/pairings")["cells"]
    assert len(met) == 1  # while it is being played
    yard.play()
    yard.check()
    page = yard.read(path)
    published = yard.read(f"/v2/rounds/{running['id']}")["results"]
    assert [(row["rank"], row["score"], row["rating_before"], row["rating_after"]) for row in page["results"]] == [
        (row["rank"], row["score"], row["result_metadata"]["rating_before"], row["result_metadata"]["rating_after"])
        for row in published
    ]
    assert page["rating_label"] == "Elo" and page["results"][0]["won"] == 1.0
    [move] = page["moves"]
    assert (move["kind"], move["player"]["name"], move["why"]) == ("promoted", "ada", "1516.0 is above 1515")
    episodes = yard.read(f"{path}/episodes", limit=2)
    assert episodes["total"] == 3 and [row["number"] for row in episodes["rows"]] == [1, 2]
    rest = yard.read(f"{path}/episodes", limit=2, offset=2)["rows"]
    rows = [*episodes["rows"], *rest]
    assert sum(len(row["earlier"]) for row in rows) == 1
    for row in rows:
        seats = {seat["player"]["name"]: seat for seat in row["seats"] if not seat["is_filler"]}
        assert seats[min(seats)]["won"] and not seats[max(seats)]["won"] and len(seats) == 2
    pairings = yard.read(f"{path}/pairings")
    names = [entrant["player"]["name"] for entrant in pairings["entrants"]]
    cells = {(names[cell["first"]], names[cell["second"]]): cell for cell in pairings["cells"]}
    assert {pair: (cell["won"], cell["drawn"], cell["lost"]) for pair, cell in cells.items()} == {
        ("ada", "bob"): (1, 0, 0),
        ("ada", "carol"): (1, 0, 0),
        ("bob", "carol"): (1, 0, 0),
    }


@pytest.mark.any_database
def test_meetings_agree_with_what_the_ladder_rated_for_teams_and_forfeits(yard: Yard) -> None:
    yard.start({"scheduler": {"strategy": "team_pair", "min_episodes_per_entrant": 6}}, round_interval_minutes=10)
    yard.enter("ada", "bob", "carol")
    round_ = yard.round(blames("carol"))
    path = f"{API}/rounds/{round_['id']}"
    pairings = yard.read(f"{path}/pairings")
    names = [entrant["player"]["name"] for entrant in pairings["entrants"]]
    shares: dict[str, list[float]] = {name: [] for name in names}
    for cell in pairings["cells"]:
        results = [1.0] * cell["won"] + [0.5] * cell["drawn"] + [0.0] * cell["lost"]
        shares[names[cell["first"]]] += results
        shares[names[cell["second"]]] += [1 - result for result in results]
    rated = {row["player"]["name"]: row["won"] for row in yard.read(path)["results"]}
    assert {name: sum(shares[name]) / len(shares[name]) for name in rated} == pytest.approx(rated)
    forfeited = [row for row in yard.read(f"{path}/episodes")["rows"] if row["error"]]
    assert forfeited and all(
        seat["player"]["name"] == "carol" for row in forfeited for seat in row["seats"] if seat["at_fault"]
    )


@pytest.mark.any_database
def test_my_entries_say_why_a_version_does_not_play(yard: Yard, clock: Any) -> None:
    two_divisions(yard)
    yard.enter("ada", "bob")
    yard.enter("ada", auto_champion="never")
    yard.check()
    ada = yard.account("ada")
    path = f"{API}/leagues/{yard.league}"
    benched, playing = yard.client.get(path, headers=ada.headers).json()["my_entries"]
    assert (benched["state"], benched["can_be_champion"]) == ("benched", True)
    assert benched["why"] == "ada:v1 is the champion of ada and plays instead"
    assert (playing["state"], playing["why"]) == ("playing", "It plays in round 1 now")
    yard.play()
    yard.check()
    champion = yard.client.get(path, headers=ada.headers).json()["my_entries"][1]
    assert (champion["state"], champion["rank"], champion["why"][:29]) == (
        "champion",
        1,
        "It plays in the next round. T",
    )
    retire = f"/v2/league-policy-memberships/{benched['membership_id']}/retire"
    assert yard.client.post(retire, json={"reason": "too slow"}, headers=ada.headers).status_code == 200
    retired = yard.client.get(path, headers=ada.headers).json()["my_entries"][-1]
    assert (retired["state"], retired["why"], retired["can_retire"]) == ("retired", "too slow", False)
    assert yard.read(path)["my_entries"] == [] and yard.read(path)["may_manage"] is False
    assert yard.client.get(path, headers=yard.owner.headers).json()["may_manage"] is True


@pytest.mark.any_database
def test_a_player_has_memberships_ratings_and_a_history_with_reasons(yard: Yard, clock: Any) -> None:
    divisions = two_divisions(yard)
    yard.enter("ada", "bob", "carol")
    yard.round()
    clock.advance(601)
    yard.round()
    ada = yard.member("ada")["player"]["id"]
    page = yard.read(f"{API}/players/{ada}")
    assert (page["player"]["name"], page["owner"], page["mine"]) == ("ada", "ada", False)
    [membership] = page["memberships"]
    assert (membership["division"]["name"], membership["is_champion"], membership["rank"]) == ("Gold", True, 1)
    [ratings] = page["ratings"]
    assert ratings["label"] == "Elo" and [point["after"] for point in ratings["points"]] == [1516.0]
    assert [policy["policy"]["name"] for policy in page["policies"]] == ["ada"]
    assert len(page["rounds"]) == 1 and page["rounds"][0]["of"] == 3
    assert {opponent["name"] for row in page["episodes"] for opponent in row["opponents"]} == {"bob", "carol"}
    history = f"{API}/players/{ada}/history"
    rows: list[Any] = []
    cursor = None
    while True:
        part = yard.read(history, limit=1, **({} if cursor is None else {"cursor": cursor}))
        rows += part["rows"]
        cursor = part["next_cursor"]
        if cursor is None:
            break
    assert [(row["move"], row["reason"]) for row in rows] == [
        ("promoted", "1516.0 is above 1515"),
        ("changed", "Champion"),
        ("entered", "Submitted"),
    ]
    assert rows[0]["from_division"]["name"] == "Competition" and rows[0]["to_division"]["name"] == "Gold"
    with yard.world.database.transaction() as session:
        session.get_one(Division, raw(divisions["Gold"])).hidden = True
    assert yard.client.get(f"{API}/players/{ada}").status_code == 404  # it is in a hidden division only
    own = yard.client.get(history, headers=yard.account("ada").headers).json()["rows"]
    assert own[0]["to_division"]["name"] == "Gold"


@pytest.mark.any_database
def test_hidden_leagues_and_divisions_are_hidden_on_every_page(yard: Yard) -> None:
    divisions = two_divisions(yard)
    yard.enter("ada", "bob", "carol")
    round_ = yard.round()
    bob, stranger = yard.account("bob"), yard.account("stranger")
    player = yard.member("bob")["player"]["id"]
    paths = [
        f"{API}/leagues/{yard.league}",
        f"{API}/leagues/{yard.league}/rounds",
        f"{API}/leagues/{yard.league}/events",
        f"{API}/divisions/{divisions['Competition']}",
        f"{API}/divisions/{divisions['Competition']}/table",
        f"{API}/divisions/{divisions['Competition']}/members",
        f"{API}/rounds/{round_['id']}",
        f"{API}/rounds/{round_['id']}/episodes",
        f"{API}/rounds/{round_['id']}/pairings",
        f"{API}/players/{player}",
        f"{API}/players/{player}/history",
        f"/observatory/leagues/{yard.league}/rounds",
        f"/observatory/divisions/{divisions['Competition']}",
        f"/observatory/rounds/{round_['id']}",
        f"/observatory/players/{player}",
    ]

    def statuses(headers: dict[str, str]) -> set[int]:
        found = {path: yard.client.get(path, headers=headers).status_code for path in paths}
        return set(found.values())

    assert statuses({}) == {200}
    with yard.world.database.transaction() as session:
        session.get_one(Division, raw(divisions["Competition"])).hidden = True
    assert statuses({}) == {200, 404}
    page = yard.read(f"{API}/leagues/{yard.league}")
    assert [card["name"] for card in page["division_cards"]] == ["Gold"] and page["members"] == 1
    assert yard.read(f"{API}/leagues/{yard.league}/rounds")["rows"] == []
    assert statuses(bob.headers) == {200}
    with yard.world.database.transaction() as session:
        session.get_one(League, raw(yard.league)).hidden = True
    assert statuses({}) == {404} and statuses(stranger.headers) == {404}
    assert statuses(bob.headers) == {200} and statuses(yard.owner.headers) == {200}
    assert yard.read(f"{API}/leagues") == []


@pytest.mark.any_database
def test_members_are_paged_and_say_why_they_are_out(yard: Yard) -> None:
    divisions = two_divisions(yard)
    yard.enter("ada", "bob", "carol")
    retire = f"/v2/league-policy-memberships/{yard.members['bob']}/retire"
    yard.call("POST", retire, {"reason": "broken"})
    path = f"{API}/divisions/{divisions['Competition']}/members"
    live = yard.read(path)
    assert [row["player"]["name"] for row in live["rows"]] == ["carol", "ada"] and (live["live"], live["total"]) == (
        2,
        3,
    )
    first = yard.read(path, live=False, limit=2)
    rest = yard.read(path, live=False, limit=2, cursor=first["next_cursor"])
    rows = [*first["rows"], *rest["rows"]]
    assert [row["player"]["name"] for row in rows] == ["carol", "bob", "ada"]
    assert rows[1]["reason"] == "broken" and rows[1]["ended_at"] is not None
    assert not any(row["can_retire"] for row in rows)
    owned = yard.client.get(path, headers=yard.owner.headers).json()["rows"]
    assert all(row["can_retire"] and not row["is_mine"] for row in owned)


@pytest.mark.any_database
def test_the_number_of_queries_does_not_grow_with_a_league(yard: Yard, clock: Any) -> None:
    divisions = two_divisions(yard)
    ada = yard.account("ada")

    def queries() -> dict[str, int]:
        round_ = yard.rounds()[0]["id"]
        player = yard.member("ada")["player"]["id"]
        paths = [
            f"{API}/leagues",
            f"{API}/leagues/{yard.league}",
            f"{API}/leagues/{yard.league}/rounds",
            f"{API}/leagues/{yard.league}/events",
            f"{API}/divisions/{divisions['Competition']}",
            f"{API}/divisions/{divisions['Competition']}/table",
            f"{API}/divisions/{divisions['Competition']}/members",
            f"{API}/rounds/{round_}",
            f"{API}/rounds/{round_}/episodes",
            f"{API}/rounds/{round_}/pairings",
            f"{API}/players/{player}",
            f"{API}/players/{player}/history",
        ]
        numbers = {}
        for path in paths:
            yard.world.database.changes.invalidate()
            with counted_queries() as statements:
                assert yard.client.get(path, headers=ada.headers).status_code == 200
            numbers[path.replace(round_, "ROUND")] = len(statements)
        return numbers

    yard.enter("ada", "bob", "carol")
    yard.round()
    clock.advance(601)
    yard.check()
    before = queries()
    yard.play()
    yard.check()
    yard.enter("dave", "erin", "frank")
    for _ in range(3):
        clock.advance(601)
        yard.round(alphabetical)
    clock.advance(601)
    yard.check()
    assert queries() == before
    assert max(before.values()) <= 30


@pytest.mark.any_database
def test_the_form_of_the_settings_has_every_setting_with_its_meaning(yard: Yard) -> None:
    two_divisions(yard)
    path = f"{API}/leagues/{yard.league}/settings-form"
    assert yard.client.get(path, headers=yard.account("bob").headers).status_code == 403
    form = yard.call("GET", path)
    assert form["revision"] == yard.call("GET", f"/v2/leagues/{yard.league}/settings")["revision"]
    assert form["settings"]["round_interval_minutes"] == 10
    steps = {step.partition("[")[0] for field in form["fields"] for step in field["path"]}
    assert set(Ladder.model_fields) <= steps
    assert set(SettingsDocument.model_fields) - {"counterfactual_eval"} <= steps
    assert [field["path"] for field in form["fields"] if not field["about"]] == []
    [strategy] = [field for field in form["fields"] if field["path"] == ["ladder", "scheduler", "strategy"]]
    assert strategy["default"] == "swiss_neighbor" and "team_pair" in strategy["choices"]
    [factor] = [field for field in form["fields"] if field["path"][-1] == "k_factor"]
    assert (factor["default"], factor["maximum"], factor["only_with"]) == (32.0, 10_000, {"algorithm": "elo"})
    groups = {field["group"] for field in form["fields"]}
    assert {"Moves from Gold", "Moves from Competition"} <= groups


@pytest.mark.any_database
def test_a_table_with_several_views_shows_the_chosen_one(yard: Yard) -> None:
    divisions = two_divisions(yard)
    yard.enter("ada", "bob", "carol")
    yard.round()
    competition = divisions["Competition"]
    board = yard.read(f"/v2/divisions/{competition}/leaderboards")
    [rating] = board["views"]
    columns = [
        {"key": "rank", "label": "Rank", "value_type": "integer", "sort": "asc"},
        {"key": "win_rate", "label": "Win %", "value_type": "percent", "sort": "desc"},
        {"key": "map", "label": "Best map", "value_type": "string"},
    ]
    rows = [
        {**row, "values": {"rank": rank, "win_rate": 0.5 / rank, "map": "small"}}
        for rank, row in enumerate(reversed(rating["rows"]), 1)
    ]
    wins = {"key": "wins", "title": "Wins", "axis_values": {"map": "all"}, "columns": columns, "rows": rows}
    with yard.world.database.transaction() as session:
        row = session.get_one(Division, raw(competition))
        row.leaderboards = {**board, "views": [rating, wins]}
    path = f"{API}/divisions/{competition}/table"
    table = yard.read(path)
    assert [view["key"] for view in table["views"]] == ["rating", "wins"] and table["view"] == "rating"
    table = yard.read(path, view="wins")
    assert (table["score_label"], table["score_key"], table["measured_label"]) == ("Win %", "win_rate", None)
    assert [column["key"] for column in table["columns"]] == ["map"]
    assert table["lines"]["promote_above"] is None  # the lines are about the rating
    assert [(row["player"]["name"], row["score"], row["zone"]) for row in table["rows"]] == [
        ("carol", 0.5, None),
        ("bob", 0.25, None),
    ]
