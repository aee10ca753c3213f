"""A player: any mettagrid policy in one slot of a Coworld that speaks `coworld.player.v1`.

    python -m cogsguard.coworld.player --policy starter

The policy is a short name, a class path or a bundle, as `--policy` or in `COGSGUARD_POLICY`. The address comes from
`COWORLD_PLAYER_WS_URL`, or `COGAMES_ENGINE_WS_URL` for older runners. The policy's random numbers depend on `--seed`
and on the slot: a local rollout with the same seed and one policy per cog makes the same choices.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from cogsguard.coworld.errors import CoworldGameError, MissingSetting, SeatLost

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

    from mettagrid.policy.policy_spec import PolicySpec

__all__ = ["PolicySeat", "main", "play"]

PATIENCE_SECONDS = 30.0
"""how long to retry a lost connection"""
MAX_BYTES = 1 << 26


class PolicySeat:
    """A policy in one slot: receives the game's config once, then chooses an action per observation."""

    def __init__(self, policy: PolicySpec | str, *, seed: int = 0) -> None:
        from mettagrid.runner.policy_server.service import LocalPolicyServer

        self._policy = LocalPolicyServer(policy)
        self._seed = seed
        self._episode = ""

    def prepare(self, message: Mapping[str, Any]) -> None:
        """Create the policy for the game of a `player_config`; after a reconnect, keep the existing one."""
        from mettagrid.policy.policy_env_interface import PolicyEnvInterface
        from mettagrid.runner.episode.generators import episode_id
        from mettagrid.runner.policy_server.messages import prepare_request

        if self._episode:
            return
        self._slot = int(message["slot"])
        self._interface = PolicyEnvInterface.model_validate(message["policy_env"])
        self._episode = episode_id(self._seed, self._slot)
        self._policy.prepare_policy(prepare_request(self._interface, [self._slot], self._episode))

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the action for an `observation`."""
        from mettagrid.protobuf.sim.policy_v1 import policy_pb2
        from mettagrid.runner.policy_server.messages import decode_action

        tokens = message["observation"]
        seen = policy_pb2.AgentObservations(
            agent_id=self._slot,
            observations=bytes(number for token in tokens for number in token),
            visible_talk=[policy_pb2.VisibleTalk(**talk) for talk in message.get("talk", ())],
        )
        request = policy_pb2.BatchStepRequest(
            episode_id=self._episode, step_id=int(message["step"]), agent_observations=[seen]
        )
        chosen = self._policy.batch_step(request).agent_actions[0]
        action = decode_action(chosen.action_id[0], self._interface)
        assert action is not None  # the policy server has validated it
        answer = {"type": "action", "action_name": action.name, "for_step": message["step"]}
        more = {"vibe": action.vibe, "talk": chosen.talk_text}
        return answer | {key: value for key, value in more.items() if value}


def play(address: str, seat: PolicySeat) -> None:
    """Play until the game ends. Reconnect after a lost connection; raise `SeatLost` if that fails."""
    from websockets.exceptions import ConnectionClosed, InvalidHandshake
    from websockets.sync.client import connect

    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        why = "the game closed the connection"
        try:
            with connect(address, max_size=MAX_BYTES, ping_interval=None, compression=None, proxy=None) as connection:
                if _converse(connection, seat):
                    return
                deadline = time.monotonic() + PATIENCE_SECONDS
        except ConnectionClosed as error:
            if error.rcvd is not None and error.rcvd.code >= 4000:
                raise SeatLost(f"The seat is lost: {error.rcvd.reason}") from None
        except (OSError, InvalidHandshake) as error:
            # Do not print the address: it contains the token, and logs are public.
            why = f"it cannot be reached: {type(error).__name__}"
        if time.monotonic() >= deadline:
            raise SeatLost(f"Lost the game before its end: {why}")
        time.sleep(0.2)


def _converse(connection: ClientConnection, seat: PolicySeat) -> bool:
    """Exchange messages until the connection closes; return whether the game has ended."""
    from websockets.exceptions import ConnectionClosed

    answered = -1
    for text in connection:
        message = json.loads(text)
        kind = message.get("type")
        if kind == "player_config":
            seat.prepare(message)
        elif kind == "observation" and message["step"] != answered:
            answered = message["step"]
            with suppress(ConnectionClosed):  # the game may have ended; its `final` message is still to be read
                connection.send(json.dumps(seat.answer(message)))
        elif kind == "error":
            print(message.get("message", ""), file=sys.stderr, flush=True)
        elif kind == "final":
            return True
    return False


def main(arguments: Sequence[str] | None = None) -> int:
    """Play one episode; return 0 at its end, 1 after an error message on stderr."""
    parser = argparse.ArgumentParser(prog="python -m cogsguard.coworld.player", description=__doc__.partition("\n")[0])
    parser.add_argument("--policy", help="short name, class path or bundle (default: $COGSGUARD_POLICY)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the policy's random numbers (default: 0)")
    options = parser.parse_args(arguments)
    try:
        policy = options.policy or os.environ.get("COGSGUARD_POLICY")
        if not policy:
            raise MissingSetting("COGSGUARD_POLICY", "set it to a policy, or pass --policy")
        address = os.environ.get("COWORLD_PLAYER_WS_URL") or os.environ.get("COGAMES_ENGINE_WS_URL")
        if not address:
            raise MissingSetting("COWORLD_PLAYER_WS_URL", "the runner sets it to the game's address")
        play(address, PolicySeat(_spec(policy), seed=options.seed))
    except (CoworldGameError, FileNotFoundError, ImportError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _spec(policy: str) -> PolicySpec:
    """Return the spec of a bundle if the text is a path or a URI, otherwise of a named policy."""
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.util.uri_resolvers.schemes import policy_spec_from_uri

    if "://" in policy or os.path.exists(policy) or policy.startswith(("./", "../", "/", "~")):
        return policy_spec_from_uri(policy, device="cpu")
    return PolicySpec(class_path=policy)


if __name__ == "__main__":
    sys.exit(main())
