"""Check the GPU kernels of networks: compare them with plain PyTorch, and measure both.

usage: gpu_network.py            on a machine with a GPU, PyTorch and Triton
       gpu_network.py --quick    values and gradients only

Prints one line for each case, with the largest difference relative to the largest value, and exits with 1 if one is too
large.
"""

import sys
import time
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import torch
from torch import nn

from mettagrid.config.id_map import ObservationFeatureSpec
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.sparse import SparsePolicy

DEVICE = "cuda"
FEATURES = ["tag", "agent_id", "last_action", "lp:east", *(f"inv:r{number}" for number in range(30)), "territory:here"]
TAGS = [f"type:t{number}" for number in range(20)]
TOKENS = 500
TOLERANCES = {"sums": 1e-5, "float32": 1e-4, "bfloat16": 5e-2}
SEGMENTS, STEPS = 256, 64


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("gpu_network.py needs a GPU")
    worst_is_fine = all([*check_sums(), *check_lstm(), *check_network()])
    if "--quick" not in sys.argv:
        measure()
    sys.exit(0 if worst_is_fine else 1)


def policy(**arguments: int) -> SparsePolicy:
    """A policy for a game with as many names as the arena."""
    features = [
        ObservationFeatureSpec(id=number, name=name, normalization=256.0) for number, name in enumerate(FEATURES)
    ]
    interface = PolicyEnvInterface(
        obs_features=features,
        tags=TAGS,
        action_names=["noop", "move_north", "move_south", "move_west", "move_east"],
        num_agents=8,
        observation_shape=(TOKENS, 3),
        egocentric_shape=(13, 13),
    )
    return SparsePolicy(interface, DEVICE, **arguments)  # type: ignore[arg-type]


def observations(count: int, used: int, tokens: int = 128) -> torch.Tensor:
    """Random tokens, some of them garbage; about `used` in each observation, exactly if that is 0 or all."""
    generator = np.random.default_rng(count)
    rows = generator.integers(0, 255, (count, tokens, 3), dtype=np.uint8)
    rows[..., 0] = np.where(
        generator.random((count, tokens)) < 0.2, 0xFE, generator.integers(0, 13, rows.shape[:2]) * 17
    )
    rows[..., 1] = np.where(generator.random((count, tokens)) < 0.9, rows[..., 1] % len(FEATURES), rows[..., 1])
    exact = used in (0, tokens)
    counts = np.full(count, used) if exact else np.clip(generator.normal(used, used / 3, count), 0, tokens).astype(int)
    rows[np.arange(tokens) >= counts[:, None]] = 255
    return torch.from_numpy(rows).to(DEVICE)


