"""Training runs on disk: `RunFolder` writes one, `listing` finds and reads them."""

from cogames_training.runs.checkpoint import Checkpoint
from cogames_training.runs.errors import RunFolderError
from cogames_training.runs.folder import RunFolder
from cogames_training.runs.layout import Layout, default_data_dir
from cogames_training.runs.listing import Run, find_run, find_runs, read_run

__all__ = [
    "Checkpoint",
    "Layout",
    "Run",
    "RunFolder",
    "RunFolderError",
    "default_data_dir",
    "find_run",
    "find_runs",
    "read_run",
]
