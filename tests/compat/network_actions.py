"""Networks with the same weights play missions in the published package and in ours; every action must be equal.

usage: network_actions.py PUBLISHED_PYTHON ORACLE_DIR [NAME ...]       NAME: recorded missions, EVALUATIONS by default
       network_actions.py --play ORACLE_DIR CONFIG SEED STEPS WEIGHTS OUT.npz [--save]

The published package makes the weights (`--save`), saves them and plays; ours loads the files with the classes of the
same paths. Each mission is played from its recorded configuration and from ours for the same call on the recorded map.
Both sides draw actions with torch's generator from one seed. Logits may differ by TOLERANCE.
"""

import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

NETWORKS = [
    "mettagrid.policy.stateless.StatelessPolicy",
    "mettagrid.policy.lstm.LSTMPolicy",
    "mettagrid.policy.puffer_default.PufferDefaultPolicy",
    "mettagrid.policy.token_encoder.TokenPolicy",
    "cogames.policy.trainable_policy_template.MyTrainablePolicy",
]
EVALUATIONS = [
    "diagnostic_charge_up_4_501",
    "diagnostic_chest_navigation1_4_505",
    "diagnostic_memory_4_508",
    "distant_resources_easy_8_315",
    "easy_small_hearts_8_321",
    "energy_starved_8_323",
    "exploration_sparse_search_easy_1_324",
    "memory_mystery_path_hard_1_330",
    "planning_unlock_chain_medium_1_334",
    "quadrant_buildings_easy_8_335",
]
STEPS = 60
TOLERANCE = 1e-5


def main() -> None:
    published, oracle = sys.argv[1], Path(sys.argv[2])
    names = sys.argv[3:] or EVALUATIONS
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            recorded = oracle / "game" / f"{name}.json.gz"
            meta = json.loads((oracle / "game" / f"{name}.meta.json").read_text())
            weights = Path(folder, name)
            weights.mkdir()
            expected = play(published, oracle, recorded, meta["seed"], weights, "--save")
            for label in ("recorded config", "our config"):
                try:
                    config = recorded if label == "recorded config" else our_config(oracle, recorded, meta, weights)
                    differing = difference(expected, play(sys.executable, oracle, config, meta["seed"], weights))
                except Exception as error:  # whatever our game or engine refuses counts as a difference
                    differing = f"{type(error).__name__}: {error}"
                failed += differing is not None
                if differing:
                    print(f"{name}, {label}: {differing}")
    total = 2 * len(names)
    print(f"{total - failed}/{total} missions equal with {len(NETWORKS)} networks over {STEPS} steps")
    sys.exit(bool(failed))


def our_config(oracle: Path, recorded: Path, meta: dict[str, Any], folder: Path) -> Path:
    """Return a file with the configuration that our game gives for the recorded call, with the recorded map."""
    from cogames import missions

    env = missions.load(meta["mission"], variants=meta["variants"], cogs=meta["cogs"])
    config = env.to_published()
    config["game"]["map_builder"] = episode_module(oracle).read_json(recorded)["game"]["map_builder"]
    path = folder / "ours.json"
    path.write_text(json.dumps(config))
    return path


def play(python: str, oracle: Path, config: Path, seed: int, weights: Path, *flags: str) -> dict[str, np.ndarray]:
    """Play with all networks in an interpreter; the arrays that `play_all` returned there."""
    out = weights / "played.npz"
    words = [python, "-W", "ignore", __file__, "--play", oracle, config, seed, STEPS, weights, out, *flags]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{config.name} cannot be played by {python}:\n{done.stderr[-2000:]}")
    with np.load(out) as arrays:
        return dict(arrays)


def difference(expected: dict[str, np.ndarray], actual: dict[str, np.ndarray]) -> str | None:
    """Return the first step at which a network saw, computed or did something else; None when all are equal."""
    for network in NETWORKS:
        for step in range(STEPS):
            seen_there, seen_here = expected[f"{network}:tokens"][step], actual[f"{network}:tokens"][step]
            for kind in ("logits", "best", "actions"):
                theirs, ours = expected[f"{network}:{kind}"][step], actual[f"{network}:{kind}"][step]
                close = (
                    np.allclose(theirs, ours, rtol=0, atol=TOLERANCE) if kind == "logits" else (theirs == ours).all()
                )
                if not close:
                    agent = int(np.argmax(np.abs(theirs - ours).reshape(len(theirs), -1).max(axis=1)))
                    values = f"{kind} {theirs[agent]} there, {ours[agent]} here"
                    cause = compare_tokens(seen_there[agent], seen_here[agent])
                    return f"{network}, step {step}, agent {agent}: {values}; the agent saw {cause}"
    return None


