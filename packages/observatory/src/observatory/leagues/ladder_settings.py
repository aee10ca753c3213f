"""The settings of a league: how its ladder draws seats, retries, ranks and moves players.

`POST /v2/leagues/{id}/settings` sends the whole document. A knob that does not exist, or that the chosen strategy or
ranking does not use, is an error.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

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
    model_config = ConfigDict(extra="forbid")


class _Scheduler(_Knobs):
    insufficient_players: Literal["multiple_seats", "filler_policy", "do_not_run"] = "multiple_seats"
    """what happens with fewer entrants than seats"""
    variant_rotation: Variants | None = None
    variant_rotation_by_seat_count: dict[Seats, Variants] | None = None


class _Matched(_Scheduler):
    matchmaking: Literal["random", "elo_softmax"] = "random"
    matchmaking_temperature: float = Field(default=100.0, gt=0, le=10_000)
    """in Elo points"""


class SwissNeighbor(_Scheduler):
    strategy: Literal["swiss_neighbor"]
    min_episodes_per_entrant: Count = 8
    neighbor_window: Seats = 1


class RoundRobin(_Scheduler):
    strategy: Literal["round_robin"]
    min_episodes_per_entrant: Count = 1


class _EitherCount(_Matched):
    num_episodes: Count | None = None
    min_episodes_per_entrant: Count | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.num_episodes is None) == (self.min_episodes_per_entrant is None):
            raise ValueError("give exactly one of num_episodes and min_episodes_per_entrant")
        return self


class BalancedRotation(_EitherCount):
    strategy: Literal["balanced_rotation"]


class RandomFill(_EitherCount):
    strategy: Literal["random_fill"]


class TeamPair(_Matched):
    strategy: Literal["team_pair"]
    team_layout: Literal["interleaved", "blocks"] = "interleaved"
    min_episodes_per_entrant: Count = 8


class TeamN(_Matched):
    strategy: Literal["team_n"]
    team_count: Seats
    team_layout: Literal["interleaved", "blocks"] = "interleaved"
    num_episodes: Count
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
    strategy: Literal["variable_seat"]
    seat_count_min: Seats
    seat_count_max: Seats
    seat_count_weights: dict[Seats, Annotated[float, Field(ge=0, le=1e6)]] | None = None
    min_episodes_per_entrant: Count

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.seat_count_min > self.seat_count_max:
            raise ValueError("seat_count_min is greater than seat_count_max")
        return self


class ScalingRoster(_Scheduler):
    strategy: Literal["scaling_roster"]
    seat_rungs: list[Seats] = Field(min_length=1, max_length=100)
    rotate_seat_rungs: bool = False
    episodes_per_round: Count = 1
    roster_overflow: Literal["rotate", "drop"] = "rotate"


class CloneFill(_Scheduler):
    strategy: Literal["clone_fill"]
    episodes_per_entrant: Count = 1
    seat_count: Seats | None = None
    clone_score_aggregation: Literal["mean", "sum"] = "mean"


class Elo(_Knobs):
    algorithm: Literal["elo"]
    initial_rating: float = Field(default=1500.0, ge=-100_000, le=100_000)
    k_factor: float = Field(default=32.0, gt=0, le=10_000)
    round_scoring_rule: Literal["mean", "ewma"] = "mean"
    margin_scale: float | None = Field(default=None, gt=0, le=1e9)
    new_version_k_multiplier: float = Field(default=1.0, gt=0, le=1000)
    new_version_rounds: int = Field(default=0, ge=0, le=MAX_EPISODES)


class OpenSkill(_Knobs):
    algorithm: Literal["openskill"]
    mu: float = Field(default=25.0, ge=-1e6, le=1e6)
    sigma: float = Field(default=25 / 3, gt=0, le=1e6)
    beta: float | None = Field(default=None, gt=0, le=1e6)
    """half of sigma by default"""
    tau: float | None = Field(default=None, ge=0, le=1e6)
    margin_scale: float | None = Field(default=None, gt=0, le=1e9)
    new_version_sigma: float | None = Field(default=None, gt=0, le=1e6)
    role_advantage_sigma: float | None = Field(default=None, gt=0, le=1e6)


class Score(_Knobs):
    algorithm: Literal["score"]
    standing_aggregation: Literal["ewma", "mean", "max", "min", "rated", "latest"] = "mean"
    half_life_hours: float | None = Field(default=None, gt=0, le=100_000)
    initial_standing: float | None = Field(default=None, ge=-1e12, le=1e12)

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


class LadderDivision(_Knobs):
    division_id: str = Field(max_length=200)
    name: str | None = Field(default=None, max_length=200)
    disqualify_after_consecutive_failures: int | None = Field(default=3, ge=1, le=1000)
    minimum_rating: float | None = Field(default=None, ge=-1e12, le=1e12)
    maximum_rating: float | None = Field(default=None, ge=-1e12, le=1e12)
    minimum_standing: float | None = Field(default=None, ge=-1e12, le=1e12)
    maximum_standing: float | None = Field(default=None, ge=-1e12, le=1e12)


class Continuous(_Knobs):
    """Each new champion is graded alone, at once."""

    enabled: bool = False
    variant_id: VariantId | None = None
    seats_per_episode: Seats | None = None
    regrade_interval_minutes: int | None = Field(default=None, ge=1, le=MAX_INTERVAL_MINUTES)
    max_policies_per_round: Count | None = None
    fixed_policy_version_ids: list[str] = Field(default_factory=list, max_length=100)


class Persistent(_Knobs):
    """One lasting episode per player; rounds are windows of it."""

    enabled: bool = False


class QualificationExperience(_Knobs):
    game_config_overrides: dict[str, Any] = Field(default_factory=dict)
    entrant_preferences_field: str | None = Field(default=None, max_length=200)


class Qualification(_Knobs):
    """A new member first plays against itself, and passes or not."""

    experience: QualificationExperience = Field(default_factory=QualificationExperience)
    gate: dict[str, Any] = Field(default_factory=dict)


class Ladder(_Knobs):
    enabled: bool = False
    scheduler: Scheduler = Field(default_factory=lambda: SwissNeighbor(strategy="swiss_neighbor"))
    fulfillment: Fulfillment = Field(default_factory=Fulfillment)
    ranking: Ranking = Field(default_factory=lambda: Elo(algorithm="elo"))
    divisions: list[LadderDivision] = Field(default_factory=list, max_length=50)
    qualification: Qualification | None = None
    players_per_user: int | None = Field(default=None, ge=1, le=1000)
    """how many players of a user may be in the league; by default the Coworld says it, else 2"""
    leader_slot_config: dict[str, Any] | None = None
    round_trigger: Literal["interval", "new_policy"] = "interval"
    continuous: Continuous | None = None
    persistent: Persistent | None = None

    @model_validator(mode="after")
    def _modes_fit_together(self) -> Self:
        is_continuous = self.continuous is not None and self.continuous.enabled
        is_persistent = self.persistent is not None and self.persistent.enabled
        if is_continuous and self.ranking.algorithm != "score":
            raise ValueError("continuous needs the ranking algorithm score")
        if self.round_trigger == "new_policy" and (is_continuous or is_persistent):
            raise ValueError("round_trigger new_policy excludes continuous and persistent")
        return self


class SettingsDocument(_Knobs):
    """The whole document."""

    ladder: Ladder = Field(default_factory=Ladder)
    round_interval_minutes: int | None = Field(default=None, ge=1, le=MAX_INTERVAL_MINUTES)
    """None starts a round as soon as the last one has ended"""
    counterfactual_eval: dict[str, Any] = Field(default_factory=dict)
    role_runs: list[Literal["reporter", "grader"]] = Field(default_factory=list, max_length=2)
    """roles of the game's manifest that look at every completed episode"""

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
