"""How a season is played, as data: what the YAML files of `presets/` hold and the column `seasons.config` keeps."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from observatory.database.tables.seasons import TournamentType
from observatory.jobs.labels import MAX_LABELS, WorkerLabel
from observatory.seasons.bounds import (
    MAX_AGENTS,
    MAX_DAYS,
    MAX_DELAY_SECONDS,
    MAX_MINUTES,
    MAX_SEED,
    MAX_STEPS,
    Amount,
    LongText,
    ShortText,
    Title,
)

__all__ = [
    "Elimination",
    "FreeplayConfig",
    "Game",
    "Live",
    "PolicyEval",
    "Rolling",
    "SampleTeams",
    "ScorePolicies",
    "SeasonPreset",
    "Stage",
    "TeamConfig",
    "TeamEval",
    "elimination_sentence",
]


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Game(_Data):
    """A mission of the library with changes. `max_steps` None keeps the mission's own."""

    mission: Title
    variants: list[Title] = Field(default=[], max_length=100)
    num_agents: int = Field(ge=1, le=MAX_AGENTS)
    max_steps: int | None = Field(default=None, ge=1, le=MAX_STEPS)
    game_engine: Literal["mettagrid", "bitworld"] = "mettagrid"


class Rolling(_Data):
    """What happens after a version of the season has ended; changing this does not create a new version.

    A season with `auto_roll_hour_utc` rolls at that hour once it is complete, one with `after_minutes` so long after
    its end. Without both, an operator rolls it.
    """

    after_minutes: float | None = Field(default=None, ge=0, le=MAX_MINUTES)
    keep_entrants: bool = False
    """whether the versions that were submitted to the last one are submitted to the next"""
    start: bool = False
    """whether a team season starts automatically when it is created"""
    keep_replays_days: float | None = Field(default=None, gt=0, le=MAX_DAYS)
    """how long replays of its matches are kept; None: as long as the server keeps others"""
    queue_weight: float = Field(default=1.0, gt=0, le=100)
    """its share of the workers' time: a season of weight 2 gets twice the time of one of weight 1"""
    worker_labels: list[WorkerLabel] = Field(default=[], max_length=MAX_LABELS)
    """labels that a worker must have to play its matches"""


class Live(_Data):
    """Whether people may watch its matches while they are played, how much later than they are played, and how much.

    With `hide_secrets`, spectators of a running match see what all players know: of Among Them meetings and results.

    In a file `live: off` is short for `live: { watch: false }`. Changing this does not create a new version.
    """

    watch: bool = True
    delay_seconds: float = Field(default=0, ge=0, le=MAX_DELAY_SECONDS)
    hide_secrets: bool = False

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, data: Any) -> Any:
        """Accept `on` and `off`, which YAML reads as booleans."""
        words = {"on": True, "off": False, True: True, False: False}
        return {"watch": words[data]} if isinstance(data, bool | str) and data in words else data


class Threshold(_Data):
    """Keep the policies with a score of at least `min_score`."""

    kind: Literal["threshold"]
    min_score: float


class Fraction(_Data):
    """Remove this fraction of the policies, the worst; keep at least one."""

    kind: Literal["fraction"]
    fraction: float = Field(ge=0, le=1)


class TopK(_Data):
    """Keep this many policies, the best."""

    kind: Literal["top_k"]
    max_policies: int = Field(ge=1)


class AllOf(_Data):
    """Keep the policies that every rule keeps."""

    kind: Literal["all_of"]
    rules: list[Elimination] = Field(min_length=1, max_length=100)


Elimination = Annotated[Threshold | Fraction | TopK | AllOf, Field(discriminator="kind")]
AllOf.model_rebuild()


class PolicyEval(_Data):
    """Every combination of `policies_per_team` members plays; `elim` decides which policies advance."""

    kind: Literal["policy_eval"]
    display_name: Title = "Play-ins: one-player"
    policies_per_team: int = Field(ge=1)
    matches_per_combo: Amount = 10
    elim: Elimination | None = None
    min_policies: Amount | None = None
    max_matches_per_policy: Amount | None = None
    """where all combinations would be more matches than this for a policy, a balanced part of them plays"""


class SampleTeams(_Data):
    """Teams are drawn, with chances by score; every policy is in at least `min_per_policy`."""

    kind: Literal["sample_teams"]
    display_name: Title = "Sampling: eight-player"
    team_size: int = Field(ge=1)
    num_teams: Amount
    min_per_policy: int | None = Field(default=None, ge=0, le=10_000)


class TeamEval(_Data):
    """Every team plays; the worst `cull_fraction` of them is out."""

    kind: Literal["team_eval"]
    display_name: Title = "Playoffs: eight-player"
    matches_per_team: Amount
    cull_fraction: float = Field(ge=0, le=1)


class ScorePolicies(_Data):
    """Each policy gets the ranks of its `top_k` best teams."""

    kind: Literal["score_policies"]
    display_name: Title = "Final scoring"
    top_k: Amount


