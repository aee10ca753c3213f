"""Definitions that renderers share."""

from mettagrid.simulator.replay_log_writer import METTASCOPE_REPLAY_URL_PREFIX

__all__ = ["METTASCOPE_REPLAY_URL_PREFIX"]
