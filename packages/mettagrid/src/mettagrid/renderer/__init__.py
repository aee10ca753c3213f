"""Showing an episode while it runs. `renderer.create_renderer(mode)` makes one."""
