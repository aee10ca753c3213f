"""The tools of recipes: train, evaluate, play and replay. A maker function returns one; the runner invokes it."""

from __future__ import annotations

import os
import time
from abc import abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator

from cogames_training.args import TrainArgs
from cogames_training.recipes.config import RecipeConfig, TrainConfig
from softmax.cli.errors import INTERRUPTED, CommandError, fail
from softmax.cli.output import Format, command_line, hint, note, print_data, print_table

if TYPE_CHECKING:
    from cogames.missions import ChosenMission
    from cogames.policy.arguments import PolicySpecWithProportion

__all__ = ["EvaluateRemoteTool", "EvaluateTool", "PlayTool", "RenderName", "ReplayTool", "Tool", "TrainTool"]

RenderName = Annotated[
    Literal["auto", "gui", "unicode", "log", "none"],
    BeforeValidator(lambda value: "none" if value is None else value),  # on a command line `none` is not a text
]

DEFAULT_POLICY = "metta://policy/starter"


class Tool(RecipeConfig):
    """Settings and the work to do with them."""

    def check(self) -> None:
        """Raise an error for settings that cannot work; `--dry-run` calls it as well."""

    @abstractmethod
    def invoke(self) -> int:
        """Do the work and return the exit code."""


class TrainTool(TrainConfig, Tool):
    """Train a policy."""

    recipe: str = "run"
    """first part of the name of a run without one"""

    def check(self) -> None:
        self.train_args()

    def train_args(self) -> TrainArgs:
        """Return the trainer's settings."""
        from cogames_training.recipes.train_args import to_train_args

        return to_train_args(self)

    def run_name(self) -> str:
        """Return `run`, or the run of the initial policy, or a name from the time."""
        if self.run:
            return self.run
        start = self.initial_policy_uri or self.policy_uri
        if start is not None:
            name = Path(start.partition("?")[0].rstrip("/")).name.removesuffix(".zip").partition(":")[0]
            if name:
                return name
        return f"{self.recipe}-{time.strftime('%Y%m%d-%H%M%S')}"

    def folder(self) -> Path:
        """Return the folder of all runs."""
        return Path(self.data_dir or os.environ.get("DATA_DIR") or "./train_dir")

    def invoke(self) -> int:
        args, run = self.train_args(), self.run_name()
        if self.wandb.mode != "auto":
            os.environ["WANDB_MODE"] = self.wandb.mode
        if self.wandb.project is not None:
            os.environ["WANDB_PROJECT"] = self.wandb.project
        from cogames_training.distributed import is_first_process
        from cogames_training.training import train

        result = train(args, run=run, layout="recipe", checkpoints=self.folder())
        if result.bundle is not None and is_first_process():
            print(f"Checkpoint: {result.bundle}")
            hint(command_line("cogames", "play", "-m", args.missions[0], "-p", result.bundle))
        if result.is_finished:
            return 0
        hint(f"the same command with run={run} continues the run")
        return INTERRUPTED


