"""Compare `mettagrid.gpu.Batch` with the CPU engine, and measure its speed.

usage: gpu_batch_check.py check [--worlds 8] [--device cuda] EPISODE ...    equal after every step?
       gpu_batch_check.py speed [--worlds N,N,...] [--steps 200] EPISODE ...    agent-steps per second

Episodes are files of `gpu_episode.py`, also compressed with gzip. Needs the packages of `gpu_site.py`
(`PYTHONPATH=build/gpu/site`) or of `.venv/`, and PyTorch. The last line is a JSON summary.
"""

import argparse
import gzip
import json
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from mettagrid._native import Map

from mettagrid import _native
from mettagrid.batch import Batch as CpuBatch
from mettagrid.compiler import Program
from mettagrid.gpu import Batch, GpuUnavailable
from mettagrid.mettagrid_c import MettaGrid

MAGIC = 0x4550474D
OUTPUTS = ("observations", "rewards", "terminals", "truncations")
SPREADS = (1, 2, 4, 8, 16)
SWEEP_WORLDS, SWEEP_STEPS = 16384, 20


class Episode:
    """A program without names, a map, a seed, actions, digests of the outputs and hashes of the state."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        words = np.frombuffer(data[: len(data) // 4 * 4], np.uint32)
        if len(words) < 9 or words[0] != MAGIC:
            sys.exit(f"gpu_batch_check: {path} is not an episode file of gpu_episode.py")
        self.name = path.name.partition(".episode")[0]
        size, height, width, self.agents, tokens, self.steps, hashes, self.seed = map(int, words[1:9])
        at = 9

        def take(*shape: int) -> np.ndarray:
            nonlocal at
            count = int(np.prod(shape))
            at += count
            return words[at - count : at].copy().view(np.int32).reshape(shape)

        self.program = nameless_program(take(size), self.agents, tokens)
        self.map = Map(self.program.native, take(height, width), take(height, width))
        self.actions, self.vibe_actions = take(self.steps, self.agents), take(self.steps, self.agents)
        self.digests = take(self.steps + 1).view(np.uint32)
        self.hashes = take(2 * hashes).view(np.uint64)

    def row(self, step: int, worlds: int) -> dict[str, np.ndarray]:
        return {name: np.tile(getattr(self, name)[step], worlds) for name in ("actions", "vibe_actions")}


def nameless_program(words: np.ndarray, agents: int, tokens: int) -> Program:
    native = _native.Program(words)
    fields: dict[str, Any] = dict.fromkeys(Program.__dataclass_fields__)
    numbers = [str(number) for number in range(4096)]
    for name in ("action_names", "resource_names", "tag_names", "feature_names", "game_stat_names", "agent_stat_names"):
        fields[name] = numbers
    return Program(**(fields | {"native": native, "num_agents": agents, "num_tokens": tokens, "routine_names": {}}))


# Equal results


def check(episode: Episode, worlds: int, device: str) -> dict[str, Any]:
    seeds = [episode.seed + number for number in range(worlds)]
    cpu = CpuBatch([MettaGrid(episode.program, episode.map, seed) for seed in seeds], auto_reset=False)
    with cpu, Batch(episode.program, episode.map, seeds, device=device, auto_reset=False) as gpu:
        found = difference(episode, cpu, gpu, 0)
        step = 0
        while found is None and step < episode.steps:
            for name, row in episode.row(step, worlds).items():
                getattr(cpu, name)[:] = row
                getattr(gpu, name).copy_(torch.from_numpy(row))
            cpu.step()
            gpu.step()
            gpu.check()
            step += 1
            found = difference(episode, cpu, gpu, step)
    return {
        "episode": episode.name,
        "equal_steps": max(0, step - (found is not None)),
        "steps": episode.steps,
        "found": found,
    }


def difference(episode: Episode, cpu: CpuBatch, gpu: Batch, step: int) -> str | None:
    crc = 0
    for name in OUTPUTS:
        here, there = getattr(cpu, name), getattr(gpu, name).cpu().numpy()
        if here.tobytes() != there.tobytes():
            row = int(np.flatnonzero((here != there).reshape(len(here), -1).any(1))[0])
            return f"step {step}: {name} of agent {row} differ"
        crc = zlib.crc32(np.ascontiguousarray(there[: episode.agents]).tobytes(), crc)
    if crc != episode.digests[step]:
        return f"step {step}: world 0 has other outputs than the file"
    hashes = gpu.state_hashes()
    for number, world in enumerate(cpu.worlds):
        if world.state_hash() != int(hashes[number]):
            differences = world.diff(gpu.world(number), max_changes=3)
            return f"step {step}: the state of world {number} differs: {[str(change) for change in differences]}"
    if int(hashes[0]) != int(episode.hashes[step]):
        return f"step {step}: world 0 has another hash than in the file"
    # The hash covers all stats; compare them by themselves too, world by world.
    number = step % len(cpu.worlds)
    if cpu.worlds[number].get_episode_stats() != gpu.world(number).get_episode_stats():
        return f"step {step}: the stats of world {number} differ"
    return None


def check_all(paths: list[Path], worlds: int, device: str) -> dict[str, Any]:
    results = []
    for path in paths:
        results.append(check(Episode(path), worlds, device))
        result = results[-1]
        print(f"{result['episode']}: {result['equal_steps']} of {result['steps']} steps equal", flush=True)
        if result["found"]:
            print(f"  {result['found']}", flush=True)
    equal = sum(result["found"] is None for result in results)
    print(f"{equal} of {len(results)} episodes equal, {worlds} worlds each")
    return {"episodes": len(results), "equal": equal, "worlds": worlds, "different": [r for r in results if r["found"]]}


# Speed


def speed(episode: Episode, sizes: list[int], steps: int) -> dict[str, Any]:
    sweep = {}
    for spread in SPREADS:
        rate = measured(episode, min(SWEEP_WORLDS, max(sizes)), SWEEP_STEPS, spread)
        if rate is not None:
            sweep[spread] = rate
    if not sweep:
        return {"game": episode.name, "error": "no memory"}
    best = max(sweep, key=lambda key: sweep[key]["agent_steps_per_second"])
    rows = {spread: round(rate["agent_steps_per_second"] / 1e6, 2) for spread, rate in sweep.items()}
    print(f"{episode.name}: M agent-steps/s at {SWEEP_WORLDS} worlds by spread: {rows}", flush=True)
    scaling = []
    for worlds in sizes:
        rate = measured(episode, worlds, steps, best)
        scaling.append({"worlds": worlds} | (rate or {"error": "no memory"}))
        print(f"{episode.name}: {scaling[-1]}", flush=True)
    return {"game": episode.name, "agents": episode.agents, "best": best, "sweep": rows, "scaling": scaling}


def measured(episode: Episode, worlds: int, steps: int, spread: int) -> dict[str, Any] | None:
    try:
        batch = Batch(episode.program, episode.map, range(worlds), spread=spread)
    except GpuUnavailable as error:
        print(f"{episode.name}, {worlds} worlds: {error}", flush=True)
        return None
    with batch:
        batch.run(steps, seed=7)  # warms up, records the graph, and leaves the beginning of the episode
        seconds = timed(lambda: batch.run(steps, seed=7)) / steps
        agents = worlds * episode.agents
        used = int((batch.observations[:, :, 0] != 255).sum()) / agents
        parts = {}
        for name, launch in parts_of(batch).items():
            parts[name] = round(1e3 * timed(lambda launch=launch: [launch() for _ in range(10)]) / 10, 4)
        return {
            "agent_steps_per_second": agents / seconds,
            "milliseconds_per_step": round(1e3 * seconds, 4),
            "kernel_milliseconds": parts,
            "tokens_per_observation": round(used, 1),
            "gigabytes": round(batch.memory_bytes / 1e9, 2),
        }


def parts_of(batch: Batch) -> dict[str, Any]:
    """Each kernel by itself. Rules without observing, and the other way round, are not a step, but as much work."""
    return {"begin": batch._launch_begin, "rules": batch._launch_rules, "observe": batch._launch_observe}


def timed(work: Any) -> float:
    """Seconds of the GPU."""
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    work()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3


def copy_bandwidth() -> float:
    """Bytes per second that a plain copy reads and writes."""
    source = torch.zeros(1 << 31, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    target.copy_(source)
    return 20 * 2 * source.numel() / timed(lambda: [target.copy_(source) for _ in range(20)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["check", "speed"])
    parser.add_argument("--worlds", help="check: worlds per episode (8); speed: sizes (1024,4096,16384,65536)")
    parser.add_argument("--steps", type=int, default=200, help="steps to measure, after as many that are not")
    parser.add_argument("--device", default="cuda", help="cuda, or `emulated` to check the kernels on the CPU")
    parser.add_argument("episodes", nargs="+", type=Path)
    arguments = parser.parse_args()
    started = time.perf_counter()
    summary: dict[str, Any] = {}
    try:
        if arguments.command == "check":
            summary = check_all(arguments.episodes, int(arguments.worlds or 8), arguments.device)
        else:
            sizes = [int(size) for size in (arguments.worlds or "1024,4096,16384,65536").split(",")]
            first = Episode(arguments.episodes[0])
            start = time.perf_counter()
            with Batch(first.program, first.map, [0]):
                summary["first_batch_seconds"] = round(time.perf_counter() - start, 2)
            summary["gpu"] = torch.cuda.get_device_name()
            summary["copy_gigabytes_per_second"] = round(copy_bandwidth() / 1e9)
            summary["games"] = [speed(Episode(path), sizes, arguments.steps) for path in arguments.episodes]
    except GpuUnavailable as error:
        sys.exit(f"gpu_batch_check: {error}")
    summary["seconds"] = round(time.perf_counter() - started, 1)
    print(json.dumps(summary))
    sys.exit(bool(summary.get("different")))


if __name__ == "__main__":
    main()
