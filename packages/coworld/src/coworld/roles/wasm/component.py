"""Compile a component, compare it with the world `softmax:reporter@0.6.0`, link it and run it. Needs wasmtime.

The component gets WASI 0.2 without arguments, variables, standard input and network, and one folder, `/scratch`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coworld.roles.wasm.errors import ToolError
from coworld.roles.wasm.tools import IgnoredBudget, Tools
from coworld.roles.wasm.watchdog import Watchdog

if TYPE_CHECKING:
    import wasmtime
    import wasmtime.component

__all__ = ["PACKAGE", "VERSION", "compile_component", "new_engine", "run_component"]

PACKAGE, VERSION = "softmax:reporter", "0.6.0"
_INTERFACES = ("types", "episodes", "platform", "reports", "llm", "output")
_WASI = ("cli", "clocks", "filesystem", "io", "random", "sockets")
MEMORIES = 64
TABLE_ELEMENTS = 1 << 20


def new_engine() -> wasmtime.Engine:
    """Return a runtime whose code can be interrupted."""
    import wasmtime

    config = wasmtime.Config()
    config.epoch_interruption = True
    config.wasm_component_model = True
    config.wasm_threads = False  # the limit of memory does not hold for shared memory
    return wasmtime.Engine(config)


def compile_component(engine: wasmtime.Engine, data: bytes) -> wasmtime.component.Component:
    """Compile a component and compare its imports and exports with the world.

    Raises:
        ToolError: `invalid`.
    """
    import wasmtime
    from wasmtime.component import Component

    if data[:4] != b"\0asm" or data[4:8] != b"\x0d\0\x01\0":
        kind = "a core module, not a component" if data[:4] == b"\0asm" else "not WebAssembly"
        raise ToolError("invalid", f"the file is {kind}")
    try:
        component = Component(engine, data)
    except wasmtime.WasmtimeError as error:
        raise ToolError("invalid", f"the component cannot be compiled: {_first_line(error)}") from None
    known = {f"{PACKAGE}/{name}@{VERSION}" for name in _INTERFACES}
    for name in component.type.imports(engine):
        package, _, rest = name.partition("/")
        version = rest.partition("@")[2]
        if name not in known and not (package in {f"wasi:{part}" for part in _WASI} and version.startswith("0.2.")):
            raise ToolError(
                "invalid", f"the component imports {name}; it may import {PACKAGE}@{VERSION} and WASI 0.2 without http"
            )
    if "run" not in component.type.exports(engine):
        raise ToolError("invalid", f"the component does not export `run` of {PACKAGE}@{VERSION}")
    return component


def run_component(
    engine: wasmtime.Engine,
    component: wasmtime.component.Component,
    tools: Tools,
    watchdog: Watchdog,
    *,
    scratch: Path,
    run_id: str,
    params: str | None,
) -> None:
    """Call the component's `run` for the episode of the tools.

    Raises:
        ToolError: the component returned an error, exceeded a limit, crashed or does not fit the world.
    """
    import wasmtime
    from wasmtime.component import Linker, Record, Variant

    limits = tools.limits
    store = wasmtime.Store(engine)
    store.set_limits(memory_size=limits.memory_bytes, memories=MEMORIES, table_elements=TABLE_ELEMENTS)
    store.set_epoch_deadline(1)
    wasi = wasmtime.WasiConfig()
    wasi.preopen_dir(str(scratch), "/scratch")
    wasi.stdout_custom = tools.write_log
    wasi.stderr_custom = tools.write_log
    store.set_wasi(wasi)
    linker = Linker(engine)
    linker.add_wasip2()
    _define(linker, tools, watchdog)
    request = Record()
    setattr(request, "run-id", run_id)
    request.subject = Variant("episodes", [tools.bundle.id])  # type: ignore[attr-defined]
    request.params = params  # type: ignore[attr-defined]
    try:
        with watchdog:
            instance = linker.instantiate(store, component)
            run = instance.get_func(store, "run")
            if run is None:
                raise ToolError("invalid", f"the component does not export `run` of {PACKAGE}@{VERSION}")
            answer = run(store, request)
    except IgnoredBudget as error:
        raise ToolError("budget-exhausted", str(error)) from None
    except (wasmtime.WasmtimeError, wasmtime.Trap) as error:
        raise _verdict(error, watchdog, limits.memory_bytes) from None
    except (TypeError, AttributeError, ValueError, AssertionError, NotImplementedError) as error:
        # The runtime links functions by name; values of other types fail when they are converted.
        raise ToolError("invalid", f"it uses other types than {PACKAGE}@{VERSION}: {error}") from None
    if isinstance(answer, Variant):
        raise ToolError(answer.tag, str(answer.payload)[:2000])  # type: ignore[arg-type]


def _define(linker: wasmtime.component.Linker, tools: Tools, watchdog: Watchdog) -> None:
    """Define the interfaces of the world in a linker."""
    functions: dict[str, dict[str, Callable[..., Any]]] = {
        "types": {},
        "episodes": {
            "results": tools.results,
            "events": tools.event_stream,
            "replay": tools.replay,
            "game-logs": tools.game_logs,
            "player-logs": tools.player_logs,
            "error-info": tools.error_info,
        },
        "platform": {"get": tools.platform_get},
        "reports": {
            "dependencies": tools.no_runs,
            "list-runs": tools.no_runs,
            "output": tools.missing_run,
            "fetch": tools.missing_run,
        },
        "llm": {"anthropic-messages": tools.missing_model, "openai-chat": tools.missing_model},
        "output": {
            "emit": lambda name, part: tools.emit(name, part.tag, part.payload),
            "progress": tools.progress,
            "log": tools.log,
        },
    }
    with linker.root() as root:
        for interface, members in functions.items():
            with root.add_instance(f"{PACKAGE}/{interface}@{VERSION}") as instance:
                for name, function in members.items():
                    instance.add_func(name, functools.partial(_call, function, watchdog))


def _call(function: Callable[..., Any], watchdog: Watchdog, _store: object, *arguments: Any) -> Any:
    """Call a tool; a ToolError becomes the error of the call."""
    from wasmtime.component import Variant

    try:
        value = function(*arguments)
    except ToolError as error:
        return Variant(error.kind, error.message)
    if isinstance(value, bytes):
        watchdog.largest_value = max(watchdog.largest_value, len(value))
    return value


def _verdict(error: BaseException, watchdog: Watchdog, memory_bytes: int) -> ToolError:
    """Return the verdict on a run that the runtime ended."""
    if watchdog.reason is not None:
        return ToolError("budget-exhausted", watchdog.reason)
    text = str(error)
    if "too much data is being copied" in text:
        return ToolError("budget-exhausted", "it passed more data in one call than the runtime accepts")
    if "exceeds memory limit" in text or watchdog.memory() > 0.9 * memory_bytes:
        return ToolError("budget-exhausted", f"it used its {memory_bytes >> 20} MiB of memory")
    if "matching implementation was not found" in text or "component imports" in text:
        return ToolError("invalid", f"the component does not fit {PACKAGE}@{VERSION}: {_first_line(error)}")
    return ToolError(
        "internal", f"it crashed: {text.strip().splitlines()[-1].strip() if text.strip() else 'no reason'}"
    )


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "; ".join(lines[:3])[:500]
