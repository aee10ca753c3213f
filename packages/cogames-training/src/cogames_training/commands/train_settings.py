"""Turn the options of `cogames tutorial train` into settings of the trainer."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from cogames.policy.arguments import split_policy_uri
from cogames_training.args import TrainArgs
from cogames_training.runs.layout import Layout
from cogames_training.runs.record import read_record
from softmax.cli.output import note

__all__ = ["read_settings"]

FIELDS = {
    "mission": "missions",
    "cogs": "cogs",
    "variant": "variants",
    "opponent": "opponents",
    "policy": "policy",
    "steps": "total_steps",
    "minibatch_size": "minibatch_size",
    "batch_size": "batch_size",
    "horizon": "horizon",
    "learning_rate": "learning_rate",
    "evaluate_every": "evaluate_every",
    "teacher": "teacher",
    "teacher_mode": "teacher_mode",
    "teacher_steps": "teacher_steps",
    "teacher_led": "teacher_led_proportion",
    "student_led": "student_led_proportion",
    "device": "device",
    "engine": "engine",
    "num_workers": "threads",
    "parallel_envs": "parallel_envs",
    "precision": "precision",
    "seed": "seed",
    "map_seed": "map_seed",
}
"""field of `TrainArgs` for each option"""

_SCRIPTED = re.compile(r"^(class=)?baseline(?=,|$)")
_VERSION = re.compile(r":(v\d+|latest)$")


def read_settings(ctx: typer.Context) -> tuple[TrainArgs, Layout]:
    """Return the settings and the layout of the run's folder.

    A run that exists keeps its settings, except those on the command line. Without missions, a run that starts from
    another run's weights takes its missions.
    """
    record = None
    if ctx.params["run"] is not None:
        record = read_record(Path(ctx.params["checkpoints"]) / ctx.params["run"])
    recorded = _recorded(record)
    values = {
        field: _plain(ctx.params[option])
        for option, field in FIELDS.items()
        if ctx.params[option] not in (None, (), []) and (recorded is None or _is_given(ctx, option))
    }
    if "policy" in values:
        values["policy"] = _trainable(values["policy"])
    if recorded is not None:
        layout: Layout = "recipe" if record is not None and record.get("layout") == "recipe" else "tutorial"
        return replace(recorded, **values), layout
    if "missions" not in values:
        values = {**_game_of(values["policy"]), **values}
    return TrainArgs(**values), "tutorial"


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _is_given(ctx: typer.Context, option: str) -> bool:
    source = ctx.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def _recorded(record: dict[str, Any] | None) -> TrainArgs | None:
    """Return the settings in a run's record; None if it has none."""
    args = (record or {}).get("args")
    if not isinstance(args, dict) or not args:
        return None
    return TrainArgs(**{name: value for name, value in args.items() if name in TrainArgs.names()})


def _trainable(policy: str) -> str:
    """Return the policy; documents name `baseline` as a network, and it is a scripted policy."""
    if _SCRIPTED.match(policy) is None:
        return policy
    note("`baseline` is a scripted policy; training the network `sparse` instead")
    return _SCRIPTED.sub("class=sparse", policy)


def _game_of(policy: str) -> dict[str, Any]:
    """Return missions, cogs and variants of the run that a policy is from; the arena for any other policy."""
    path = split_policy_uri(policy)[0]
    if path is not None and "://" not in path:
        bundle = Path(_VERSION.sub("", path)).expanduser()
        for folder in (bundle, *bundle.absolute().parents[:2]):
            recorded = _recorded(read_record(folder))
            if recorded is not None:
                note(f"Training on {', '.join(recorded.missions)}, like {folder.name}")
                return {"missions": recorded.missions, "cogs": recorded.cogs, "variants": recorded.variants}
    note("Training on arena; -m names other missions")
    return {"missions": ["arena"]}