Stage = Annotated[PolicyEval | SampleTeams | TeamEval | ScorePolicies, Field(discriminator="kind")]
_ORDER = ("policy_eval", "sample_teams", "team_eval", "score_policies")


class TeamConfig(_Data):
    """A season of stages."""

    game: Game
    stages: list[Stage] = Field(max_length=64)
    fixed_map_seed: int | None = Field(default=None, ge=0, le=MAX_SEED)
    max_failed_attempts: Amount = 3
    rolling: Rolling = Rolling()
    live: Live = Live()

    @model_validator(mode="after")
    def _check(self) -> Self:
        kinds = [stage.kind for stage in self.stages]
        if kinds != sorted(kinds, key=_ORDER.index):
            raise ValueError(f"stages must come in the order {', '.join(_ORDER)}")
        if kinds.count("sample_teams") != 1 or kinds.count("score_policies") != 1 or "policy_eval" not in kinds:
            raise ValueError("there must be policy_eval stages, one sample_teams and one score_policies at the end")
        if self.sampling.team_size > self.game.num_agents:
            raise ValueError(f"a team of {self.sampling.team_size} does not fit into {self.game.num_agents} agents")
        for stage in self.stages:
            if isinstance(stage, PolicyEval) and self.game.num_agents % stage.policies_per_team:
                raise ValueError(
                    f"{self.game.num_agents} agents cannot be divided by {stage.policies_per_team} policies"
                )
        return self

    @property
    def sampling(self) -> SampleTeams:
        return next(stage for stage in self.stages if isinstance(stage, SampleTeams))

    @property
    def scoring(self) -> ScorePolicies:
        return next(stage for stage in self.stages if isinstance(stage, ScorePolicies))


class FreeplayConfig(_Data):
    """Policies qualify alone, then play every other policy. A split is the number of agents of each of the two."""

    game: Game
    qualifying_matches: Amount = 2
    qualifying_threshold: float = 0.1
    max_failures: Amount = 3
    splits: list[tuple[int, int]] = Field(min_length=1, max_length=1000)
    repetitions: Amount = 5
    fixed_map_seed: int | None = Field(default=None, ge=0, le=MAX_SEED)
    rolling: Rolling = Rolling()
    live: Live = Live()

    @model_validator(mode="before")
    @classmethod
    def _forget(cls, data: Any) -> Any:
        """Drop `first_map_seed` of older databases: maps now follow from a hidden seed."""
        return (
            {key: value for key, value in data.items() if key != "first_map_seed"} if isinstance(data, dict) else data
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        wrong = [split for split in self.splits if sum(split) != self.game.num_agents or min(split) < 1]
        if wrong:
            raise ValueError(f"the split {wrong[0]} does not divide {self.game.num_agents} agents between two policies")
        return self


class SeasonPreset(_Data):
    """One YAML file, which describes a season."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=100)
    display_name: Title
    summary: ShortText
    game_description: LongText | None = None
    tournament_type: TournamentType
    compat_version: str | None = Field(default=None, pattern=r"^[0-9]+(\.[0-9]+)*$", max_length=32)
    """version of the game, such as `"0.26"`; bundles for another version are rejected"""
    public: bool = True
    is_default: bool = False
    auto_roll_hour_utc: int | None = Field(default=None, ge=0, le=23)
    freeplay: FreeplayConfig | None = None
    team: TeamConfig | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.freeplay is None) == (self.tournament_type is TournamentType.freeplay):
            raise ValueError("a freeplay season has the part `freeplay`, and only it")
        if (self.team is None) == (self.tournament_type is TournamentType.team):
            raise ValueError("a team season has the part `team`, and only it")
        return self

    @property
    def play(self) -> FreeplayConfig | TeamConfig:
        """Return the part for its type, which is what the season keeps."""
        play = self.freeplay or self.team
        assert play is not None
        return play

    def stored(self) -> dict[str, Any]:
        return self.play.model_dump(mode="json")

    def plays_as(self, other: SeasonPreset) -> bool:
        """Return whether both have the same rules: they may differ in texts, visibility, rolling and live only."""
        return self._rules_of_play() == other._rules_of_play()

    def _rules_of_play(self) -> object:
        return (
            self.tournament_type,
            self.compat_version,
            self.play.model_copy(update={"rolling": Rolling(), "live": Live()}),
        )


def elimination_sentence(rule: Elimination | None) -> str:
    """Return a rule as a sentence."""
    match rule:
        case None:
            return "all policies advance"
        case Threshold():
            return f"a score of {rule.min_score:g} or more advances"
        case Fraction():
            return f"the lower {rule.fraction:.0%} is out"
        case TopK():
            return f"the best {rule.max_policies} advance"
        case AllOf():
            return " and ".join(elimination_sentence(part) for part in rule.rules)
