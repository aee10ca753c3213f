"""The `observatory` command. A command's module is imported when the command runs."""

from __future__ import annotations

import typer

from observatory.cli.program import ObservatoryProgram
from softmax.cli.program import Entry, make_app

__all__ = ["COMMANDS", "app", "main"]

RUN, KEEP, MANAGE = "Run", "Maintain", "Manage"

COMMANDS = [
    Entry("serve", "observatory.cli.serving:serve", "Run the server until it is stopped.", RUN),
    Entry("demo", "observatory.cli.serving:demo", "Run a local server whose seasons the built-in policies play.", RUN),
    Entry("worker", "observatory.cli.worker:worker", "Play episodes for a server until stopped.", RUN),
    Entry("workers", "observatory.cli.workers:workers", "Run workers on a Ray cluster, as many as are needed.", RUN),
    Entry("seed", "observatory.cli.serving:seed", "Create the documented seasons.", KEEP),
    Entry("backup", "observatory.cli.maintenance:backup", "Write everything to one file.", KEEP),
    Entry("restore", "observatory.cli.maintenance:restore", "Fill an empty data folder from a backup.", KEEP),
    Entry("doctor", "observatory.cli.maintenance:doctor", "Check this installation.", KEEP),
    Entry("store-rules", "observatory.cli.maintenance:store_rules", "Print or set the rules of the S3 bucket.", KEEP),
    Entry("admin", "observatory.cli.admin:ADMIN", "Manage accounts, tokens, seasons and grants.", MANAGE),
]


class Observatory(ObservatoryProgram):
    """`observatory`, with its commands."""

    entries = COMMANDS


app: typer.Typer = make_app("observatory", "The league server.", Observatory)


def main() -> None:
    """Run the command with the arguments of this process, and end the process."""
    app(prog_name="observatory")


if __name__ == "__main__":
    main()
