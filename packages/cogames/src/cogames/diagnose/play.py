"""Play the cases of a diagnosis with the episode runner."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cogames.diagnose.artifacts import OutputFolder
from cogames.diagnose.cases import DiagnoseCase, load_case
from cogames.diagnose.metrics import CaseOutcomes
from metta_alo.scoring import allocate_counts
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode.outcome import EpisodeOutcome
from mettagrid.runner.episode.plan import EpisodePlan, plan_episodes

PlayEpisodes = Callable[[Sequence[EpisodePlan]], list[EpisodeOutcome]]
"""plays episodes and returns their outcomes in order"""

_TEAM_TAG = "team:"


@dataclass
class Table:
    """Plays all parts of a run with the same cases, episodes and limits. Environments are cached."""

    cases: Sequence[DiagnoseCase]
    play: PlayEpisodes
    folder: OutputFolder
    episodes: int
    steps: int
    game: str
    action_timeout_ms: int
    device: str | None = None
    _environments: dict[DiagnoseCase, MettaGridConfig] = field(default_factory=dict)

    def run(
        self, policies: Sequence[PolicySpec], names: Sequence[str], *, seed: int, replays: str | None
    ) -> list[CaseOutcomes]:
        """Play every case with the policies, which share the seats evenly; save replays in the folder `replays`.

        Episode k of every case has the seed `seed + k`. Replays in outcomes are paths relative to the output folder.
        """
        folder = None if replays is None else self.folder.make_folder(replays)
        plans = [self._plan(case, policies, names, seed, folder) for case in self.cases]
        outcomes = iter(self.play([plan for case_plans in plans for plan in case_plans]))
        return [
            CaseOutcomes(case, [self._with_reference(next(outcomes)) for _ in case_plans], self._teams(case))
            for case, case_plans in zip(self.cases, plans, strict=True)
        ]

    def _plan(
        self,
        case: DiagnoseCase,
        policies: Sequence[PolicySpec],
        names: Sequence[str],
        seed: int,
        folder: Path | None,
    ) -> list[EpisodePlan]:
        counts = allocate_counts(case.cogs, [1.0] * len(policies))
        paths = [
            None if folder is None else folder / f"{case.file_name}-episode{number}.json.z"
            for number in range(self.episodes)
        ]
        return plan_episodes(
            self._environment(case),
            policies,
            [policy for policy, count in enumerate(counts) for _ in range(count)],
            episodes=self.episodes,
            seed=seed,
            replay_paths=paths,
            policy_names=list(names),
            max_action_time_ms=self.action_timeout_ms,
            device=self.device,
        )

    def _environment(self, case: DiagnoseCase) -> MettaGridConfig:
        if case not in self._environments:
            self._environments[case] = load_case(case, steps=self.steps, game=self.game)
        return self._environments[case]

    def _teams(self, case: DiagnoseCase) -> list[str]:
        tags = [tag for agent in self._environment(case).game.agents for tag in agent.tags]
        return list(dict.fromkeys(tag.removeprefix(_TEAM_TAG) for tag in tags if tag.startswith(_TEAM_TAG)))

    def _with_reference(self, outcome: EpisodeOutcome) -> EpisodeOutcome:
        """Return the outcome with its replay path relative to the output folder; None if the file does not exist."""
        reference = None
        if outcome.replay_path is not None and Path(outcome.replay_path).is_file():
            reference = Path(outcome.replay_path).relative_to(self.folder.root).as_posix()
            self.folder.add(reference)
        return outcome.model_copy(update={"replay_path": reference})
