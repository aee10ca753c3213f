"""Policy servers and episodes of this package and of the published mettagrid 0.26.20 understand each other.

    python tests/compat/policy_server_interchange.py PUBLISHED_PYTHON

PUBLISHED_PYTHON is an interpreter that has the published package. Compared are:

1. the bytes of messages made from the same fields, and the first message of an episode;
2. an episode in process: the same policy, seats and seeds give the same results;
3. the same episode when the policy is served: our server asked by the published client, the published server asked by
   ours, each in a process of its own.

The file also runs under the published interpreter (`--tell`), so both sides tell the same things through the same code.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
POLICY = """
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.types import Action

MOVES = ["move_north", "move_east", "move_south", "move_west"]


class Agent(AgentPolicy):
    def __init__(self, env, agent_id):
        super().__init__(env)
        self.agent_id, self.steps = agent_id, 0

    def step(self, obs):
        self.steps += 1
        number = sum(int(byte) for token in obs.tokens for byte in token.raw_token) + 7 * self.agent_id + self.steps
        self._infos = {"number": number, "heard": [talk.text for talk in obs.talk]}
        vibe = self.policy_env_info.vibe_action_names[number % 5] if number % 3 == 0 else None
        talk = f"step {self.steps}" if self.steps % 4 == 1 else None
        return Action(name=MOVES[number % 4], vibe=vibe, talk=talk)


