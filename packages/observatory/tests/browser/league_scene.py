"""A league that has played: three divisions, a qualification, rounds with forfeits and moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from observatory.accounts.passwords import hash_password
from observatory.database.tables.accounts import Player, User
from observatory.database.tables.leagues import League, Round, RoundStatus
from packages.observatory.tests.leagues.field import raw
from packages.observatory.tests.rounds.conftest import Fault, Yard, alphabetical

PASSWORD = "correct horse battery"
MARKUP = "<img src=x onerror=\"document.body.id='broken'\"><b>bold</b>"
NAMES = ("ada", "bob", "carol", "dave", "erin")
RENDER = "<h1>Seen by the commissioner</h1><script>document.title='broken'; parent.document.title='broken'</script>"


@dataclass
class LeagueScene:
    yard: Yard
    divisions: dict[str, str]
    round: str
    """the last completed round of the competition"""
    playing: str
    """the round that is being played"""
    player: str
    """with a history of moves"""

    def addresses(self) -> list[str]:
        league, competition = f"/observatory/leagues/{self.yard.league}", self.divisions["Competition"]
        return [
            "/observatory/leagues",
            league,
            f"{league}/rounds",
            f"{league}/events",
            f"{league}/rules",
            f"{league}/manage",
            f"/observatory/divisions/{competition}",
            f"/observatory/divisions/{competition}/rounds",
            f"/observatory/divisions/{competition}/members",
            f"/observatory/divisions/{competition}/rules",
            f"/observatory/divisions/{self.divisions['Qualifiers']}",
            f"/observatory/rounds/{self.round}",
            f"/observatory/rounds/{self.playing}",
            f"/observatory/players/{self.player}",
        ]


def carol_breaks_once() -> Any:
    """Episodes in which the first name of the alphabet wins; carol is at fault in one of them."""
    broken: list[bool] = []

    def play(names: list[str]) -> list[float] | Fault:
        seats = [seat for seat, name in enumerate(names) if name.startswith("carol:")]
        if seats and not broken:
            broken.append(True)
            return {"error_type": "player_error", "message": "carol crashed", "failed_policy_index": seats[0]}
        return alphabetical(names)

    return play


def play_league(yard: Yard, clock: Any) -> LeagueScene:
    yard.start()
    wanted = [
        {"name": "Gold", "level": 2, "description": "The best players"},
        {"name": "Competition", "level": 1},
        {"name": "Qualifiers", "level": -1, "type": "staging"},
    ]
    yard.call("PUT", f"/v2/leagues/{yard.league}/divisions", {"divisions": wanted})
    divisions = yard.divisions()
    rules = [
        {"division_id": divisions["Competition"], "maximum_rating": 1530.0},
        {"division_id": divisions["Gold"], "minimum_rating": 1470.0},
    ]
    ladder = {"divisions": rules, "qualification": {"gate": {"minimum_score": 0}}}
    yard.configure(ladder, round_interval_minutes=10)
    yard.enter(*NAMES, "zoe")
    yard.check()
    yard.play()  # everyone qualifies
    yard.check()
    for _ in range(3):
        yard.play(carol_breaks_once())
        yard.check()
        clock.advance(601)
        yard.check()
    yard.play(limit=1)
    yard.enter("ada", auto_champion="never")
    yard.check()
    zoe = yard.account("zoe").user_id
    with yard.world.database.transaction() as session:
        session.get_one(User, yard.owner.user_id).password_hash = hash_password(PASSWORD)
        session.query(Player).filter_by(user_id=zoe).one().name = MARKUP
    rounds = yard.read("/v2/rounds", division_id=divisions["Competition"])["entries"]
    completed = next(row["id"] for row in rounds if row["status"] == "completed")
    playing = next(row["id"] for row in rounds if row["status"] == "running")
    return LeagueScene(yard, divisions, completed, playing, yard.member("ada")["player"]["id"])


def commissioner_round(scene: LeagueScene) -> str:
    """Put a round with a report of its commissioner into the database, as a conversation leaves it; its id."""
    yard = scene.yard
    with yard.world.database.transaction() as session:
        now = yard.world.clock()
        session.get_one(League, raw(yard.league)).commissioner_key = "container"
        row = Round(
            division_id=raw(scene.divisions["Gold"]),
            round_number=900,
            commissioner_key="container",
            execution_backend="dispatch",
            round_config={"stages": []},
            round_display={
                "notes": "An extra round",
                "warnings": ["the state was too large"],
                "observability": {"rule_id": "score_gate", "rule_description": "Above 3", "render_html": RENDER},
                "rejected": ["impossible"],
            },
            status=RoundStatus.FAILED,
            error="The program ended 3 times",
            created_at=now,
            completed_at=now,
        )
        session.add(row)
        session.flush()
        return f"round_{row.id}"
