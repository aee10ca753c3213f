"""A policy in a process of its own, and how to talk to it.

- `server`: the program; `python -m mettagrid.runner.policy_server.server --policy URI`
- `websocket_transport`: the published classes for both ends of the wire
- `manager`: starting the program
- `messages`: what both ends write
"""

__all__: list[str] = []
