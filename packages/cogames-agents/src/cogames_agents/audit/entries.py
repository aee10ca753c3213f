"""The table of the audit commands: `cogames agents ...`, and the three scripts of the package."""

from __future__ import annotations

import sys

from softmax.cli.program import Entry

__all__ = ["AGENTS", "COMMANDS", "run_script"]

_HERE = "cogames_agents.audit.commands"

AGENTS = [
    Entry("rollout", f"{_HERE}:rollout", "Check a policy in a short episode: structures, roles, targets, gear."),
    Entry("parity", f"{_HERE}:parity", "Compare the actions of two policies; find the first difference."),
    Entry("audit", f"{_HERE}:audit", "Trace roles and resources of a policy over an episode."),
]
COMMANDS = [Entry("agents", "cogames_agents.audit.entries:AGENTS", "Audit scripted policies.", "Agents")]


def run_script(command: str) -> None:
    """Run a command with the arguments of this process, and end the process."""
    from cogames.commands.shared.program import make_group_app

    make_group_app("agents", "Audit scripted policies.", AGENTS)([command, *sys.argv[1:]], prog_name="cogames agents")
