"""The JSON models of episode jobs and their results."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mettagrid.config.any_env_config import AnyEnvConfig
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.types import EpisodeStats

__all__ = [
    "EpisodeJobSummary",
    "EpisodeSpec",
    "PureSingleEpisodeJob",
    "PureSingleEpisodeResult",
    "RunnerError",
    "RunnerErrorType",
    "RuntimeInfo",
    "SingleEpisodeJob",
    "check_assignments",
]

RunnerErrorType = Literal["config_error", "policy_error", "crash", "unknown"]
REPLAY_SUFFIXES = (".json.z", ".json.gz")
BITWORLD_REPLAY_SUFFIXES = (*REPLAY_SUFFIXES, ".bitreplay")


class EpisodeJobSummary(BaseModel):
    """The policies of an episode: `assignments` holds a position in `policy_uris` for each agent."""

    model_config = ConfigDict(extra="ignore")

    policy_uris: list[str]
    assignments: list[int]
    policy_names: list[str] | None = None
    episode_tags: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def validate_policy_names(self) -> Self:
        _check_policy_names(self.policy_names, self.policy_uris)
        return self


class EpisodeSpec(EpisodeJobSummary):
    """An episode to be played. Times are in milliseconds; see `mettagrid.simulator.rollout` for what they limit.

    With a `policy_seed`, policies draw from it, and the `seed` is hidden from them and from the replay.
    """

    model_config = ConfigDict(extra="ignore", defer_build=True)

    env: AnyEnvConfig
    seed: int = 0
    policy_seed: int | None = None
    max_action_time_ms: int = 10000
    overage_budget_ms: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _migrate_game_engine(cls, data: Any) -> Any:
        return _move_game_engine_into_env(data)


class PureSingleEpisodeJob(BaseModel):
    """An episode and its output files: `file://` addresses in existing folders, or plain paths."""

    model_config = ConfigDict(defer_build=True)  # it contains a whole game, and most programs never use a job

    policy_uris: list[str]
    policy_names: list[str] | None = None
    assignments: list[int]
    env: AnyEnvConfig
    results_uri: str | None
    replay_uri: str | None
    debug_dir: str | None = None
    seed: int = 0
    max_action_time_ms: int = 10000
    overage_budget_ms: int | None = None
    episode_tags: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _migrate_game_engine(cls, data: Any) -> Any:
        return _move_game_engine_into_env(data)

    @model_validator(mode="after")
    def validate_output_uris(self) -> Self:
        _check_policy_names(self.policy_names, self.policy_uris)
        if isinstance(self.env, MettaGridConfig):
            check_assignments(self.assignments, num_agents=self.env.game.num_agents, num_policies=len(self.policy_uris))
        for uri in (self.results_uri, self.replay_uri):
            if uri is not None:
                _check_output(uri)
        suffixes = REPLAY_SUFFIXES if isinstance(self.env, MettaGridConfig) else BITWORLD_REPLAY_SUFFIXES
        if self.replay_uri is not None and not self.replay_uri.endswith(suffixes):
            raise ValueError(f"Replay URI must end with {' or '.join(suffixes)}, not {self.replay_uri}")
        return self


class PureSingleEpisodeResult(BaseModel):
    """The result of an episode, by agent.

    `time_averaged_game_stats` is each game stat's mean over the steps. `overage_exceeded_at` is the step at which an
    agent used up its overage budget, None for agents that did not; the whole list is None without a budget.
    """

    rewards: list[float]
    action_timeouts: list[int]
    stats: EpisodeStats
    steps: int
    time_averaged_game_stats: dict[str, float] = Field(default_factory=dict)
    overage_exceeded_at: list[int | None] | None = None


class RuntimeInfo(BaseModel):
    """The code and the platform that played the episode."""

    git_commit: str | None = None
    cogames_version: str | None = None
    instance_type: str | None = None


class RunnerError(BaseModel):
    """Why there is no result, and which policy is at fault, if any."""

    error_type: RunnerErrorType
    message: str
    failed_policy_index: int | None = None
    failed_policy_uri: str | None = None
    failed_policy_name: str | None = None


class SingleEpisodeJob(EpisodeSpec):
    """An `EpisodeSpec` as the league sends it."""

    def episode_spec(self) -> EpisodeSpec:
        return EpisodeSpec(**{name: getattr(self, name) for name in EpisodeSpec.model_fields})


def check_assignments(assignments: Sequence[int], *, num_agents: int, num_policies: int) -> None:
    """Raise ValueError unless every agent is assigned to an existing policy."""
    if len(assignments) != num_agents or not all(0 <= policy < num_policies for policy in assignments):
        raise ValueError(
            f"Assignments must match agent count and be within policy range: {list(assignments)} "
            f"for {num_agents} agents and {num_policies} policies"
        )


def _check_policy_names(policy_names: list[str] | None, policy_uris: list[str]) -> None:
    if policy_names is not None and len(policy_names) != len(policy_uris):
        raise ValueError(
            "policy_names must have the same length as policy_uris: "
            f"there are {len(policy_names)} names and {len(policy_uris)} addresses"
        )


def _check_output(uri: str) -> None:
    from mettagrid.util.uri_resolvers.schemes import parse_uri

    path: Path | None = getattr(parse_uri(uri, allow_none=False), "local_path", None)
    if path is None or not path.parent.is_dir():
        raise ValueError(f"URI {uri} must be a file:// URI with an existing parent directory")


def _move_game_engine_into_env(data: Any) -> Any:
    """Move `game_engine` into `env`: jobs of an older format have it next to `env`."""
    if not isinstance(data, dict) or "game_engine" not in data:
        return data
    data = dict(data)
    engine, env = data.pop("game_engine"), data.get("env")
    if isinstance(env, dict) and "game_engine" not in env:
        data["env"] = {**env, "game_engine": engine}
    return data