def compare_tokens(theirs: np.ndarray, ours: np.ndarray) -> str:
    """Say how two observations [tokens, 3] differ. The order inside a cell matters to networks that read a flat row."""
    if np.array_equal(theirs, ours):
        return "the same tokens"
    if sorted(theirs.tolist()) == sorted(ours.tolist()):
        first = int((theirs != ours).any(axis=1).argmax())
        return f"the same tokens in another order, from {theirs[first].tolist()} there and {ours[first].tolist()} here"
    return "other tokens"


def play_all(config: Any, seed: int, steps: int, weights: Path, save: bool) -> dict[str, np.ndarray]:
    """Per network `logits` [steps, agents, actions], `best` (their argmax) and `actions` (drawn), both [steps, agents],
    and the `tokens` seen [steps, agents, tokens, 3]."""
    import torch

    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    arrays = {}
    for number, network in enumerate(NETWORKS):
        torch.manual_seed(number)
        policy = make_policy(network, config)
        path = str(weights / f"{network}.pt")
        if save:
            policy.save_policy_data(path)
        else:
            policy.load_policy_data(path)
        torch.manual_seed(seed)
        logits, actions, tokens = play_policy(policy, config, seed, steps)
        outputs = {"logits": logits, "best": logits.argmax(axis=2), "actions": actions, "tokens": tokens}
        arrays |= {f"{network}:{kind}": array for kind, array in outputs.items()}
    return arrays


def make_policy(network: str, config: Any) -> Any:
    from mettagrid.policy.policy_env_interface import PolicyEnvInterface

    module, _, name = network.rpartition(".")
    policy_class = getattr(importlib.import_module(module), name)
    policy_env_info = PolicyEnvInterface.from_mg_cfg(config)
    if name == "TokenPolicy":
        return policy_class(config.game.id_map().features(), config.game.actions, "cpu", policy_env_info)
    return policy_class(policy_env_info)


def play_policy(policy: Any, config: Any, seed: int, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logits [steps, agents, actions], the numbers of the actions taken [steps, agents], the tokens seen."""
    from mettagrid.simulator.simulator import Simulation

    network = policy.network()
    network.eval()
    logits: list[np.ndarray] = []
    for method in ("forward", "forward_eval"):
        record(network, method, logits)
    sim = Simulation(config, seed=seed)
    agents = [policy.agent_policy(agent) for agent in range(sim.num_agents)]
    for agent in agents:
        agent.reset()
    raw_tokens = type(policy).__name__ == "TokenPolicy"  # the published one takes these only
    names = [action.name for action in config.game.actions.actions()]
    played = []
    seen = np.full((steps, len(agents), config.game.obs.num_tokens, 3), 255, np.uint8)
    for step in range(steps):
        observations = sim.observations()
        row = []
        for index, agent in enumerate(agents):
            tokens = np.array([token.raw_token for token in observations[index].tokens], np.uint8)
            seen[step, index, : len(tokens)] = tokens
            action = names[int(agent.step(tokens))] if raw_tokens else agent.step(observations[index]).name
            row.append(names.index(action))
            sim.agent(index).set_action(action)
        played.append(row)
        sim.step()
    return np.array(logits).reshape(steps, len(agents), -1), np.array(played), seen


def record(network: Any, method: str, logits: list[np.ndarray]) -> None:
    """Append the logits of every outermost call of a method to a list."""
    call = getattr(network, method)

    def recorded(*args: Any, **kwargs: Any) -> Any:
        before = len(logits)
        result = call(*args, **kwargs)
        if len(logits) == before:  # `forward` may call `forward_eval`
            logits.append(result[0].detach().numpy()[0])
        return result

    setattr(network, method, recorded)


def episode_module(oracle: Path) -> Any:
    sys.path.insert(0, str(oracle))
    return importlib.import_module("trace_episode")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        oracle_dir, config_path, engine_seed, step_count, weights_dir, out_path = sys.argv[2:8]
        episodes = episode_module(Path(oracle_dir))
        mission = episodes.load_config(episodes.read_json(config_path))
        played = play_all(mission, int(engine_seed), int(step_count), Path(weights_dir), "--save" in sys.argv)
        np.savez(out_path, **played)
    else:
        main()
