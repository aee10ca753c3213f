"""Cache compiled programs. Compiling a large game takes a tenth of a second; creating a world from a program is a
memory copy."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Collection

from pydantic_core import PydanticSerializationError

from mettagrid.compiler.errors import CompileError
from mettagrid.compiler.program import Program, compile, game_of
from mettagrid.config.mettagrid_config import GameConfig, MettaGridConfig

MAX_PROGRAMS = 32

_programs: OrderedDict[str, Program] = OrderedDict()
_lock = threading.Lock()


def compiled(
    config: MettaGridConfig | GameConfig, *, strict: bool = False, corrections: Collection[str] = ()
) -> Program:
    """Return the program of a game, cached by the content of its config without the map and render settings."""
    game = game_of(config)
    try:
        written = game.model_dump_json(exclude={"map_builder", "render", "params"})
    except PydanticSerializationError as error:  # a lone surrogate, such as "\ud800"
        raise CompileError("game", f"a name or text cannot be written as UTF-8: {error}") from error
    key = hashlib.sha256(f"{strict}{sorted(corrections)}{written}".encode()).hexdigest()
    with _lock:
        if key in _programs:
            _programs.move_to_end(key)
            return _programs[key]
    program = compile(game, strict=strict, corrections=corrections)
    with _lock:
        _programs[key] = program
        while len(_programs) > MAX_PROGRAMS:
            _programs.popitem(last=False)
    return program
