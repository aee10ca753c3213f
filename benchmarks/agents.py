"""Measure the planner of cogames-agents: strength beside `starter`, teams, every mission and variant, and speed.

usage: agents.py PART [--seeds N] [--first-seed S] [--steps N] [--policy NAME] [--against NAME] [--only TEXT]
                      [--workers N] [--minutes M] [--confirm N] [--whole N] [--share K/N] [--resume FILE]
                      [--record]

parts:
  strength  junctions held on `arena`, in the first 1000 steps of `machina_1`, and in all 10,000
  teams     four_score: one team of the planner against three of `starter`, and one of `starter` against three of
            `random`, in each of the four seats
  missions  every mission, tutorial and eval with its own number of cogs
  variants  every mission with every variant that fits it, and with the fewest and the most cogs it allows. Where the
            planner's mean is lower, `--confirm` further seeds decide; where it is still below, the whole mission
            does, with `--whole` of these seeds. The exit status is 1 if a policy or a mission raised an exception.
            `--minutes` limits the time; the games are then played in random order. With `--resume FILE`, games that
            the file lists are not played again, and those played are added to it. `--share K/N` plays every N-th game
            from the K-th (0 to N - 1), so that several processes, each with a file of its own, divide the work
  speed     CPU time of a step with 8 cogs; labels per CPU second with 1, 64 and 512 worlds in a batch

Both policies play the same maps; map and episode k have the seed S + k. Differences are of pairs, intervals 95 %.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from agent_games import Game, all_missions, all_variants
from agent_matches import Comparison, check_one_by_one, compare, heading
from agent_speed import measure_speed
from agent_teams import measure_teams
from record import record

STRENGTH = [Game("arena"), Game("machina_1", steps=1000), Game("machina_1")]
DEFAULT_SEEDS = {"strength": 20, "teams": 20, "missions": 10, "variants": 2, "speed": 2}
DEFAULT_STEPS = {"teams": 1000, "missions": 1000, "variants": 300}
TOGETHER = 16  # games of `variants` whose results are kept together
LONGEST = 10_000  # steps of the longest missions; only endless variants are cut


def strength(options: argparse.Namespace) -> dict:
    print(heading(options.policy, options.against))
    rows = []
    for game in STRENGTH:
        if options.only not in game.name:
            continue
        full = Game(game.mission).load(0).game.max_steps
        scale = full / (game.steps or full)  # a junction held for the whole mission is worth 1
        for comparison in compare([game], _policies(options), _seeds(options), options.workers):
            check_one_by_one(game, options.policy, options.first_seed, comparison.ours[0])
            print(f"{comparison.row(scale)}  {game.steps or full} steps", flush=True)
            rows.append({**comparison.document(scale), "steps": game.steps or full})
    return {"rows": rows}


def teams(options: argparse.Namespace) -> dict:
    duels = [_policies(options), (options.against, "random")]
    return measure_teams(duels, _seeds(options), options.steps, options.workers)


def every_mission(options: argparse.Namespace) -> dict:
    games = [game for game in all_missions(options.steps) if options.only in game.name]
    print(heading(options.policy, options.against))
    rows = []
    for comparison in compare(games, _policies(options), _seeds(options), options.workers):
        rows.append(comparison.document())
        print(comparison.row(), *comparison.faults[:1], flush=True)
    return _summary(options, rows, rows)


def every_variant(options: argparse.Namespace) -> dict:
    share, shares = options.share
    games = [game for game in all_variants(options.steps) if options.only in game.name][share::shares]
    played = _read_documents(options.resume)
    left = [game for game in games if game.name not in played]
    if options.minutes is not None:
        random.Random(options.first_seed).shuffle(left)
    print(f"{len(left)} of {len(games)} games left\n{heading(options.policy, options.against)}")
    waiting = _until(options.minutes, left)
    while chunk := list(islice(waiting, TOGETHER)):
        documents = [comparison.document() for comparison in _judge(chunk, options)]
        played |= {document["game"]: document for document in documents}
        if options.resume:
            with options.resume.open("a") as journal:
                journal.writelines(json.dumps(document) + "\n" for document in documents)
    rows = [played[game.name] for game in games if game.name in played]
    return _summary(options, rows, [row for row in rows if row["verdict"] in ("FAULT", "BELOW")])


def _judge(games: list[Game], options: argparse.Namespace) -> Iterable[Comparison]:
    """Compare with a few seeds; where we are below, with further seeds, and if we still are, over the whole mission."""
    seeds = _seeds(options)
    further = range(seeds.stop, seeds.stop + options.confirm)
    judged = {found.game.name: found for found in compare(games, _policies(options), seeds, options.workers)}
    doubtful = [found.game for found in judged.values() if not found.faults and (found.difference.mean or 0.0) < 0]
    for found in compare(doubtful if further else [], _policies(options), further, options.workers):
        judged[found.game.name] = found
    below = [replace(game, steps=LONGEST) for game in doubtful if judged[game.name].verdict == "BELOW"]
    for found in compare(below, _policies(options), further[: options.whole], options.workers) if options.whole else ():
        print(judged[found.game.name].row(), f" {options.steps} steps", flush=True)
        print(found.row(), "  whole mission", flush=True)
        judged[found.game.name] = found
    for found in judged.values():
        if found.faults:
            print(found.row(), *found.faults[:1], flush=True)
    return judged.values()


def speed(options: argparse.Namespace) -> dict:
    return measure_speed(options.policy, _seeds(options))


PARTS: dict[str, Callable[[argparse.Namespace], dict]] = {
    "strength": strength,
    "teams": teams,
    "missions": every_mission,
    "variants": every_variant,
    "speed": speed,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--seeds", type=int, help=f"episodes of each policy and game ({DEFAULT_SEEDS})")
    parser.add_argument("--first-seed", type=int, default=9000)
    parser.add_argument("--steps", type=int, help=f"most steps of an episode ({DEFAULT_STEPS})")
    parser.add_argument("--policy", default="cogsguard")
    parser.add_argument("--against", default="starter")
    parser.add_argument("--only", default="", help="games with this text in their name")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, help="start no further games of `variants` after this time")
    parser.add_argument("--confirm", type=int, default=12, help="further seeds for games of `variants` (12)")
    parser.add_argument("--whole", type=int, default=6, help="seeds for whole missions in `variants` (6)")
    parser.add_argument("--share", type=_share, default=(0, 1), help="every N-th game of `variants` from the K-th: K/N")
    parser.add_argument("--resume", type=Path, help="file of games of `variants` that were played")
    parser.add_argument("--record", action="store_true", help="add a line to results/agents.jsonl")
    options = parser.parse_args()
    options.seeds = options.seeds or DEFAULT_SEEDS[options.part]
    options.steps = options.steps or DEFAULT_STEPS.get(options.part)
    measured = PARTS[options.part](options)
    if options.record:
        command = " ".join(["benchmarks/agents.py", *sys.argv[1:]])
        print(f"recorded in {record('agents', command, {'part': options.part, **measured})}")
    sys.exit(bool(measured.get("verdicts", {}).get("FAULT")))


def _policies(options: argparse.Namespace) -> tuple[str, str]:
    return options.policy, options.against


def _seeds(options: argparse.Namespace) -> range:
    return range(options.first_seed, options.first_seed + options.seeds)


def _share(text: str) -> tuple[int, int]:
    share, _, shares = text.partition("/")
    if not (share.isdecimal() and shares.isdecimal() and int(share) < int(shares)):
        raise argparse.ArgumentTypeError(f"{text!r} is not K/N with K from 0 to N - 1")
    return int(share), int(shares)


def _until(minutes: float | None, games: list[Game]) -> Iterator[Game]:
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    for number, game in enumerate(games):
        if deadline is not None and time.monotonic() > deadline:
            print(f"stopped after {minutes} minutes and {number} of {len(games)} games")
            return
        yield game


def _read_documents(path: Path | None) -> dict[str, dict]:
    """Return the games that a file of `--resume` lists, by name."""
    if path is None or not path.exists():
        return {}
    return {document["game"]: document for document in map(json.loads, path.read_text().splitlines())}


def _summary(options: argparse.Namespace, played: list[dict], rows: list[dict]) -> dict:
    verdicts = Counter(document["verdict"] for document in played)
    print(f"{len(played)} games: " + ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()))
    return {"steps": options.steps, "games": len(played), "verdicts": dict(verdicts), "rows": rows}


if __name__ == "__main__":
    main()
