"""Compatibility names for `cogames assay`; the commands are in `cogames.commands.assay`."""

from cogames.commands.assay import COMMANDS
from cogames.commands.assay import list_runs as assay_list
from cogames.commands.assay import results as assay_results
from cogames.commands.assay import status as assay_status
from cogames.commands.assay import submit as assay_submit
from cogames.commands.shared.program import make_group_app

__all__ = ["assay_app", "assay_list", "assay_results", "assay_status", "assay_submit"]

assay_app = make_group_app("assay", "Test a policy on a set of missions on the server.", COMMANDS)
