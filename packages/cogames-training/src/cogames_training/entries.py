"""The commands that this package adds to `cogames`."""

from softmax.cli.program import Entry

__all__ = ["COMMANDS"]

TRAINING = "Training"

COMMANDS: list[Entry] = [
    Entry(
        "tutorial train",
        "cogames_training.commands.train:train",
        "Train a policy on one or more missions.",
        "Tutorial",
    ),
    Entry("train", "cogames_training.commands.train:older_train", instead="tutorial train"),
    Entry(
        "runs", "cogames_training.commands.runs:GROUP", "List training runs and show their learning curves.", TRAINING
    ),
    Entry(
        "sweep", "cogames_training.sweeps.command:sweep", "Search for good training settings, with a report.", TRAINING
    ),
]
