"""The frame of a program with commands: a table of them, imported when asked for, with help in panels and one way to
report errors."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from cogames.cli.errors import report, usage_message
from cogames.cli.output import deprecated, show_log

__all__ = ["Entry", "Program", "examples", "make_app", "make_group_app"]

OPTIONS = "Options"
ARGUMENTS = "Arguments"
LAST = "Other"


@dataclass(frozen=True)
class Entry:
    """A command: its name, `module:function` (or `module:table` for a group), a line of help and the panel it is in.

    With `instead` it is an older spelling: it is not listed, and says what to write today. `hidden` ones are for those
    who work on the repository, and are not listed either.
    """

    name: str
    target: str
    summary: str = ""
    panel: str = "Commands"
    instead: str = ""
    hidden: bool = False

    @property
    def is_listed(self) -> bool:
        return not (self.instead or self.hidden)

    def load(self) -> TyperCommand | TyperGroup:
        module, _, attribute = self.target.partition(":")
        loaded = getattr(importlib.import_module(module), attribute)
        if isinstance(loaded, list):
            return _make_group(self, loaded)
        return _make_command(self, loaded)


class _Commands(Mapping[str, Any]):
    """Commands by name; a command is imported when it is looked up. Only names that are listed are iterated over."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = {entry.name: entry for entry in entries}

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        return self._entries[name].load()

    def __iter__(self) -> Iterator[str]:
        return (name for name, entry in self._entries.items() if entry.is_listed)

    def __len__(self) -> int:
        return len(self._entries)


class Group(TyperGroup):
    """A group whose commands come from `entries`."""

    entries: ClassVar[Sequence[Entry]] = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "no_args_is_help": True})
        self.commands = _Commands(self.entries)  # type: ignore[assignment]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        listed = [entry for entry in self.entries if entry.is_listed]
        width = max(len(entry.name) for entry in listed)
        for panel in dict.fromkeys(entry.panel for entry in listed):
            with formatter.section(panel):
                formatter.write_dl([(f"{e.name:{width}}", e.summary) for e in listed if e.panel == panel])


class Program(Group):
    """The outermost group: reports errors, and understands `--debug` wherever it stands."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words
        words = [word for word in words if word != "--debug"]

        def call() -> Any:
            return super(Program, self).main(words, prog_name, complete_var, False, windows_expand_args, **extra)

        if not standalone_mode:
            return call()
        show_log()
        sys.exit(_reported(call, debug))


class Command(TyperCommand):
    """A command with its options in panels and its examples as they are written."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_options(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        if self.epilog:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" if line else "\n" for line in self.epilog.splitlines()))


def examples(*lines: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Examples for the end of a command's help."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        function.__dict__["epilog"] = "\n".join(lines)
        return function

    return add


def make_app(name: str, summary: str, program: type[Program]) -> typer.Typer:
    """The program as a Typer application, which can be called and given to Typer's test runner."""
    app = typer.Typer(
        name=name,
        cls=program,
        help=summary,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    )
    app.callback()(_root)
    return app


def make_group_app(name: str, summary: str, entries: Sequence[Entry]) -> typer.Typer:
    """Return a table of commands as a Typer application of its own."""
    return make_app(name, summary, type("GroupProgram", (Program,), {"entries": entries}))


def _root(debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False) -> None:
    """`Program.main` takes `--debug` out wherever it stands; here it is only for the help."""


def _make_command(entry: Entry, function: Callable[..., None]) -> TyperCommand:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(entry.name, cls=Command, epilog=getattr(function, "epilog", None), hidden=not entry.is_listed)(function)
    command: Any = typer.main.get_command(app)
    if entry.instead:
        called = command.invoke

        def invoke(ctx: Any) -> Any:
            deprecated(f"cogames {entry.name}", f"cogames {entry.instead}")
            return called(ctx)

        command.invoke = invoke
    return command


def _make_group(entry: Entry, entries: Sequence[Entry]) -> TyperGroup:
    kind: type[Group] = type("SubGroup", (Group,), {"entries": entries})
    return kind(name=entry.name, help=entry.summary, rich_markup_mode=None)


def _write_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Arguments and options, one section for each panel; the help option comes last."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for param in command.get_params(ctx):
        record = param.get_help_record(ctx)
        if record is None:
            continue
        default = ARGUMENTS if param.param_type_name == "argument" else OPTIONS
        panel = getattr(param, "rich_help_panel", None) or default
        if panel == OPTIONS and "--help" in param.opts and panels and OPTIONS not in panels:
            panel = LAST
        panels.setdefault(panel, []).append(record)
    for panel, records in panels.items():
        with formatter.section(panel):
            formatter.write_dl(records, col_max=36)


def _reported(call: Callable[[], Any], debug: bool) -> int:
    """The exit code of a call; whatever goes wrong is told on stderr."""
    try:
        code = call()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does; flushing again at exit must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (Exception, KeyboardInterrupt) as error:
        usage = usage_message(error)
        if usage is not None:
            print(usage, file=sys.stderr)
            return 2
        if debug:
            import traceback

            traceback.print_exception(error)
            return 1
        return report(error)
