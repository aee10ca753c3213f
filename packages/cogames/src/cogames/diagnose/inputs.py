"""Check everything a diagnosis needs before it plays, writes or deletes anything."""

import difflib
import os
from pathlib import Path

from cogames import missions
from cogames.diagnose.cases import DiagnoseCase, explain_no_cases, find_cases, load_case
from cogames.diagnose.options import STAGE1_SEED, DiagnoseError, DiagnoseOptions, OutputFolderError
from cogames.diagnose.stability import read_snapshot
from cogames.policy.arguments import parse_policy_spec
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode import play_episodes
from mettagrid.runner.episode.plan import plan_episodes


def check_inputs(options: DiagnoseOptions) -> None:
    """Raise an error for an input that would make the run useless, in the order of the command line.

    Every policy is loaded and takes one step of the first case, in a process like those that play the diagnosis.
    Raises `DiagnoseError`, `MissionError`, `PolicyArgumentError`, `FileNotFoundError` or `PolicyLoadError`.
    """
    texts = [options.policy, options.scripted_baseline_policy, options.known_strong_policy]
    policies = [parse_policy_spec(text, options.device).to_policy_spec() for text in texts if text is not None]
    _check_experiments(options)
    cases = find_cases(options.mission_set, experiments=options.experiments, cogs=options.cogs, game=options.game)
    if not cases:
        raise DiagnoseError(
            explain_no_cases(options.mission_set, experiments=options.experiments, cogs=options.cogs, game=options.game)
        )
    for folder in options.compare_run_dirs:
        _check_earlier_run(folder)
    _check_outputs(options)
    case = min(cases, key=lambda case: case.cogs)
    for policy in policies:
        _take_one_step(options, case, policy)


def _check_experiments(options: DiagnoseOptions) -> None:
    names = missions.mission_set(options.mission_set, game=options.game)
    for text in options.experiments:
        if not any(text == name or text.endswith(f".{name}") for name in names):
            near = difflib.get_close_matches(text.rpartition(".")[2], names, n=3)
            advice = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(names)}."
            raise DiagnoseError(f"The mission set '{options.mission_set}' has no mission '{text}'; {advice}")


def _check_earlier_run(folder: Path) -> None:
    try:
        read_snapshot("compare", folder)
    except ValueError as error:
        raise DiagnoseError(f"{folder} is not the folder of an earlier diagnosis: {error}") from error


def _check_outputs(options: DiagnoseOptions) -> None:
    if options.output_dir is not None:
        folder = options.output_dir.expanduser()
        if folder.exists() and not folder.is_dir():
            raise OutputFolderError(f"{folder} is a file; choose another --output-dir.")
        _check_writable(folder, "--output-dir")
    if options.bundle_zip is not None:
        file = options.bundle_zip.expanduser()
        if file.is_dir():
            raise DiagnoseError(f"{file} is a folder; --bundle-zip needs the path of a file.")
        _check_writable(file.parent, "--bundle-zip")


def _check_writable(folder: Path, option: str) -> None:
    """Raise `OutputFolderError` if a folder, or the one in which it would be created, is not writable."""
    existing = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise OutputFolderError(f"{existing} is not a folder that can be written to; choose another {option}.")


def _take_one_step(options: DiagnoseOptions, case: DiagnoseCase, policy: PolicySpec) -> None:
    env = load_case(case, steps=1, game=options.game)
    plans = plan_episodes(
        env,
        [policy],
        [0] * case.cogs,
        episodes=1,
        seed=STAGE1_SEED,
        max_action_time_ms=options.action_timeout_ms,
        device=options.device,
    )
    play_episodes(plans, workers=1)
