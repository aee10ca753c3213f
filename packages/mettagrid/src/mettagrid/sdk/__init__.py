"""Kits for writing players; see `sdk.agent`."""
