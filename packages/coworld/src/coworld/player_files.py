"""Compatibility names: player files, which `coworld.runner.player_files` reads."""

from coworld.runner.player_files import LARGEST as PLAYER_FILE_MAX_BYTES
from coworld.runner.player_files import InvalidPlayerFile, player_file_bytes, resolve_player_file

__all__ = ["PLAYER_FILE_MAX_BYTES", "InvalidPlayerFile", "player_file_bytes", "resolve_player_file"]
