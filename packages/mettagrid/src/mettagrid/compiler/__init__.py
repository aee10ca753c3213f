"""Compile a configuration to a program: `compile(config) -> Program`, or `compiled(config)`, which caches programs."""

from mettagrid.compiler.cache import compiled
from mettagrid.compiler.corrections import CORRECTIONS
from mettagrid.compiler.errors import CompileError, ConfigWarning, UnknownName
from mettagrid.compiler.program import Program, agent_configs, compile

__all__ = [
    "CORRECTIONS",
    "CompileError",
    "ConfigWarning",
    "Program",
    "UnknownName",
    "agent_configs",
    "compile",
    "compiled",
]
