"""Make a game smaller for as long as the two engines still disagree about it, and print what is left.

usage: python tests/compat/shrink.py --published PYTHON --ours PYTHON (--seed N [--family F] | --case DIR/NAME)
                                     [--like TEXT] [--out DIR] [--crash]

Everything that can go is tried, big pieces first: whole rules, then filters, mutations, objects on the map, agents,
rows and columns, steps. `--like rewards:` keeps to one kind of difference. With --crash the game must keep ending the
published engine instead, and one engine is enough.
The smallest game goes to standard output, or to DIR/small.json with its meta file; progress goes to standard error.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from generator import FAMILIES, Case, random_case

from engines import Engine, comparer, last_line, read_case, write_case

Trial = Callable[[], Case]  # builds a smaller game when it is its turn

# Keys that a rule cannot do without, so that trying would only cost time; and "target", whose default may name an
# entity that is not there, which ends in another difference.
NEEDED = {"filter_type", "mutation_type", "query_type", "name", "pydantic_type", "resource_names", "num_agents"}
NEEDED |= {"map_builder", "game", "$type", "map_data", "char_to_map_name", "type", "num_tokens", "vibes", "team_id"}
NEEDED |= {"target"}


class Judge:
    """Says how the engines disagree about a game."""

    def __init__(self, published: str, ours: str | None, folder: Path) -> None:
        self.published = Engine(published)
        self.ours = Engine(ours) if ours else None
        self.folder = folder
        self.compare = comparer()
        self.tries = 0

    def __call__(self, case: Case) -> str | None:
        """Return a sentence, or None: the engines agree, or the published one has no trace to agree with."""
        self.tries += 1
        name = f"try{self.tries}"
        write_case(case, self.folder, name)
        outs = [self.folder / "published", self.folder / "ours"]
        pairs = list(zip([self.published, self.ours], outs, strict=True))
        for engine, out in pairs:
            out.mkdir(exist_ok=True)
            if engine:
                engine.ask(self.folder, name, out)
        errors = [engine.wait(name, out) if engine else None for engine, out in pairs]
        if self.ours is None:
            return last_line(errors[0]) if errors[0] and "status" in last_line(errors[0]) else None
        if errors[0]:
            return None
        if errors[1]:
            return "no trace: " + last_line(errors[1])
        return self.compare.difference(*(self.compare.load(out / f"{name}.npz") for out in reversed(outs)))

    def close(self) -> None:
        self.published.stop()
        if self.ours:
            self.ours.stop()


def same_kind(first: str, second: str | None, like: str = "") -> bool:
    """Return whether two problems are of one kind: a difference between traces must not become a refused config."""
    return second is not None and first.startswith("no trace") == second.startswith("no trace") and like in second


def paths(node: object, here: tuple = ()) -> Iterator[tuple[tuple, int]]:
    """Yield every place in the configuration that can be deleted, with its size."""
    if isinstance(node, dict):
        items = [(key, child) for key, child in node.items() if key not in ("map_data", "char_to_map_name")]
    elif isinstance(node, list):
        items = list(enumerate(node))
    else:
        return
    for key, child in items:
        if key not in NEEDED:
            yield (*here, key), len(json.dumps(child))
        yield from paths(child, (*here, key))


def parent_of(config: dict, path: tuple) -> object:
    node: object = config
    for key in path[:-1]:
        node = node[key]
    return node


def deletions(case: Case) -> Iterator[Trial]:
    """Yield the game without one piece, big pieces first."""
    for path, _ in sorted(paths(case.config), key=lambda entry: -entry[1]):
        yield lambda path=path: edited(case, lambda config: parent_of(config, path).__delitem__(path[-1]))


def promotions(case: Case) -> Iterator[Trial]:
    """Yield a composite replaced by one of its parts: a handler of a tree, a value of a sum, the inside of a not."""
    for path, _ in sorted(paths(case.config), key=lambda entry: -entry[1]):
        node = parent_of(case.config, path)[path[-1]]
        if not isinstance(node, dict):
            continue
        for key in ("handlers", "values", "inner", "numerator", "denominator", "source", "query"):
            parts = node.get(key)
            for part in parts if isinstance(parts, list) else [parts]:
                if isinstance(part, dict) and part:
                    yield lambda path=path, part=part: edited(
                        case, lambda config: parent_of(config, path).__setitem__(path[-1], copy.deepcopy(part))
                    )


def edited(case: Case, edit: Callable[[dict], object]) -> Case:
    config = copy.deepcopy(case.config)
    edit(config)
    return Case(config, case.meta)


def fewer_steps(case: Case) -> Iterator[Trial]:
    steps = case.meta["steps"]
    for count in sorted({1, 2, 3, steps // 4, steps // 2, steps * 3 // 4, steps - 1}):
        if 0 < count < steps:
            yield lambda count=count: Case(case.config, {**case.meta, "steps": count})


def smaller_maps(case: Case) -> Iterator[Trial]:
    """Rows and columns taken off, then cells emptied one by one."""
    builder = case.config["game"]["map_builder"]
    rows, names = builder["map_data"], builder["char_to_map_name"]

    def with_rows(new: list[str]) -> Trial:
        return lambda: edited(case, lambda config: config["game"]["map_builder"].update(map_data=new))

    if len(rows) > 1:
        yield from (with_rows(rows[:i] + rows[i + 1 :]) for i in range(len(rows)))
    if len(rows[0]) > 1:
        yield from (with_rows([row[:i] + row[i + 1 :] for row in rows]) for i in range(len(rows[0])))
    for r, row in enumerate(rows):
        for c, letter in enumerate(row):
            if names[letter] != "empty" and not names[letter].startswith("agent."):
                yield with_rows([*rows[:r], row[:c] + "." + row[c + 1 :], *rows[r + 1 :]])


def fewer_agents(case: Case) -> Iterator[Trial]:
    """Yield the game without one agent: any cell with any list entry, because teams order them."""
    game = case.config["game"]
    agents = game.get("agents")
    rows, names = game["map_builder"]["map_data"], game["map_builder"]["char_to_map_name"]
    cells = [(r, c) for r, row in enumerate(rows) for c, x in enumerate(row) if names[x].startswith("agent.")]
    if game["num_agents"] < 2:
        return

    def drop(index: int, r: int, c: int) -> Trial:
        def edit(config: dict) -> None:
            small = config["game"]
            small["num_agents"] -= 1
            if agents:
                del small["agents"][index]
            data = small["map_builder"]["map_data"]
            data[r] = data[r][:c] + "." + data[r][c + 1 :]

        return lambda: edited(case, edit)

    for index in range(len(agents) if agents else 1):
        yield from (drop(index, r, c) for r, c in cells)


def shrink(case: Case, judge: Judge, like: str = "") -> tuple[Case, str]:
    first = judge(case)
    if first is None:
        raise SystemExit("The engines agree about this game")
    text, before = first, None
    while before != case:
        before = case
        for step in (fewer_steps, fewer_agents, deletions, smaller_maps, promotions):
            place, trials = 0, list(step(case))
            while place < len(trials):
                smaller = trials[place]()
                difference = judge(smaller)
                if same_kind(first, difference, like):
                    case, text = smaller, difference
                    trials = list(step(case))  # what failed before this place is not tried again now
                else:
                    place += 1
            size = len(json.dumps(case.config))
            print(f"{step.__name__}: {size} bytes, {case.meta['steps']} steps, {judge.tries} tries", file=sys.stderr)
    return case, text


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--published", required=True, metavar="PYTHON")
    parser.add_argument("--ours", metavar="PYTHON")
    parser.add_argument("--seed", type=int, help="a game of the generator")
    parser.add_argument("--family", choices=FAMILIES)
    parser.add_argument("--case", type=Path, metavar="DIR/NAME", help="a game on disk (NAME.json, NAME.meta.json)")
    parser.add_argument("--like", default="", metavar="TEXT", help="only differences whose sentence contains this")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write small.json and small.meta.json here")
    parser.add_argument("--crash", action="store_true", help="look for crashes of the published engine instead")
    args = parser.parse_args()
    if (args.seed is None) == (args.case is None):
        parser.error("give either --seed or --case")
    if not args.ours and not args.crash:
        parser.error("give --ours, or --crash")
    return args


def main() -> int:
    args = arguments()
    case = random_case(args.seed, args.family) if args.case is None else read_case(args.case.parent, args.case.name)
    with tempfile.TemporaryDirectory() as scratch:
        judge = Judge(args.published, None if args.crash else args.ours, Path(scratch))
        try:
            case, text = shrink(case, judge, args.like)
        finally:
            judge.close()
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        write_case(case, args.out, "small")
    print(json.dumps(case.config, indent=1))
    print(json.dumps(case.meta))
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
