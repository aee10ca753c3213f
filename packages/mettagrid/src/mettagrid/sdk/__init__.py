"""Tools for writing players; see `sdk.agent`."""
