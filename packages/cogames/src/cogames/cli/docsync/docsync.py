"""Compatibility names for `cogames docsync`; the commands are in `cogames.commands.docsync`."""

from cogames.commands.docsync import COMMANDS, check
from cogames.commands.docsync import make_all as all
from cogames.commands.docsync import notebook_to_page as nb_to_md
from cogames.commands.docsync import notebook_to_script as nb_to_py
from cogames.commands.docsync import script_to_notebook as py_to_nb
from cogames.commands.shared.program import make_group_app

__all__ = ["all", "app", "check", "nb_to_md", "nb_to_py", "py_to_nb"]

app = make_group_app("docsync", "Keep tutorial scripts, notebooks and pages in sync.", COMMANDS)
