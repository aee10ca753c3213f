"""Run a policy in its own process, and communicate with it.

- `server`: the program; `python -m mettagrid.runner.policy_server.server --policy URI`
- `websocket_transport`: the published classes for both ends of the wire
- `manager`: starts the program
- `messages`: the encoding that both ends share
"""

__all__: list[str] = []
