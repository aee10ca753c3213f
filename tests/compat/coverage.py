"""Measure how many of the generated rules matter: remove one, replay, and check whether the trace changes.

usage: python tests/compat/coverage.py --published PYTHON [--games 5] [--rules 12] [--seed 0] [--family F]

Prints, for every family and for every kind of rule, the share of sampled rules whose absence is visible in the trace
of the published engine. A kind that never matters is a kind that the comparison does not test.
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from generator import FAMILIES, Case, random_case

from engines import Engine, comparer, write_case

KIND_KEYS = ("mutation_type", "filter_type", "query_type")
PARTS = ("aoes", "events", "rewards", "obs", "on_tag_remove", "territory_controls", "presence_deltas")
PARTS += ("on_enter", "on_exit", "presence", "initial_stats", "modifiers")


def rules(node: object, path: tuple = ()) -> Iterator[tuple[tuple, str]]:
    """Yield every rule that can be deleted, with its kind."""
    if isinstance(node, list):
        for index, child in enumerate(node):
            if isinstance(child, dict):
                kind = next((f"{key[:-5]} {child[key]}" for key in KIND_KEYS if key in child), None)
                if kind:
                    yield (*path, index), kind
            yield from rules(child, (*path, index))
    elif isinstance(node, dict):
        for key, child in node.items():
            if path and path[-1] in PARTS and path[-2:] != ("game", "obs"):
                yield (*path, key), f"part {path[-1]}"
            if key in ("fallback", "max_targets", "priority", "order_by", "max_items", "observation_radius_value"):
                yield (*path, key), f"field {key}"
            if key in ("blocks_vision", "remove_source_when_empty", "effect_self", "token_value_base"):
                yield (*path, key), f"field {key}"
            yield from rules(child, (*path, key))


def without(config: dict, path: tuple) -> dict:
    config = copy.deepcopy(config)
    node = config
    for key in path[:-1]:
        node = node[key]
    del node[path[-1]]
    return config


class Probe:
    def __init__(self, python: str, folder: Path) -> None:
        self.engine, self.folder, self.compare, self.count = Engine(python), folder, comparer(), 0

    def trace(self, case: Case) -> dict | None:
        self.count += 1
        name = f"play{self.count}"
        write_case(case, self.folder, name)
        if self.engine.trace(self.folder, name, self.folder):
            return None
        return self.compare.load(self.folder / f"{name}.npz")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--published", required=True, metavar="PYTHON")
    parser.add_argument("--games", type=int, default=5, help="games of each family (5)")
    parser.add_argument("--rules", type=int, default=12, help="rules tried in each game (12)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", choices=FAMILIES)
    args = parser.parse_args()
    families, kinds = defaultdict(lambda: [0, 0]), defaultdict(lambda: [0, 0])
    with tempfile.TemporaryDirectory() as scratch:
        probe = Probe(args.published, Path(scratch))
        for family in [args.family] if args.family else FAMILIES:
            for seed in range(args.seed, args.seed + args.games):
                case = random_case(seed, family)
                full_trace = probe.trace(case)
                case_rules = list(rules(case.config))
                for path, kind in (
                    random.Random(seed).sample(case_rules, min(len(case_rules), args.rules)) if full_trace else []
                ):
                    part = probe.trace(Case(without(case.config, path), case.meta))
                    if part:
                        matters = probe.compare.difference(part, full_trace) is not None
                        for score in (families[family], kinds[kind]):
                            score[0] += matters
                            score[1] += 1
            print(f"{family:16}{families[family][0]:6}/{families[family][1]}", file=sys.stderr)
        probe.engine.stop()
    for title, table in (("family", families), ("kind", kinds)):
        print(f"{title:36}{'matter':>8}{'tried':>8}")
        for name, (matter, tried) in sorted(table.items()):
            print(f"{name:36}{matter:8}{tried:8}{matter / max(tried, 1):8.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
