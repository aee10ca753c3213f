"""The settings of a league: how its ladder draws seats, retries, ranks and moves players.

`POST /v2/leagues/{id}/settings` sends the whole document. A knob that does not exist, or that the chosen strategy or
ranking does not use, is an error.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from observatory.jobs.labels import MAX_LABELS, WorkerLabel

__all__ = [
    "BalancedRotation",
    "CloneFill",
    "Continuous",
    "Elo",
    "Ladder",
    "LadderDivision",
    "OpenSkill",
    "RandomFill",
    "Ranking",
    "RoundRobin",
    "ScalingRoster",
    "Scheduler",
    "Score",
    "SettingsDocument",
    "SwissNeighbor",
    "TeamN",
    "TeamPair",
    "VariableSeat",
    "default_settings",
]

MAX_INTERVAL_MINUTES = 4 * 7 * 24 * 60
MAX_EPISODES = 10_000
MAX_SEATS = 1000

Count = Annotated[int, Field(ge=1, le=MAX_EPISODES)]
Seats = Annotated[int, Field(ge=1, le=MAX_SEATS)]
VariantId = Annotated[str, Field(min_length=1, max_length=200)]
Variants = Annotated[list[VariantId], Field(max_length=100)]


class _Knobs(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class _Scheduler(_Knobs):
    insufficient_players: Literal["multiple_seats", "filler_policy", "do_not_run"] = "multiple_seats"
    """what happens with fewer entrants than seats"""
    variant_rotation: Variants | None = None
    """variants of the game that rounds play in turn; the default variant without them"""
    variant_rotation_by_seat_count: dict[Seats, Variants] | None = None
    """the same, by the number of seats"""


class _Matched(_Scheduler):
    matchmaking: Literal["random", "elo_softmax"] = "random"
    """`elo_softmax` prefers opponents of similar strength"""
    matchmaking_temperature: float = Field(default=100.0, gt=0, le=10_000)
    """in Elo points"""


class SwissNeighbor(_Scheduler):
    """neighbours in the table meet"""

    strategy: Literal["swiss_neighbor"]
    min_episodes_per_entrant: Count = 8
    """each entrant has at least this many episodes in a round"""
    neighbor_window: Seats = 1
    """how many groups apart neighbours may be"""


class RoundRobin(_Scheduler):
    """every entrant meets every other"""

    strategy: Literal["round_robin"]
    min_episodes_per_entrant: Count = 1
    """each entrant has at least this many episodes in a round"""


class _EitherCount(_Matched):
    num_episodes: Count | None = None
    """episodes of a round; give this or `min_episodes_per_entrant`"""
    min_episodes_per_entrant: Count | None = None
    """each entrant has at least this many episodes; give this or `num_episodes`"""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.num_episodes is None) == (self.min_episodes_per_entrant is None):
            raise ValueError("give exactly one of num_episodes and min_episodes_per_entrant")
        return self


class BalancedRotation(_EitherCount):
    """entrants that have met least meet"""

    strategy: Literal["balanced_rotation"]


class RandomFill(_EitherCount):
    """entrants are drawn at random"""

    strategy: Literal["random_fill"]


class TeamPair(_Matched):
    """two teams of clones; each pair plays both sides"""

    strategy: Literal["team_pair"]
    team_layout: Literal["interleaved", "blocks"] = "interleaved"
    """seats of the teams alternate, or each team has a block of seats"""
    min_episodes_per_entrant: Count = 8
    """each entrant has at least this many episodes in a round"""


class TeamN(_Matched):
    """several teams of clones or of different entrants"""

    strategy: Literal["team_n"]
    team_count: Seats
    """how many teams meet in an episode; it divides the seats"""
    team_layout: Literal["interleaved", "blocks"] = "interleaved"
    """seats of the teams alternate, or each team has a block of seats"""
    num_episodes: Count
    """episodes of a round"""
    allied_teams: list[list[Annotated[int, Field(ge=0, le=MAX_SEATS)]]] | None = Field(default=None, max_length=100)
    """teams that win and lose together"""
    distinct_teammates: bool = False
    """every seat of a team has another entrant"""

    @model_validator(mode="after")
    def _alliances_are_of_teams(self) -> Self:
        teams = [team for allied in self.allied_teams or [] for team in allied]
        if len(set(teams)) != len(teams) or any(team >= self.team_count for team in teams):
            raise ValueError("allied_teams has a team twice, or one that is not below team_count")
        return self


class VariableSeat(_Scheduler):
    """a number of entrants drawn for each episode"""

    strategy: Literal["variable_seat"]
    seat_count_min: Seats
    """the smallest number of seats of an episode"""
    seat_count_max: Seats
    """the largest number of seats of an episode"""
    seat_count_weights: dict[Seats, Annotated[float, Field(ge=0, le=1e6)]] | None = None
    """how often each number of seats is drawn; equally often without them"""
    min_episodes_per_entrant: Count
    """each entrant has at least this many episodes in a round"""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.seat_count_min > self.seat_count_max:
            raise ValueError("seat_count_min is greater than seat_count_max")
        return self


class ScalingRoster(_Scheduler):
    """as many entrants as the largest table seats"""

    strategy: Literal["scaling_roster"]
    seat_rungs: list[Seats] = Field(min_length=1, max_length=100)
    """numbers of seats; the largest that the entrants fill is played"""
    rotate_seat_rungs: bool = False
    """play the numbers of seats in turn"""
    episodes_per_round: Count = 1
    """episodes of a round"""
    roster_overflow: Literal["rotate", "drop"] = "rotate"
    """entrants beyond the seats take turns, or do not play"""


class CloneFill(_Scheduler):
    """each entrant plays alone, in all seats"""

    strategy: Literal["clone_fill"]
    episodes_per_entrant: Count = 1
    """episodes that each entrant plays"""
    seat_count: Seats | None = None
    """how many seats the entrant has; all seats of the variant by default"""
    clone_score_aggregation: Literal["mean", "sum"] = "mean"
    """the score of an entrant from those of its seats"""


class Elo(_Knobs):
    """points won and lost against expected results"""

    algorithm: Literal["elo"]
    initial_rating: float = Field(default=1500.0, ge=-100_000, le=100_000)
    """the rating of a new player"""
    k_factor: float = Field(default=32.0, gt=0, le=10_000)
    """the most points that a round can move"""
    round_scoring_rule: Literal["mean", "ewma"] = "mean"
    """how the round scores of a player are summed up beside the rating"""
    margin_scale: float | None = Field(default=None, gt=0, le=1e9)
    """a lead of this many points of score is a full win, smaller ones a part of it; any lead wins without it"""
    new_version_k_multiplier: float = Field(default=1.0, gt=0, le=1000)
    """the K factor of a new version is multiplied by this"""
    new_version_rounds: int = Field(default=0, ge=0, le=MAX_EPISODES)
    """for this many rounds"""


class OpenSkill(_Knobs):
    """a strength and its uncertainty, for episodes with many sides"""

    algorithm: Literal["openskill"]
    mu: float = Field(default=25.0, ge=-1e6, le=1e6)
    """the strength of a new player"""
    sigma: float = Field(default=25 / 3, gt=0, le=1e6)
    """the uncertainty of a new player"""
    beta: float | None = Field(default=None, gt=0, le=1e6)
    """half of sigma by default"""
    tau: float | None = Field(default=None, ge=0, le=1e6)
    """how much the uncertainty grows before each round"""
    margin_scale: float | None = Field(default=None, gt=0, le=1e9)
    """a lead of this many points of score is a full win, smaller ones a part of it; any lead wins without it"""
    new_version_sigma: float | None = Field(default=None, gt=0, le=1e6)
    """the uncertainty rises to this when a player enters a new version"""
    role_advantage_sigma: float | None = Field(default=None, gt=0, le=1e6)
    """chance that the drawn seats add to each result"""


class Score(_Knobs):
    """the round scores themselves"""

    algorithm: Literal["score"]
    standing_aggregation: Literal["ewma", "mean", "max", "min", "rated", "latest"] = "mean"
    """how round scores become a standing; `rated` is the share of meetings won"""
    half_life_hours: float | None = Field(default=None, gt=0, le=100_000)
    """with `ewma`: after this time a score has half its weight"""
    initial_standing: float | None = Field(default=None, ge=-1e12, le=1e12)
    """the standing of a new player"""

    @model_validator(mode="after")
    def _half_life_is_of_ewma(self) -> Self:
        if self.half_life_hours is not None and self.standing_aggregation != "ewma":
            raise ValueError("half_life_hours is a knob of the aggregation ewma")
        return self


def _with_default(key: str, value: str) -> BeforeValidator:
    """Fill in the word that chooses a variant of a union."""
    return BeforeValidator(lambda document: {key: value, **document} if isinstance(document, dict) else document)


Scheduler = Annotated[
    Annotated[
        SwissNeighbor
        | RoundRobin
        | BalancedRotation
        | RandomFill
        | TeamPair
        | TeamN
        | VariableSeat
        | ScalingRoster
        | CloneFill,
        Field(discriminator="strategy"),
    ],
    _with_default("strategy", "swiss_neighbor"),
]
Ranking = Annotated[
    Annotated[Elo | OpenSkill | Score, Field(discriminator="algorithm")], _with_default("algorithm", "elo")
]


class Fulfillment(_Knobs):
    allowed_failures: float = Field(default=0.05, ge=0, le=1)
    """the share of episodes that may stay failed in a round that counts"""
    retry_times: int = Field(default=2, ge=0, le=20)
    """how often an episode is repeated that failed because of a machine"""


class LadderDivision(_Knobs):
    division_id: str = Field(max_length=200)
    name: str | None = Field(default=None, max_length=200)
    disqualify_after_consecutive_failures: int | None = Field(default=3, ge=1, le=1000)
    """rounds in a row in which a policy is at fault, after which it is disqualified"""
    minimum_rating: float | None = Field(default=None, ge=-1e12, le=1e12)
    """a player below this rating moves down (rankings `elo` and `openskill`)"""
    maximum_rating: float | None = Field(default=None, ge=-1e12, le=1e12)
    """a player above this rating moves up (rankings `elo` and `openskill`)"""
    minimum_standing: float | None = Field(default=None, ge=-1e12, le=1e12)
    """a player below this standing moves down (ranking `score`)"""
    maximum_standing: float | None = Field(default=None, ge=-1e12, le=1e12)
    """a player above this standing moves up (ranking `score`)"""


class Continuous(_Knobs):
    """Each new champion is graded alone, at once."""

    enabled: bool = False
    """grade each new champion alone, at once; needs the ranking `score`"""
    variant_id: VariantId | None = None
    """the variant that is played; the default one without it"""
    seats_per_episode: Seats | None = None
    """how many seats the champion has"""
    regrade_interval_minutes: int | None = Field(default=None, ge=1, le=MAX_INTERVAL_MINUTES)
    """grade each champion again after this time; never without it"""
    max_policies_per_round: Count | None = None
    """how many champions a round grades; all that are due by default"""
    fixed_policy_version_ids: list[str] = Field(default_factory=list, max_length=100)
    """policy versions in the other seats: of the owner, or members of the league"""


class PersistentRuntime(_Knobs):
    game_config_overlay_secret: str | None = Field(default=None, max_length=200)
    """names a secret of the game with values for the configuration of the lasting games"""


class Persistent(_Knobs):
    """Every player has a lasting game; a round counts a recorded window of these games, and nothing is played."""

    enabled: bool = False
    """count recorded windows of lasting games instead of episodes"""
    runtime: PersistentRuntime = Field(default_factory=PersistentRuntime)
    """`{"game_config_overlay_secret": "NAME"}` names a secret with values for the configuration of these games"""
    game_config_overrides: dict[str, Any] = Field(default_factory=dict)
    """changes of the game's configuration for these games"""


