"""The policy server program, and the published names of its parts.

    python -m mettagrid.runner.policy_server.server --policy URI [--host 127.0.0.1] [--port 0] [--ready-file PATH]

It serves one policy to one client and exits when the client disconnects or an error occurs. Instead of on a port it can
listen on a Unix socket (`--unix PATH`) or use an inherited socket, connected or listening (`--fd N`). Instead of a URI
the policy can be plain data (`--material FILE`, see `runner.boxed.material`).
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from mettagrid.runner.policy_server.messages import encode_action_id
from mettagrid.runner.policy_server.output import arrange_output
from mettagrid.runner.policy_server.service import (
    OBSERVATION_PARSERS,
    AgentNotFoundError,
    Episode,
    EpisodeNotFoundError,
    LocalPolicyServer,
    ObservationParser,
    UnknownActionError,
    UnsupportedObservationFormatError,
    parse_triplet_v1,
    parse_visible_talk,
)

if TYPE_CHECKING:
    from mettagrid.policy.policy_spec import PolicySpec

__all__ = [
    "OBSERVATION_PARSERS",
    "AgentNotFoundError",
    "Episode",
    "EpisodeNotFoundError",
    "LocalPolicyServer",
    "ObservationParser",
    "UnknownActionError",
    "UnsupportedObservationFormatError",
    "cli",
    "encode_action_id",
    "main",
    "parse_triplet_v1",
    "parse_visible_talk",
]

logger = logging.getLogger("mettagrid.runner.policy_server.server")


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a policy; return 0 if the client closed the connection, 1 after an error."""
    from mettagrid.runner.policy_server.connection import listening_socket, serve_socket

    options = _parser().parse_args(arguments)
    if options.fd is not None:
        arrange_output()
    policy = options.policy if options.material is None else spec_from_material(options.material)
    service = LocalPolicyServer(policy, action_timeout_ms=options.action_timeout_ms)
    if options.fd is not None:
        with socket.socket(fileno=options.fd) as given:
            return serve_socket(service, given)
    with listening_socket(options.host, options.port, unix=options.unix) as listener:
        port = 0 if options.unix else listener.getsockname()[1]
        if options.ready_file:
            write_ready_file(options.ready_file, port)
        logger.info("Serving at %s", options.unix or f"ws://{options.host}:{port}")
        return serve_socket(service, listener)


def cli() -> NoReturn:
    """Run the program with the command-line arguments and exit with its status."""
    raise SystemExit(main())


def spec_from_material(path: str) -> PolicySpec:
    """Return the policy that a `mettagrid.runner.boxed.PolicyMaterial` in a JSON file describes; extends `sys.path`."""
    from mettagrid.policy.import_roots import activate_import_roots
    from mettagrid.policy.policy_spec import PolicySpec

    material = json.loads(Path(path).read_text())
    sys.path += material["libraries"]  # last, so that they cannot replace installed packages
    spec = PolicySpec(
        class_path=material["class_path"], data_path=material["data_path"], init_kwargs=material["init_kwargs"]
    )
    spec.import_roots = tuple(Path(folder) for folder in material["import_roots"])
    if spec.import_roots:
        activate_import_roots(spec.class_path, spec.import_roots)
    return spec


def write_ready_file(path: str, port: int) -> None:
    """Write the port to the ready file atomically."""
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w") as file:
        file.write(str(port))
    os.replace(temporary, path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mettagrid.runner.policy_server.server", description="Serve a policy over a WebSocket"
    )
    policy = parser.add_mutually_exclusive_group(required=True)
    policy.add_argument("--policy", help="the policy, as a URI")
    policy.add_argument("--material", metavar="FILE", help="the policy, as JSON that names its class and its folders")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: any free one)")
    parser.add_argument("--ready-file", help="file to write the port number to when listening")
    parser.add_argument("--unix", metavar="PATH", help="listen on a Unix socket instead")
    parser.add_argument(
        "--fd", type=int, metavar="N", help="serve an inherited socket, connected or listening, instead"
    )
    parser.add_argument("--action-timeout-ms", type=int, help="time limit of each step, passed to the policy")
    return parser


if __name__ == "__main__":
    cli()
