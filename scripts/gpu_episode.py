"""Write episode files for `gpu_batch_check.py`: recorded episodes, replayed by the engine of `.venv/`.

usage: gpu_episode.py [--out FOLDER] [NAME ...]     names of recorded episodes; default: all of them

A file contains the compiled program, the map, the seed and the actions, so that playing it needs no Python, and a
digest of the output of every step. `Episode` in `gpu_batch_check.py` reads it.
"""

import argparse
import importlib
import sys
import warnings
import zlib
from pathlib import Path
from types import ModuleType

import numpy as np

from mettagrid.compiler import compile
from mettagrid.mettagrid_c import MettaGrid
from mettagrid.simulator._setup import build_map
from workspace import ROOT, fail, shared_dir

MAGIC = 0x4550474D


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "gpu", help="folder for the files")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    shared = shared_dir() or fail("gpu_episode: no recorded episodes: put `shared` beside the repository")
    arguments.out.mkdir(parents=True, exist_ok=True)
    names = arguments.names or [
        path.name.removesuffix(".meta.json") for path in (shared / "oracle").glob("*/*.meta.json")
    ]
    for name in sorted(names):
        write_episode(shared / "oracle", name, arguments.out / f"{name}.episode")
    print(f"{len(names)} episodes in {arguments.out}")


def write_episode(oracle: Path, name: str, path: Path) -> None:
    """Play a recorded episode and write its file."""
    (meta_path,) = oracle.glob(f"*/{name}.meta.json") or fail(f"gpu_episode: no recorded episode {name}")
    te = trace_episode(oracle)
    meta = te.read_json(meta_path)
    config = te.load_config(te.read_json(te.case_path(meta_path.parent, name)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some recorded games have settings without effect, on purpose
        program = compile(config)
    grid = build_map(config.game, simulator=None, maps_cache=None).grid
    world = MettaGrid(program, grid, meta["seed"])
    world.begin(grid, meta["seed"])  # as in a batch, where the first observation is counted twice
    recorded = meta_path.with_name(f"{name}.actions.npz")
    script = dict(np.load(recorded)) if recorded.exists() else random_actions(world, meta)
    actions, vibe_actions = (script[key][: meta["steps"]].astype(np.int32) for key in ("actions", "vibe_actions"))
    digests, hashes = [output_digest(world)], [world.state_hash()]
    for row, vibe_row in zip(actions, vibe_actions, strict=True):
        world.actions()[:] = row
        world.vibe_actions()[:] = vibe_row
        world.step()
        digests.append(output_digest(world))
        hashes.append(world.state_hash())
    words, (cells, stats) = np.array(program.native.words, np.int32), program.resolve_map(grid)
    sizes = [len(words), *cells.shape, world.num_agents, program.num_tokens, len(actions), len(hashes)]
    head = np.array([MAGIC, *sizes, meta["seed"]], np.uint32)
    parts = [
        head,
        words,
        cells,
        stats,
        actions,
        vibe_actions,
        np.array(digests, np.uint32),
        np.array(hashes, np.uint64),
    ]
    path.write_bytes(b"".join(part.tobytes() for part in parts))


def trace_episode(oracle: Path) -> ModuleType:
    """Import the script that plays recorded episodes; it reads their configs."""
    sys.path.insert(0, str(oracle))
    try:
        return importlib.import_module("trace_episode")
    finally:
        sys.path.remove(str(oracle))


def random_actions(world: MettaGrid, meta: dict[str, int]) -> dict[str, np.ndarray]:
    """Draw the actions of an episode that was recorded without them, in the order of the recordings' README."""
    names, n = world.action_names, world.num_agents
    vibes = [i for i, name in enumerate(names) if name.startswith("change_vibe_")]
    primary = [i for i in range(len(names)) if i not in vibes]
    rng = np.random.default_rng(meta["action_seed"])
    rows = [(rng.choice(primary, size=n), rng.choice([0, *vibes], size=n)) for _ in range(meta["steps"])]
    return {"actions": np.array([row for row, _ in rows]), "vibe_actions": np.array([row for _, row in rows])}


def output_digest(world: MettaGrid) -> int:
    """Return a digest of what a step wrote into the caller's arrays, as `gpu_batch_check.py` computes it."""
    crc = 0
    for array in (world.observations(), world.rewards(), world.terminals(), world.truncations()):
        crc = zlib.crc32(array.tobytes(), crc)
    return crc


if __name__ == "__main__":
    main()