class Walker(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info, agent_id)
"""
AGENTS, STEPS, SEED = 4, 40, 11


def make_env() -> Any:
    from mettagrid.config.mettagrid_config import MettaGridConfig, TalkConfig

    env = MettaGridConfig.EmptyRoom(AGENTS, width=9, height=9, with_walls=True)
    env.game.max_steps = STEPS
    env.game.map_builder.seed = 5
    env.game.talk = TalkConfig(enabled=True, max_length=30, cooldown_steps=2)
    return env


# What each side can tell about itself; all of it is JSON.


def tell_messages() -> dict[str, str]:
    from mettagrid.protobuf.sim.policy_v1 import policy_pb2 as pb

    observations = pb.AgentObservations(agent_id=3, observations=b"\xfe\x01\x02")
    observations.visible_talk.add(agent_id=1, row=6, col=0, remaining_steps=2, text="hé")
    interface = pb.PolicyEnvInterface(tags=["a", "b"], action_names=["noop"], move_energy_cost=-1, num_agents=300)
    interface.obs_features.add(id=1, name="x", normalization=255.0)
    interface.observation_shape.extend([500, 3])
    interface.talk.max_length = 140
    messages = {
        "request": pb.BatchStepRequest(episode_id="e", step_id=1 << 40, agent_observations=[observations]),
        "zeros are written": pb.BatchStepRequest(episode_id="", step_id=0),
        "response": pb.BatchStepResponse(
            agent_actions=[pb.AgentActions(agent_id=0, action_id=[0, 157], talk_text="", infos_json='{"a": 1}')]
        ),
        "nothing": pb.BatchStepResponse(),
        "interface": interface,
        "prepare": pb.PreparePolicyRequest(
            episode_id="e",
            agent_ids=[0, 2, 300],
            observations_format=pb.AgentObservations.TRIPLET_V1,
            env_interface=interface,
        ),
    }
    return {name: message.SerializeToString().hex() for name, message in messages.items()}


def tell_first_message() -> Any:
    """Return the first message of this package's client, as a bare server receives it."""
    import threading

    from websockets.sync.server import serve

    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.runner.policy_server.websocket_transport import WebSocketPolicyServerClient

    received: list[Any] = []

    def answer(connection: Any) -> None:
        received.append(json.loads(connection.recv()))
        connection.send("{}")
        for _ in connection:
            pass

    with serve(answer, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        with WebSocketPolicyServerClient(PolicyEnvInterface.from_mg_cfg(make_env()), url=url, agent_ids=[0, 2]):
            pass
        server.shutdown()
    return received[0]


def tell_episode(urls: list[str]) -> Any:
    """Return the results of an episode with policies in process, or with servers at addresses."""
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.runner.policy_server.websocket_transport import WebSocketPolicyServerClient
    from mettagrid.runner.rollout import run_episode_local, single_episode_rollout

    env, assignments = make_env(), [0, 1] * (AGENTS // 2)
    if not urls:
        walker = PolicySpec(class_path="walker_policy.Walker")
        result, _ = run_episode_local(policy_specs=[walker, walker], assignments=assignments, env=env, seed=SEED)
        return result.model_dump(mode="json")
    interface = PolicyEnvInterface.from_mg_cfg(env)
    clients = [
        WebSocketPolicyServerClient(interface, url=url, agent_ids=list(range(number, AGENTS, 2)))
        for number, url in enumerate(urls)
    ]
    result, _ = single_episode_rollout(
        clients,
        assignments,
        env,
        seed=SEED,
        max_action_time_ms=60_000,
        render_mode="none",
        autostart=False,
        capture_replay=False,
    )
    for client in clients:
        client.close()
    return result.model_dump(mode="json")


def tell_our_runner(urls: list[str]) -> Any:
    """Return the same episode in our runner; only this package has it."""
    from mettagrid.runner.episode import EpisodePlan, play_episode
    from mettagrid.runner.episode_subprocess import served_at

    policies = [served_at(url, f"policy {number}") for number, url in enumerate(urls)]
    plan = EpisodePlan(make_env(), policies, [0, 1] * (AGENTS // 2), seed=SEED, max_action_time_ms=60_000)
    return play_episode(plan).pure_result().model_dump(mode="json")


TOPICS = {
    "messages": lambda urls: tell_messages(),
    "first message": lambda urls: tell_first_message(),
    "episode": tell_episode,
    "our runner": tell_our_runner,
}


# Asking both sides.


def ask(python: str, folder: Path, topic: str, urls: list[str] | None = None) -> Any:
    command = [python, __file__, "--tell", topic, *(urls or [])]
    result = subprocess.run(command, env=environment(folder), capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{python} could not tell {topic!r}:\n{result.stderr[-2000:]}")
    return json.loads(result.stdout.splitlines()[-1])


@contextmanager
def served(python: str, folder: Path) -> Iterator[list[str]]:
    """The addresses of two servers for the policy."""
    processes, urls = [], []
    for number in range(2):
        ready = folder / f"ready-{number}"
        ready.unlink(missing_ok=True)
        words = ["--policy", "mock://walker_policy.Walker", "--ready-file", str(ready)]
        command = [python, "-m", "mettagrid.runner.policy_server.server", *words]
        processes.append(subprocess.Popen(command, env=environment(folder), stderr=subprocess.DEVNULL))
    try:
        for number, process in enumerate(processes):
            ready = folder / f"ready-{number}"
            while not (ready.exists() and ready.read_text()):
                if process.poll() is not None:
                    raise SystemExit(f"the policy server of {python} ended with status {process.returncode}")
                time.sleep(0.05)
            urls.append(f"ws://127.0.0.1:{ready.read_text().strip()}")
        yield urls
    finally:
        for process in processes:
            process.kill()
            process.wait()


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder), "METTAGRID_LOG_LEVEL": "ERROR", "PYTHONHASHSEED": "0"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("published", nargs="?", help="interpreter of the published package")
    parser.add_argument("--tell", nargs="+", metavar=("WHAT", "URL"))
    arguments = parser.parse_args()
    if arguments.tell:
        topic, *urls = arguments.tell
        print(json.dumps(TOPICS[topic](urls)))
        return 0
    published, ours = arguments.published, sys.executable
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "walker_policy.py").write_text(POLICY)
        answers = {topic: (ask(published, folder, topic), ask(ours, folder, topic)) for topic in list(TOPICS)[:3]}
        expected = answers["episode"][0]
        with served(ours, folder) as urls:
            answers["our servers, the published client"] = (expected, ask(published, folder, "episode", urls))
        with served(published, folder) as urls:
            answers["the published servers, our client"] = (expected, ask(ours, folder, "episode", urls))
        with served(published, folder) as urls:
            answers["the published servers, our runner"] = (expected, ask(ours, folder, "our runner", urls))
    different = [topic for topic, (theirs, mine) in answers.items() if theirs != mine]
    for topic in different:
        theirs, mine = answers[topic]
        print(f"{topic} differs:\n  published {json.dumps(theirs)[:1500]}\n  ours      {json.dumps(mine)[:1500]}")
    print(f"{len(answers) - len(different)}/{len(answers)} exchanges with policy servers equal")
    return bool(different)


if __name__ == "__main__":
    raise SystemExit(main())
