"""`cogames tutorial train`, and its older spelling `cogames train`."""

from __future__ import annotations

import functools
import gc
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from cogames.commands.shared import choices
from cogames_training.args import EngineChoice, Precision, TeacherMode
from softmax.cli.errors import fail
from softmax.cli.program import examples

if TYPE_CHECKING:
    from cogames_training.reports.epoch import EpochReport

__all__ = ["older_train", "train"]

MISSION, POLICY, TRAINING, TEACHER = "Mission Setup", "Policy", "Training", "Teacher"
HARDWARE, REPRODUCIBILITY, OUTPUT = "Hardware", "Reproducibility", "Output"

Missions = Annotated[
    list[str] | None,
    typer.Option(
        "--mission",
        "-m",
        metavar="MISSION",
        help="Mission to train on: a name, a pattern with `*`, or a file (repeatable: worlds take them in turn).",
        show_default="arena, or the missions of the run that -p names",
        rich_help_panel=MISSION,
    ),
]
Cogs = Annotated[
    int | None,
    typer.Option(
        "--cogs",
        "-c",
        metavar="N",
        min=1,
        help="Number of cogs (agents).",
        show_default="from mission",
        rich_help_panel=MISSION,
    ),
]
Variants = Annotated[
    list[str] | None,
    typer.Option("--variant", "-v", metavar="VARIANT", help="Mission variant (repeatable).", rich_help_panel=MISSION),
]
Policy = Annotated[
    str,
    typer.Option(
        "--policy",
        "-p",
        metavar="POLICY",
        help="Policy to train: NAME, class=NAME[,data=FILE][,kw.KEY=VALUE], or a bundle or run to start from.",
        rich_help_panel=POLICY,
    ),
]
Steps = Annotated[
    int,
    typer.Option(
        "--steps",
        "-s",
        metavar="N",
        min=1,
        help="Agent steps over all worlds; at least one batch.",
        rich_help_panel=TRAINING,
    ),
]
MinibatchSize = Annotated[
    int,
    typer.Option(
        "--minibatch-size",
        metavar="N",
        min=1,
        help="Agent steps per gradient step, rounded up to whole segments.",
        rich_help_panel=TRAINING,
    ),
]
BatchSize = Annotated[
    int | None,
    typer.Option(
        "--batch-size",
        metavar="N",
        min=1,
        help="Agent steps per update; sets the number of worlds.",
        show_default="agents x horizon",
        rich_help_panel=TRAINING,
    ),
]
Horizon = Annotated[
    int,
    typer.Option(
        "--horizon", metavar="N", min=1, help="Steps of each agent between updates.", rich_help_panel=TRAINING
    ),
]
LearningRate = Annotated[
    float,
    typer.Option("--learning-rate", metavar="X", help="Step size of the optimizer.", rich_help_panel=TRAINING),
]
EvaluateEvery = Annotated[
    int,
    typer.Option(
        "--evaluate-every",
        metavar="N",
        min=0,
        help="Epochs between evaluations on held-out maps; 0: none.",
        rich_help_panel=TRAINING,
    ),
]
TeacherName = Annotated[
    str | None,
    typer.Option(
        "--teacher",
        metavar="POLICY",
        help="Policy to learn from, such as starter, miner or metta://policy/cogsguard?gear=10.",
        rich_help_panel=TEACHER,
    ),
]
Mode = Annotated[
    TeacherMode,
    typer.Option(
        "--teacher-mode",
        metavar="MODE",
        help=f"How to learn from it: {', '.join(get_args(TeacherMode))}.",
        rich_help_panel=TEACHER,
    ),
]
TeacherSteps = Annotated[
    int,
    typer.Option(
        "--teacher-steps",
        metavar="N",
        min=1,
        help="Agent steps until both parts below have shrunk to 0.",
        rich_help_panel=TEACHER,
    ),
]
TeacherLed = Annotated[
    float,
    typer.Option(
        "--teacher-led",
        metavar="PART",
        min=0,
        max=1,
        help="Part of the agents for which the teacher acts, at the start.",
        rich_help_panel=TEACHER,
    ),
]
StudentLed = Annotated[
    float,
    typer.Option(
        "--student-led",
        metavar="PART",
        min=0,
        max=1,
        help="Part that acts for itself and learns the teacher's actions, at the start.",
        rich_help_panel=TEACHER,
    ),
]
Opponents = Annotated[
    list[str] | None,
    typer.Option(
        "--opponent",
        metavar="POLICY",
        help="Policy of the other teams, in missions with several (repeatable); self: earlier checkpoints of this run.",
        rich_help_panel=MISSION,
    ),
]
Device = Annotated[
    str,
    typer.Option(
        "--device", metavar="DEVICE", help="Device to train on: auto, cpu, cuda or mps.", rich_help_panel=HARDWARE
    ),
]
EngineName = Annotated[
    EngineChoice,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="What plays the worlds: cpu, gpu (the one that trains), or auto: the GPU where it can.",
        rich_help_panel=HARDWARE,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--num-workers",
        metavar="N",
        min=1,
        help="Threads of the engine and of the teacher.",
        show_default="CPU cores",
        rich_help_panel=HARDWARE,
    ),
]
ParallelEnvs = Annotated[
    int | None,
    typer.Option(
        "--parallel-envs",
        metavar="N",
        min=1,
        help="Worlds that step together.",
        show_default="by device, or what --batch-size needs",
        rich_help_panel=HARDWARE,
    ),
]
VectorBatchSize = Annotated[
    int | None,
    typer.Option(
        "--vector-batch-size",
        metavar="N",
        min=1,
        help="No effect: this trainer always steps all worlds together.",
        rich_help_panel=HARDWARE,
    ),
]
NumberFormat = Annotated[
    Precision,
    typer.Option(
        "--precision",
        help="Numbers of the network; weights stay float32. auto: bfloat16 on a CPU where it is faster, else float32.",
        rich_help_panel=HARDWARE,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="Seed of the network, the sampling and the worlds.",
        rich_help_panel=REPRODUCIBILITY,
    ),
]
MapSeed = Annotated[
    int | None,
    typer.Option(
        "--map-seed",
        metavar="N",
        min=0,
        help="Seed of the first procedural map.",
        show_default="same as --seed",
        rich_help_panel=REPRODUCIBILITY,
    ),
]
RunName = Annotated[
    str | None,
    typer.Option(
        "--run",
        metavar="NAME",
        help="Name of the run; the name of an existing run continues it with its settings.",
        show_default="the time",
        rich_help_panel=OUTPUT,
    ),
]
Checkpoints = Annotated[
    Path, typer.Option("--checkpoints", metavar="DIR", help="Folder of the runs.", rich_help_panel=OUTPUT)
]
LogOutputs = Annotated[
    bool,
    typer.Option("--log-outputs", help="Print each epoch as a JSON line on stdout.", rich_help_panel=OUTPUT),
]