def difference(actual: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> float:
    """Return the largest difference relative to the largest expected value, over all tensors."""
    largest = 0.0
    for got, right in zip(actual, expected, strict=True):
        scale = float(right.abs().max()) if right.numel() else 0.0
        largest = max(largest, float((got - right).abs().max()) / (scale + 1e-6) if right.numel() else 0.0)
    return largest


def report(name: str, error: float, limit: float) -> bool:
    fine = error < limit
    print(f"{'ok  ' if fine else 'BAD '} {name}: {error:.1e}")
    return fine


def check_sums() -> list[bool]:
    """Compare the sums over tokens, and their gradients, with the gather form."""
    results = []
    for size, (count, used, tokens) in product(
        (128, 48), [(1, 46, 128), (7, 46, 128), (16384, 46, 128), (9, 0, 128), (9, 500, 500)]
    ):
        network = policy(embedding_size=size).network()
        buffer = observations(count, used, tokens)
        rows = torch.randint(count, (count,), device=DEVICE)
        for index in (None, rows):
            picked = buffer if index is None else buffer[index]
            weights = [network.places, network.kinds, network.magnitudes]
            actual = network.pooled(buffer, index)
            expected = gathered(network, picked)
            direction = torch.randn_like(actual)
            pairs = [torch.autograd.grad(sums, weights, direction) for sums in (actual, expected)]
            name = f"sums of {size}, {count} observations, {used} tokens{'' if index is None else ', by rows'}"
            results.append(report(name, difference([actual], [expected]), TOLERANCES["sums"]))
            results.append(report(f"{name}, gradients", difference(*pairs), 10 * TOLERANCES["sums"]))
    return results


def gathered(network: nn.Module, rows: torch.Tensor) -> torch.Tensor:
    """Return the sums in plain PyTorch, a part at a time because it stores a row for each token."""
    parts = [network._gathered(part, *network._embeddings()) for part in rows.split(2048)]  # type: ignore[operator]
    return torch.cat(parts)


def check_lstm() -> list[bool]:
    """Compare the LSTM over segments, with and without resets, with its definition step by step."""
    from mettagrid.policy._recurrence import _step_by_step, run_lstm

    results = []
    for size, segments, steps, chance in product((16, 128), (1, 7, SEGMENTS), (1, 5, STEPS), (None, 0.1)):
        lstm = nn.LSTM(size, size, batch_first=True, device=DEVICE)
        inputs = torch.randn(segments, steps, size, device=DEVICE, requires_grad=True)
        memory = tuple(torch.randn(segments, size, device=DEVICE, requires_grad=True) for _ in range(2))
        resets = None if chance is None else torch.rand(segments, steps, device=DEVICE) < chance
        leaves = [inputs, *memory, *lstm.parameters()]
        for precision in ("float32", "bfloat16"):
            values, gradients = [], []
            for run in (run_lstm, _step_by_step):
                with torch.autocast(DEVICE, torch.bfloat16, enabled=precision == "bfloat16"):
                    outputs, after = run(lstm, inputs, memory, resets)  # type: ignore[arg-type]
                torch.manual_seed(1)
                loss = (outputs.float() * torch.randn(outputs.shape, device=DEVICE)).sum() + after[1].float().sum()
                values.append([outputs.float(), after[1].float()])
                gradients.append(torch.autograd.grad(loss, leaves))
            name = f"lstm {size}, {segments} x {steps}, resets {chance}, {precision}"
            limit = TOLERANCES[precision]
            results.append(report(name, difference(*values), limit))
            results.append(report(f"{name}, gradients", difference(*gradients), 2 * limit))
    return results


def check_network() -> list[bool]:
    """Compare the whole network with itself on the CPU; run it compiled, and in a CUDA graph."""
    network = policy().network()
    buffer = observations(8 * 16, 46)
    segments, resets = buffer.reshape(8, 16, -1, 3), torch.rand(8, 16, device=DEVICE) < 0.1
    on_cpu = policy().network().cpu()
    on_cpu.load_state_dict(network.state_dict())
    with torch.no_grad():
        actual = network(segments, {"resets": resets})
        expected = [output.to(DEVICE) for output in on_cpu(segments.cpu(), {"resets": resets.cpu()})]
        results = [report("network against the CPU", difference(actual, expected), TOLERANCES["float32"])]
        compiled = torch.compile(network)
        results.append(
            report("compiled", difference(compiled(segments, {"resets": resets}), actual), TOLERANCES["float32"])
        )
        state = {name: torch.zeros(128, 128, device=DEVICE) for name in ("lstm_h", "lstm_c")}
        expected = list(network.forward_eval(buffer, dict(state)))
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            captured = network.forward_eval(buffer, dict(state))
        graph.replay()
        results.append(report("CUDA graph", difference(captured, expected), TOLERANCES["float32"]))
    return results


def seconds(run: Callable[[], object], times: int = 20) -> float:
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(times):
        run()
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / times


def measure() -> None:
    """Print million observations per second of the parts, at the size of a minibatch."""
    network, count = policy().network(), SEGMENTS * STEPS
    buffer = observations(count, 46)
    resets = torch.rand(SEGMENTS, STEPS, device=DEVICE) < 1 / 1000
    segments, size = buffer.reshape(SEGMENTS, STEPS, -1, 3), f"{SEGMENTS} x {STEPS}"

    def show(name: str, run: Callable[[], object]) -> None:
        taken = seconds(run)
        print(f"{name}: {1000 * taken:.3f} ms, {count / taken / 1e6:.2f} million observations/s")

    def learn(sums: torch.Tensor) -> None:
        sums.float().square().mean().backward()

    with torch.no_grad():
        show("sums, kernel, forward", lambda: network.pooled(buffer))
        show("sums, gather, forward", lambda: gathered(network, buffer))
    show("sums, kernel, forward and backward", lambda: learn(network.pooled(buffer)))
    show("sums, gather, forward and backward", lambda: learn(gathered(network, buffer)))
    for precision in ("float32", "bfloat16"):
        with torch.autocast(DEVICE, torch.bfloat16, enabled=precision == "bfloat16"):
            with torch.no_grad():
                show(f"network, one step, {precision}", lambda: network.forward_eval(buffer, {}))
            show(f"network, {size}, {precision}, forward and backward", lambda: learn(network(segments, {})[0]))
            show(
                f"network, {size}, {precision}, resets, forward and backward",
                lambda: learn(network(segments, {"resets": resets})[0]),
            )


if __name__ == "__main__":
    main()
