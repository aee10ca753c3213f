"""The frame of a command-line program: a table of commands, help in panels and one way to report errors.

A command's module is imported when the command runs; help needs only the table. Other distributions add commands
through entry points: each entry point of the program's group names a list of `Entry` in a module that imports nothing
heavy. A name of two words, such as `tutorial train`, adds a command to a group of the program.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from softmax.cli.errors import INTERRUPTED, Explanation, explain, is_interrupt, report, usage_message
from softmax.cli.output import configure, deprecated, settings, show_log, warn

__all__ = [
    "CommandGroup",
    "Debug",
    "Entry",
    "Group",
    "Program",
    "Quiet",
    "Verbose",
    "Version",
    "added_entries",
    "examples",
    "make_app",
    "make_group_app",
    "merged",
]

OPTIONS = "Options"
ARGUMENTS = "Arguments"
LAST = "Other"
DEBUG, JSON, QUIET, VERBOSE = "--debug", "--json", "--quiet", "--verbose"
SHORT = {"-q": QUIET, "-v": VERBOSE}
"""only before the command: a command may have options of these letters"""
ID_METAVARS = ("MATCH_ID", "EPISODE_ID")
"""arguments that are UUIDs or their prefixes"""


@dataclass(frozen=True)
class Entry:
    """A command: its name, `module:function`, a one-line summary and its help panel.

    For a group the target is a list of entries, or a `CommandGroup`.

    `instead` marks an older spelling: help omits it, and running it prints the current spelling. Help also omits
    `hidden` commands, which are for developers of this repository. A `fallback` says what to install; the command of
    the same name from another distribution replaces it.
    """

    name: str
    target: str
    summary: str = ""
    panel: str = "Commands"
    instead: str = ""
    hidden: bool = False
    fallback: bool = False
    added: tuple[Entry, ...] = ()
    """commands of a group that come from other distributions"""

    @property
    def is_listed(self) -> bool:
        return not (self.instead or self.hidden)

    def load(self) -> TyperCommand | TyperGroup:
        """Import the command and build it."""
        loaded = _attribute(self.target)
        if isinstance(loaded, list):
            kind: type[Group] = type("SubGroup", (Group,), {"entries": merged(loaded, self.added)})
            return kind(name=self.name, help=self.summary, rich_markup_mode=None)
        if isinstance(loaded, CommandGroup):
            return _make_group(self, loaded)
        return _make_command(self, loaded)


@dataclass(frozen=True)
class CommandGroup:
    """A group of commands with options of its own, which `options` reads before the command runs.

    With `works_alone`, the group without a command is a command too: `options` does the work when
    `ctx.invoked_subcommand` is None.
    """

    entries: Sequence[Entry]
    options: Callable[..., None]
    works_alone: bool = False


class _Commands(Mapping[str, Any]):
    """Commands by name, imported when looked up. Iteration yields the listed names only."""

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
        super().__init__(**{**settings, "no_args_is_help": not settings.get("invoke_without_command")})
        self._table = list(self.all_entries())
        self.commands = _Commands(self._table)  # type: ignore[assignment]

    @classmethod
    def all_entries(cls) -> Sequence[Entry]:
        """Return the commands of the group."""
        return cls.entries

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        listed = [entry for entry in self._table if entry.is_listed]
        width = max(len(entry.name) for entry in listed)
        for panel in dict.fromkeys(entry.panel for entry in listed):
            with formatter.section(panel):
                formatter.write_dl([(f"{e.name:{width}}", e.summary) for e in listed if e.panel == panel])


class Program(Group):
    """The outermost group: reports errors; takes `--debug`, `--quiet` and `--verbose` anywhere on the command line."""

    distribution: ClassVar[str] = ""
    """whose version `--version` prints; by default the one with the name of the program"""
    entry_point_group: ClassVar[str] = ""
    """entry points through which other distributions add commands; none if empty"""
    json_errors: ClassVar[bool] = False
    """with `--json`, also print errors as a JSON document on stdout"""
    packages: ClassVar[Sequence[str]] = ("softmax",)
    """import packages whose exceptions carry a message for users"""
    shows_warnings: ClassVar[bool] = True
    """print logged warnings on stderr; a server configures its own log"""

    @classmethod
    def all_entries(cls) -> Sequence[Entry]:
        if not cls.entry_point_group:
            return cls.entries
        return merged(cls.entries, added_entries(cls.entry_point_group))

    @classmethod
    def explain(cls, error: BaseException) -> Explanation:
        """Explain an error to the user; programs override this for their own exceptions."""
        return explain(error, cls.packages)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        words, given = _take_options(list(sys.argv[1:] if args is None else args))
        configure(quiet=QUIET in given, verbose=VERBOSE in given)

        def call() -> Any:
            return super(Program, self).main(words, prog_name, complete_var, False, windows_expand_args, **extra)

        if not standalone_mode:
            return call()
        if self.shows_warnings:
            show_log()
        as_json = self.json_errors and any(word.partition("=")[0] == JSON for word in words)
        sys.exit(self._exit_code(call, debug=DEBUG in given, as_json=as_json))

    def _exit_code(self, call: Callable[[], Any], *, debug: bool, as_json: bool) -> int:
        """Run the call, report what goes wrong and return the exit code."""
        try:
            code = call()
            sys.stdout.flush()
            if code == INTERRUPTED:  # Typer caught the interrupt itself
                report(self.explain(KeyboardInterrupt()), as_json=as_json)
            return code if isinstance(code, int) else 0
        except BrokenPipeError:
            # The reader has closed the pipe, as `head` does; flushing again at exit must not complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        except (Exception, KeyboardInterrupt) as error:
            usage = usage_message(error)
            if usage is not None:
                print(usage, file=sys.stderr)
                return 2
            explanation = self.explain(error)
            if debug and not is_interrupt(error):
                import traceback

                traceback.print_exception(error)
            if as_json or not debug:
                report(explanation, as_json=as_json)
            return explanation.exit_code


class Command(TyperCommand):
    """A command with its options in panels and its examples as they are written; `--json` takes names of fields."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words, fields = self._take_fields(ctx, list(args))
        if fields is not None:
            from softmax.cli.fields import split_fields

            settings.fields = split_fields(fields)
        return super().parse_args(ctx, words)

    def _take_fields(self, ctx: Any, words: list[str]) -> tuple[list[str], str | None]:
        """Take FIELDS of `--json=FIELDS` or `--json FIELDS` out of the words.

        `--json` alone is valid too, so the word after it is a list of fields only if it contains a comma, if the
        command has no argument left for it, or if its arguments are ids and the word is not the beginning of one.
        """
        if not any(JSON in param.opts for param in self.params):
            return words, None
        for place, word in enumerate(words):
            if word == "--":
                break
            if word.startswith(f"{JSON}="):
                return [*words[:place], JSON, *words[place + 1 :]], word.partition("=")[2]
            following = words[place + 1 : place + 2]
            if word == JSON and following and not following[0].startswith("-"):
                if "," not in following[0] and not self._has_extra(ctx, words) and self._may_take(following[0]):
                    break
                return [*words[: place + 1], *words[place + 2 :]], following[0]
        return words, None

    def _may_take(self, word: str) -> bool:
        """Return whether a word may be an argument of the command."""
        names = [str(param.metavar) for param in self.params if param.param_type_name == "argument"]
        takes_ids = all(name in ID_METAVARS for name in names)
        return not takes_ids or set(word.lower()) <= set("0123456789abcdef-")

    def _has_extra(self, ctx: Any, words: list[str]) -> bool:
        """Return whether the command has fewer arguments than the words on its line."""
        _, extra, _ = self.make_parser(ctx).parse_args(args=list(words))
        return bool(extra)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_options(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        if self.epilog:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" if line else "\n" for line in self.epilog.splitlines()))


def added_entries(entry_point_group: str) -> list[Entry]:
    """Return the commands that installed distributions add to a program."""
    from importlib.metadata import entry_points

    added: list[Entry] = []
    for point in sorted(entry_points(group=entry_point_group), key=lambda point: point.name):
        try:
            added += point.load()
        except Exception as error:  # a broken extension must not take the program with it
            warn(f"the commands of {point.value} are not available: {type(error).__name__}: {error}")
    return added


def merged(entries: Sequence[Entry], added: Sequence[Entry]) -> list[Entry]:
    """Return a table with the commands that other distributions add; they replace nothing but fallbacks."""
    commands = {entry.name: entry for entry in entries}
    taken = {entry.name for entry in entries if not entry.fallback}
    for entry in sorted(added, key=lambda entry: entry.name.count(" ")):  # groups first
        group, _, name = entry.name.partition(" ")
        if name and group in commands:
            commands[group] = replace(commands[group], added=(*commands[group].added, replace(entry, name=name)))
        elif not name and entry.name not in taken:
            commands[entry.name] = entry
    return list(commands.values())


def examples(*lines: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add examples to the end of a command's help."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        function.__dict__["epilog"] = "\n".join(lines)
        return function

    return add


def make_app(name: str, summary: str, program: type[Program]) -> typer.Typer:
    """Return the program as a Typer application, which can be called and given to Typer's test runner."""
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


def make_group_app(
    name: str, summary: str, entries: Sequence[Entry], *, program: type[Program] = Program
) -> typer.Typer:
    """Return a table of commands as a separate Typer application that reports errors as `program` does."""
    return make_app(name, summary, type("GroupProgram", (program,), {"entries": entries, "entry_point_group": ""}))


def _print_version(ctx: typer.Context, wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import version

    root = ctx.find_root()
    distribution = getattr(root.command, "distribution", "") or str(root.info_name)
    print(f"{root.info_name} {version(distribution)}")
    raise typer.Exit


# Options of every program. `Program.main` removes all but `--version` before parsing; they exist for the help.
Debug = Annotated[bool, typer.Option(DEBUG, help="Show where an error comes from.")]
Quiet = Annotated[bool, typer.Option(QUIET, "-q", help="Print only results, warnings and errors.")]
Verbose = Annotated[bool, typer.Option(VERBOSE, "-v", help="Also print requests to servers and other details.")]
Version = Annotated[
    bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
]


def _root(version: Version = False, quiet: Quiet = False, verbose: Verbose = False, debug: Debug = False) -> None: ...


def _take_options(words: list[str]) -> tuple[list[str], set[str]]:
    """Take the options of the program out of the words of its command line."""
    given: set[str] = set()
    rest: list[str] = []
    for place, word in enumerate(words):
        if word == "--":
            rest += words[place:]
            break
        option = SHORT.get(word, word) if not rest else word
        if option in (DEBUG, QUIET, VERBOSE):
            given.add(option)
        else:
            rest.append(word)
    return rest, given


def _attribute(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _make_command(entry: Entry, function: Callable[..., None]) -> TyperCommand:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    settings = getattr(function, "context_settings", None)
    epilog = getattr(function, "epilog", None)
    app.command(entry.name, cls=Command, epilog=epilog, hidden=not entry.is_listed, context_settings=settings)(function)
    command: Any = typer.main.get_command(app)
    if entry.instead:
        run = command.invoke

        def invoke(ctx: Any) -> Any:
            parent = ctx.command_path.removesuffix(entry.name)
            deprecated(f"{parent}{entry.name}", f"{parent}{entry.instead}")
            return run(ctx)

        command.invoke = invoke
    return command


def _make_group(entry: Entry, group: CommandGroup) -> TyperGroup:
    kind: type[Group] = type("SubGroup", (Group,), {"entries": merged(group.entries, entry.added)})
    app = typer.Typer(
        name=entry.name,
        cls=kind,
        help=entry.summary,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        invoke_without_command=group.works_alone,
    )
    app.callback(help=entry.summary)(group.options)
    command: Any = typer.main.get_command(app)
    return command


def _write_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Write arguments and options, one section per panel; the help option comes last."""
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
