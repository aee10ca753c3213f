"""The API for pages only: `/observatory/api`. Pages also use the public API."""
