"""The frame of the program: a table of commands, imported when they are called, and one way to report errors.

Nothing but the table is needed to show help, so that is all that is imported.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from coworld.cli.output import CommandError, UsageError, report

__all__ = ["Entry", "Group", "Program", "examples", "make_app"]

JSON = "--json"
DEBUG = "--debug"
INTERRUPTED = 130
"""exit code after Ctrl-C, as shells have it"""


@dataclass(frozen=True)
class Entry:
    """A command: its name, `module:function` (or `module:table` for a group), a line of help and its panel."""

    name: str
    target: str
    summary: str = ""
    panel: str = "Commands"

    def load(self) -> TyperCommand | TyperGroup:
        module, _, attribute = self.target.partition(":")
        loaded = getattr(importlib.import_module(module), attribute)
        if isinstance(loaded, list):
            kind: type[Group] = type("SubGroup", (Group,), {"entries": loaded})
            return kind(name=self.name, help=self.summary, rich_markup_mode=None)
        app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        app.command(self.name, cls=Command, epilog=getattr(loaded, "epilog", None))(loaded)
        command: Any = typer.main.get_command(app)
        return command


class _Commands(Mapping[str, Any]):
    """Commands by name; a command is imported when it is looked up."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = {entry.name: entry for entry in entries}

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        return self._entries[name].load()

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Group(TyperGroup):
    """A group whose commands come from `entries`."""

    entries: ClassVar[Sequence[Entry]] = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "no_args_is_help": True})
        self.commands = _Commands(self.entries)  # type: ignore[assignment]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(len(entry.name) for entry in self.entries)
        for panel in dict.fromkeys(entry.panel for entry in self.entries):
            with formatter.section(panel):
                formatter.write_dl([(f"{e.name:{width}}", e.summary) for e in self.entries if e.panel == panel])


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
        debug = DEBUG in words
        words = [word for word in words if word != DEBUG]

        def call() -> Any:
            return super(Program, self).main(words, prog_name, complete_var, False, windows_expand_args, **extra)

        if not standalone_mode:
            return call()
        sys.exit(_reported(call, debug=debug, as_json=JSON in words))


class Command(TyperCommand):
    """A command whose examples are shown as they are written."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        if self.epilog:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.epilog.splitlines()))


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


def _root(debug: Annotated[bool, typer.Option(DEBUG, help="Show where an error comes from.")] = False) -> None:
    """`Program.main` takes `--debug` out wherever it stands; here it is only for the help."""


def _reported(call: Callable[[], Any], *, debug: bool, as_json: bool) -> int:
    """The exit code of a call; whatever goes wrong is told in a sentence."""
    try:
        code = call()
        sys.stdout.flush()
        if code == INTERRUPTED:  # Typer has seen it first
            report("interrupted", "Interrupted", None, as_json=as_json)
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does; flushing again at exit must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        report("interrupted", "Interrupted", None, as_json=as_json)
        return INTERRUPTED
    except UsageError as error:
        report("usage", str(error), error.hint, as_json=as_json)
        return 2
    except Exception as error:
        usage = _usage(error)
        if usage is not None:
            print(usage, file=sys.stderr)
            return 2
        if debug:
            import traceback

            traceback.print_exception(error)
        kind, message, help_text = _explain(error)
        report(kind, message, help_text, as_json=as_json)
        return 1


def _usage(error: Exception) -> str | None:
    """What to say when the words make no command: Typer's own exceptions, which have no public name."""
    if getattr(error, "exit_code", None) != 2 or not hasattr(error, "format_message"):
        return None
    message = str(error.format_message())
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError" or context is None:
        return message
    return f"Error: {message}\nhint: see `{context.command_path} --help`"


def _explain(error: Exception) -> tuple[str, str, str | None]:
    """(type, sentence, hint) of an error."""
    if isinstance(error, CommandError):
        return error.kind, str(error), error.hint
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        place = error.filename if error.filename2 is None else error.filename2
        return "file", f"{place} cannot be used: {error.strerror}", "check the path, its permissions and the space left"
    kind = getattr(error, "error_type", None)
    if isinstance(error, ValueError | OSError) or kind is not None or _is_engines(error):
        kind = kind if isinstance(kind, str) else _words(type(error).__name__)
        problems = getattr(error, "problems", ())
        if len(problems) > 1:
            lines = [f"  {problem} ({problem.fix})" for problem in problems]
            return kind, "\n".join([f"There are {len(problems)} problems:", *lines]), None
        return kind, str(error) or type(error).__name__, getattr(error, "hint", None)
    return "internal", f"{type(error).__name__}: {error}", "this is a mistake of ours; `--debug` shows where it is"


def _is_engines(error: Exception) -> bool:
    from coworld.engines.base import EngineError

    return isinstance(error, EngineError)


def _words(name: str) -> str:
    """`ManifestError` is `manifest`."""
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")
    return words.removesuffix("_error") or "error"