class QualificationExperience(_Knobs):
    game_config_overrides: dict[str, Any] = Field(default_factory=dict)
    entrant_preferences_field: str | None = Field(default=None, max_length=200)


class Qualification(_Knobs):
    """A new member first plays against itself, and passes or not."""

    experience: QualificationExperience = Field(default_factory=QualificationExperience)
    """changes of the game's configuration for the episode that qualifies"""
    gate: dict[str, Any] = Field(default_factory=dict)
    """`{"minimum_score": 1}` asks for a score; without it playing to the end is enough"""


class Ladder(_Knobs):
    enabled: bool = False
    """whether the server plays rounds of this league"""
    scheduler: Scheduler = Field(default_factory=lambda: SwissNeighbor(strategy="swiss_neighbor"))
    fulfillment: Fulfillment = Field(default_factory=Fulfillment)
    ranking: Ranking = Field(default_factory=lambda: Elo(algorithm="elo"))
    divisions: list[LadderDivision] = Field(default_factory=list, max_length=50)
    qualification: Qualification | None = None
    players_per_user: int | None = Field(default=None, ge=1, le=1000)
    """how many players of a user may be in the league; by default the Coworld says it, else 2"""
    leader_slot_config: dict[str, Any] | None = None
    """merged into `slots` of the game's configuration, for the seats of the player that leads the table"""
    round_trigger: Literal["interval", "new_policy"] = "interval"
    """when a round is due: after the interval, or when a champion is a new version"""
    continuous: Continuous | None = None
    persistent: Persistent | None = None

    @model_validator(mode="after")
    def _modes_fit_together(self) -> Self:
        is_continuous = self.continuous is not None and self.continuous.enabled
        is_persistent = self.persistent is not None and self.persistent.enabled
        if is_continuous and self.ranking.algorithm != "score":
            raise ValueError("continuous needs the ranking algorithm score")
        if is_continuous and is_persistent:
            raise ValueError("continuous and persistent exclude each other")
        if self.round_trigger == "new_policy" and (is_continuous or is_persistent):
            raise ValueError("round_trigger new_policy excludes continuous and persistent")
        return self


