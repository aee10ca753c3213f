"""Show an episode while it runs. `renderer.create_renderer(mode)` returns a renderer."""
