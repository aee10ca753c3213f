"""The commands that this package adds to `cogames`."""

from softmax.cli.program import Entry

__all__ = ["COMMANDS"]

TRAINING = "Training"

COMMANDS: list[Entry] = [
    Entry(
        "runs", "cogames_training.commands.runs:GROUP", "List training runs and show their learning curves.", TRAINING
    ),
    Entry(
        "sweep", "cogames_training.sweeps.command:sweep", "Search for good training settings, with a report.", TRAINING
    ),
]
