"""Importing this loads all code of the server, some of which is otherwise loaded when a server is created."""

import tempfile
from pathlib import Path

from observatory.app import create_app
from observatory.settings import Settings

with tempfile.TemporaryDirectory() as folder:
    create_app(Settings(data_dir=Path(folder), seed_seasons=False)).state.database.close()
