"""Reporters as WebAssembly components: a host process in a box, its limits, and the calls a component may make."""