@examples(
    "cogames tutorial train -m arena                                    # a first network",
    "cogames tutorial train -m arena -p class=sparse --teacher starter  # learn from a scripted policy",
    "cogames tutorial train -m tutorial.miner -m arena                  # missions in turn",
    "cogames tutorial train -m 'tutorial.*'                             # all missions that match",
    "cogames tutorial train --run NAME                                  # continue a run where it stopped",
    "cogames tutorial train -p ./train_dir/my_run:v5                    # a new run from these weights",
    "cogames tutorial train -p class=lstm,data=./weights.safetensors",
)
def train(
    ctx: typer.Context,
    mission: Missions = None,
    cogs: Cogs = None,
    variant: Variants = None,
    opponent: Opponents = None,
    policy: Policy = "class=lstm",
    steps: Steps = 10_000_000_000,
    minibatch_size: MinibatchSize = 4096,
    batch_size: BatchSize = None,
    horizon: Horizon = 64,
    learning_rate: LearningRate = 0.00092,
    evaluate_every: EvaluateEvery = 0,
    teacher: TeacherName = None,
    teacher_mode: Mode = "sliced_cloner",
    teacher_steps: TeacherSteps = 1_000_000_000,
    teacher_led: TeacherLed = 0.2,
    student_led: StudentLed = 0.0,
    device: Device = "auto",
    engine: EngineName = "cpu",
    num_workers: Threads = None,
    parallel_envs: ParallelEnvs = None,
    vector_batch_size: VectorBatchSize = None,
    precision: NumberFormat = "auto",
    seed: Seed = 42,
    map_seed: MapSeed = None,
    run: RunName = None,
    checkpoints: Checkpoints = Path("./train_dir"),
    log_outputs: LogOutputs = False,
) -> None:
    """Train a policy on one or more missions.

    Needs PyTorch: pip install cogames[neural]. The default network is `lstm`; `sparse` is faster and learns one set of
    weights for all missions. A class of yours works if its `network()` returns a PyTorch module
    (cogames tutorial make-policy --trainable). Ctrl-C stops after the current epoch and saves a checkpoint.
    """
    if find_spec("torch") is None:
        fail("Training needs PyTorch, which is not installed", "pip install cogames[neural]")
    from cogames_training.commands.train_settings import read_settings

    args, layout = read_settings(ctx)
    chosen = choices.missions(args.missions, variants=args.variants, mission_set=None, game="cogsguard", cogs=args.cogs)
    args = replace(args, missions=[each.name for each in chosen])
    opponents = [name for name in args.opponents if name != "self"]
    for text in filter(None, (args.policy, args.teacher, *opponents)):
        choices.policy(ctx, text, None)

    gc.disable()  # imported modules never become garbage; the run enables the collector
    from cogames_training.commands.next_steps import command_words, print_next_steps
    from cogames_training.distributed import is_first_process
    from cogames_training.training import train

    def log(report: EpochReport) -> bool:
        if log_outputs and is_first_process():
            print(report.to_json(), flush=True)
        return False

    result = train(args, run=run, layout=layout, checkpoints=checkpoints, command=command_words(ctx), stop=log)
    if is_first_process():
        print_next_steps(result, args, to_stderr=log_outputs)


@functools.wraps(train)
def older_train(ctx: typer.Context, **arguments: Any) -> None:
    train(ctx, **arguments)
