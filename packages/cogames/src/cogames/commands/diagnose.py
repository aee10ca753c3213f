"""`cogames diagnose`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cogames.commands.shared import choices, options
from cogames.commands.shared.redirection import prints_to_stderr
from softmax.cli.output import Format, note, print_data
from softmax.cli.program import examples
from softmax.cli.progress import ProgressBar

EVALUATION, SIMULATION, OUTPUT = "Evaluation", "Simulation", "Output"

Policy = Annotated[str, typer.Argument(metavar="POLICY", help=f"{options.POLICY_FORMS}.")]
MissionSet = Annotated[
    str,
    typer.Option("--mission-set", "-S", metavar="SET", help="Missions to play.", rich_help_panel=EVALUATION),
]
Experiments = Annotated[
    list[str] | None,
    typer.Option(
        "--experiments", metavar="NAME", help="Only this mission of the set (repeatable).", rich_help_panel=EVALUATION
    ),
]
OlderExperiments = Annotated[list[str] | None, typer.Option("-m", "--mission", hidden=True)]
CogCounts = Annotated[
    list[int] | None,
    typer.Option(
        "--cogs", "-c", metavar="N", min=1, help="Number of cogs to try (repeatable).", rich_help_panel=EVALUATION
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--scripted-baseline-policy",
        metavar="POLICY",
        help="Scripted policy to compare with.",
        rich_help_panel=EVALUATION,
    ),
]
Strong = Annotated[
    str | None,
    typer.Option(
        "--known-strong-policy", metavar="POLICY", help="Strong policy to compare with.", rich_help_panel=EVALUATION
    ),
]
Steps = Annotated[
    int, typer.Option("--steps", "-s", metavar="N", min=1, help="Steps of an episode.", rich_help_panel=SIMULATION)
]
CaseEpisodes = Annotated[
    int,
    typer.Option("--episodes", "-e", metavar="N", min=1, help="Episodes of each case.", rich_help_panel=SIMULATION),
]
OlderRepeats = Annotated[int | None, typer.Option("--repeats", min=1, hidden=True)]
OutputDir = Annotated[
    Path | None,
    typer.Option(
        "--output-dir",
        metavar="DIR",
        help="Folder to write to.",
        show_default="outputs/cogames-diagnose/RUN_ID",
        rich_help_panel=OUTPUT,
    ),
]
CompareDirs = Annotated[
    list[Path] | None,
    typer.Option(
        "--compare-run-dir", metavar="DIR", help="Earlier run to compare with (repeatable).", rich_help_panel=OUTPUT
    ),
]
BundleZip = Annotated[
    Path | None, typer.Option("--bundle-zip", metavar="FILE", help="All artifacts as a .zip.", rich_help_panel=OUTPUT)
]
Reruns = Annotated[
    int,
    typer.Option(
        "--stability-reruns", metavar="N", min=0, help="Times to play again and compare.", rich_help_panel=OUTPUT
    ),
]
RequireStable = Annotated[
    bool,
    typer.Option(
        "--require-stable-interpretation",
        help="Mark the diagnosis incomplete unless reruns agree.",
        rich_help_panel=OUTPUT,
    ),
]


@examples(
    "cogames diagnose starter",
    "cogames diagnose my_policy.MyPolicy --scripted-baseline-policy starter --output-dir diagnosis",
    "cogames diagnose ./submission.zip -S role_specific_evals -e 1 -s 200",
)
def diagnose(
    policy: Policy,
    mission_set: MissionSet = "cvc_evals",
    experiments: Experiments = None,
    mission: OlderExperiments = None,
    cogs: CogCounts = None,
    device: options.Device = "auto",
    scripted_baseline_policy: Baseline = None,
    known_strong_policy: Strong = None,
    steps: Steps = 1000,
    episodes: CaseEpisodes = 3,
    repeats: OlderRepeats = None,
    action_timeout_ms: options.ActionTimeout = 10_000,
    workers: options.Workers = None,
    output_dir: OutputDir = None,
    compare_run_dir: CompareDirs = None,
    bundle_zip: BundleZip = None,
    stability_reruns: Reruns = 0,
    require_stable_interpretation: RequireStable = False,
    format: options.OutputFormat = None,
) -> None:
    """Find out what is wrong with a policy.

    Plays a set of missions with the policy alone and beside a copy of itself, reports its main weakness with a remedy,
    and writes a report.
    """
    from softmax.cli.output import deprecated

    if mission:
        deprecated("-m", "--experiments")
    if repeats is not None:
        deprecated("--repeats", "--episodes")

    from cogames.diagnose import DiagnoseOptions, run_diagnosis
    from cogames.diagnose.inputs import check_inputs

    choices.use_working_folder()
    diagnosis = DiagnoseOptions(
        policy=policy,
        mission_set=mission_set,
        experiments=[*(experiments or []), *(mission or [])],
        cogs=cogs or [],
        steps=steps,
        episodes=episodes if repeats is None else repeats,
        action_timeout_ms=action_timeout_ms,
        device=choices.choose_device(device),
        output_dir=output_dir,
        scripted_baseline_policy=scripted_baseline_policy,
        known_strong_policy=known_strong_policy,
        compare_run_dirs=compare_run_dir or [],
        bundle_zip=bundle_zip,
        stability_reruns=stability_reruns,
        require_stable_interpretation=require_stable_interpretation,
        workers=workers,
    )
    with ProgressBar() as progress, prints_to_stderr():
        check_inputs(diagnosis)
        run = run_diagnosis(diagnosis, say=note, progress=progress)
    _show(run.output_dir, format, run.status.stage_status, run.dominant_issue, run.status.notes, run.is_complete)
    if run.exit_code:
        raise typer.Exit(run.exit_code)


def _show(folder: Path, format: Format | None, stage: str, issue: str, notes: tuple[str, ...], complete: bool) -> None:
    if format:
        import json

        print_data(json.loads((folder / "doctor_note.json").read_text(encoding="utf-8")), format)
        return
    print(f"\nDiagnosis: {'complete' if complete else 'incomplete'} ({stage})")
    print(f"Dominant issue: {issue}")
    for text in notes:
        print(f"  {text}")
    print(f"Report: {folder / 'diagnose_report.html'}")