class SettingsDocument(_Knobs):
    """The whole document."""

    ladder: Ladder = Field(default_factory=Ladder)
    round_interval_minutes: int | None = Field(default=None, ge=1, le=MAX_INTERVAL_MINUTES)
    """minutes from the start of one round to the next; without it a round begins when the last one has ended"""
    counterfactual_eval: dict[str, Any] = Field(default_factory=dict)
    role_runs: list[Literal["reporter", "grader"]] = Field(default_factory=list, max_length=2)
    """roles of the game's manifest that look at every completed episode"""
    worker_labels: list[WorkerLabel] = Field(default_factory=list, max_length=MAX_LABELS)
    """labels that a worker must have to play its episodes, such as `["gpu"]`"""

    def stored(self) -> dict[str, Any]:
        """Return the document as it was sent."""
        return self.model_dump(mode="json", exclude_unset=True)

    def effective_ladder(self) -> dict[str, Any]:
        """Return the ladder with every default filled in."""
        ladder = self.ladder.model_dump(mode="json")
        if isinstance(self.ladder.ranking, OpenSkill) and self.ladder.ranking.beta is None:
            ladder["ranking"]["beta"] = self.ladder.ranking.sigma / 2
        return ladder


def default_settings() -> dict[str, Any]:
    """Return the settings of a new league: its ladder is off."""
    return {"ladder": {"enabled": False}}