class MissionTool(Tool):
    """A tool that plays a policy."""

    policy_uri: str | None = None
    """policy to play, as a URI, a path or a name"""
    mission: str = "arena"
    """mission to play, as `cogames missions` prints it"""
    variants: list[str] = Field(default_factory=list)
    """variants added to the mission"""
    cogs: int | None = None
    """agents; by default what the mission says"""
    max_steps: int | None = None
    """steps of an episode; by default what the mission says"""
    seed: int = 42
    """seed of the first episode and of its map"""
    device: str = "auto"
    """device of networks: auto, cpu, cuda or mps"""

    @field_validator("variants", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    def policy(self, text: str | None) -> PolicySpecWithProportion:
        """Return a policy; without a text the scripted starter."""
        from cogames.policy.arguments import parse_policy_spec, policy_error_hints

        if text is None:
            note(f"No policy_uri: playing {DEFAULT_POLICY}")
        try:
            return parse_policy_spec(text or DEFAULT_POLICY, self._device())
        except (ValueError, TypeError, OSError, ImportError, RuntimeError) as error:
            raise CommandError(f"policy_uri: {error}", policy_error_hints(error)) from error

    def missions(self, names: list[str] | None = None) -> list[ChosenMission]:
        from cogames.missions.arguments import choose_missions

        return choose_missions(
            names or [self.mission], variants=self.variants, cogs=self.cogs, map_seed=None, max_steps=self.max_steps
        )

    def _device(self) -> str:
        from cogames.policy.device import resolve_device

        device, warning = resolve_device(self.device)
        if warning is not None:
            note(warning)
        return device


class PlayTool(MissionTool):
    """Play one episode and watch it."""

    render: RenderName = "auto"
    """where to show the game"""
    autostart: bool = False
    """start without waiting for a key"""
    replay_path: str | None = None
    """file to save the replay in"""

    def invoke(self) -> int:
        from cogames.commands.play import log_to_stderr, resolve_view
        from cogames.commands.shared.failures import show_failures
        from cogames.commands.shared.redirection import prints_to_stderr
        from cogames.episodes.settings import PlaySettings
        from cogames.episodes.single import episode_stats, play_once

        (mission,) = self.missions()
        view = resolve_view(self.render)
        if not mission.env.game.max_steps and view in ("none", "log"):
            fail(
                f"The mission {mission.name!r} never ends, and render={view} cannot be stopped by hand",
                "add max_steps=N",
            )
        policy = self.policy(self.policy_uri)
        path = None if self.replay_path is None else Path(self.replay_path)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        if view == "log":
            log_to_stderr()
        with prints_to_stderr():
            outcome = play_once(
                mission,
                [policy],
                seed=self.seed,
                render=view,
                autostart=self.autostart,
                replay_path=path,
                settings=PlaySettings(10_000, policy.init_kwargs.get("device") or self._device()),
            )
        failed = show_failures([outcome], outcome.policy_names)
        stats = episode_stats(outcome)
        print(f"{mission.name}: {outcome.steps} steps")
        print_table(stats.headers, stats.rows, title="Episode Stats")
        return int(failed)


class ReplayTool(PlayTool):
    """Open a replay, or play an episode of a policy and open its replay."""

    render: RenderName = "none"
    """where to show the game while it is recorded"""
    file: str | None = None
    """replay to open; without it an episode is played and recorded"""
    html: str | None = None
    """write one self-contained page instead of opening the viewer"""
    open_browser: bool = True
    """open the viewer in a browser; otherwise only print its address"""

    def invoke(self) -> int:
        from mettagrid.viewer import serve, write_html

        path = Path(self.file) if self.file is not None else self._record()
        if not path.is_file():
            fail(f"Replay file not found: {path}")
        if self.html is not None:
            print(f"Wrote {write_html(path, Path(self.html))}")
            return 0
        with serve(path) as server, suppress(KeyboardInterrupt):
            if not self.open_browser or not server.open_browser():
                hint("open this URL in a browser; press Ctrl-C to stop")
            print(server.address, flush=True)
            server.wait()
        return 0

    def _record(self) -> Path:
        name = f"{self.mission}-{self.seed}-{time.strftime('%Y%m%d-%H%M%S')}.cogreplay".replace("/", "_")
        path = self.replay_path or str(Path(os.environ.get("DATA_DIR") or "./train_dir") / "replays" / name)
        if self.model_copy(update={"replay_path": path})._play() != 0:
            note("The policy failed; the replay shows the episode until then")
        print(f"Replay: {path}")
        return Path(path)

    def _play(self) -> int:
        return super().invoke()


class EvaluateTool(MissionTool):
    """Evaluate policies on missions."""

    policy_uris: list[str] = Field(default_factory=list)
    """several policies, which share the seats"""
    mission_names: list[str] = Field(default_factory=list)
    """several missions, or patterns with `*`; by default `mission`"""
    mission_set: str | None = None
    """all missions of a set, such as cvc_evals"""
    episodes: int = 10
    """episodes of each mission"""
    workers: int | None = None
    """processes that play; by default one per core"""
    action_timeout_ms: int = 250
    """time limit for an action"""
    format: Format | None = None
    """print a document: yaml or json"""
    replay_dir: str | None = None
    """folder to save replays in"""

    def invoke(self) -> int:
        from cogames.commands.shared.evaluation_tables import print_evaluation
        from cogames.commands.shared.failures import show_failures
        from cogames.commands.shared.redirection import prints_to_stderr
        from cogames.episodes.evaluation import evaluate
        from cogames.episodes.settings import PlaySettings
        from cogames.missions.arguments import choose_missions
        from softmax.cli.progress import ProgressBar

        names = [] if self.mission_set is not None else self.mission_names or [self.mission]
        missions = choose_missions(
            names, mission_set=self.mission_set, variants=self.variants, cogs=self.cogs, max_steps=self.max_steps
        )
        texts: list[str | None] = [*self.policy_uris] or [self.policy_uri]
        replays = None if self.replay_dir is None else Path(self.replay_dir)
        settings = PlaySettings(self.action_timeout_ms, self._device(), workers=self.workers, replay_dir=replays)
        policies = [self.policy(text) for text in texts]
        with ProgressBar() as progress, prints_to_stderr():
            result = evaluate(
                missions, policies, episodes=self.episodes, seed=self.seed, settings=settings, on_progress=progress
            )
        failed = [
            show_failures(part.outcomes, result.policy_names, prefix=f"{part.name}: ") for part in result.missions
        ]
        if self.format is not None:
            print_data(result.document(), self.format)
        else:
            print_evaluation(result)
        return int(any(failed))


class EvaluateRemoteTool(EvaluateTool):
    """Say how to evaluate a policy on the league's server."""

    def invoke(self) -> int:
        policy = self.policy_uri or "POLICY"
        fail(
            "Recipes evaluate on this machine; the league's server evaluates uploaded policies",
            command_line("cogames", "upload", "-p", policy, "-n", "NAME"),
            "cogames submit NAME --season SEASON",
            "cogames assay --help",
        )
