"""Mutated configurations through the whole engine: 50 steps each, or a clean refusal. Nothing else may happen.

usage: python tests/soak/fuzz.py --python PYTHON [--env NAME=VALUE ...] [--count 10000] [--seed 0] [--jobs 1]
       python tests/soak/fuzz.py --python PYTHON [--env NAME=VALUE ...] --case SEED|FILE

PYTHON, with these variables, imports the engine under test; `make soak` gives it one with sanitizers. With --case one
case is played and what happens is shown. The exit status is 0 only when there was no failure and at least 30 % ran
their 50 steps.
"""

from __future__ import annotations

import argparse
import queue
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.soak.cases import Case, mutated_case
from tests.soak.memory import MemoryWatch
from tests.soak.runner import Died, Worker

FAILURES = ("crash", "hang", "memory", "leaked", "kept")
SHARE_THAT_RUNS = 0.3
MEMORY_CHECKS = 10  # of each worker
SLOW_SECONDS = 30.0
PLANTED_LEAKS = 20


@dataclass
class Tally:
    """What became of the cases so far."""

    kinds: Counter[str] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[int]] = field(default_factory=dict)
    slow: list[tuple[float, int]] = field(default_factory=list)
    memory_checks: int = 0
    memory: list[str] = field(default_factory=list)
    """what was wrong in them"""

    def add(self, seed: int, answer: dict[str, Any], seconds: float) -> None:
        kind = answer["kind"]
        self.kinds[kind] += 1
        if kind == "refused":
            self.stages[answer["stage"]] += 1
        self.faults.update(set(answer.get("faults", ())))
        if kind in FAILURES:
            signature = f"{kind} in {answer['stage']}: {answer['error']} at {answer['where']}"
            self.failures.setdefault(signature, []).append(seed)
        if seconds > SLOW_SECONDS:
            self.slow.append((seconds, seed))


class Fuzz:
    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.tally = Tally()
        self.lock = threading.Lock()
        self.seeds: queue.SimpleQueue[int] = queue.SimpleQueue()
        for seed in range(args.seed, args.seed + args.count):
            self.seeds.put(seed)
        self.started = time.monotonic()
        args.folder.mkdir(parents=True, exist_ok=True)
        for old in args.folder.glob("*"):
            old.unlink()
        check_start(args)
        self.finds_leaks = finds_leaks(args)

    def run(self) -> None:
        threads = [threading.Thread(target=self.work, args=(number,)) for number in range(self.args.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def work(self, number: int) -> None:
        """Play cases in one worker after another until there are none left."""
        worker = new_worker(self.args, f"worker{number}.log", looks_for_leaks=self.finds_leaks)
        watch = MemoryWatch(worker)
        between_checks = max(100, self.args.count // self.args.jobs // MEMORY_CHECKS)
        done = 0
        while True:
            try:
                seed = self.seeds.get_nowait()
            except queue.Empty:
                break
            self.run_case(worker, seed)
            done += 1
            if done % between_checks == 0:
                self.check_memory(watch)
        if done % between_checks:
            self.check_memory(watch)
        with self.lock:
            self.tally.memory += watch.growth()
            note(f"worker {number}: {worker.starts} processes; {watch.summary()}")
        worker.stop()

    def run_case(self, worker: Worker, seed: int) -> None:
        before = time.monotonic()
        try:
            answer = worker.ask(str(seed))
        except Died as death:
            answer = {"kind": death.kind, "stage": "?", "error": death.detail, "where": "see the log"}
        seconds = time.monotonic() - before
        with self.lock:
            self.tally.add(seed, answer, seconds)
            total = self.tally.kinds.total()
            if total % 500 == 0:
                counts = ", ".join(f"{count} {kind}" for kind, count in self.tally.kinds.most_common())
                note(f"{total} cases, {time.monotonic() - self.started:.0f} s: {counts}")
            if answer["kind"] in FAILURES:
                mutated_case(seed).save(self.args.folder / f"{seed}.json")
                note(
                    f"case {seed}: {answer['kind']} in {answer['stage']}: {answer['error']} {answer.get('message', '')}"
                )

    def check_memory(self, watch: MemoryWatch) -> None:
        problem = watch.check()
        with self.lock:
            self.tally.memory_checks += 1
            if problem:
                self.tally.memory.append(problem)


def report(tally: Tally, count: int, seconds: float, *, leaks_looked_for: bool) -> bool:
    """Print what happened; True when it is all right."""
    ran = tally.kinds["ran"]
    for signature, seeds in sorted(tally.failures.items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds):6}  {signature}\n        case {', '.join(map(str, seeds[:5]))}")
    for problem in tally.memory:
        print(f"memory: {problem}")
    for spent, seed in sorted(tally.slow, reverse=True)[:5]:
        print(f"slow: case {seed} took {spent:.0f} s")
    for fault, times in tally.faults.most_common():
        print(f"{times:6}  stopped by: {fault}")
    stages = ", ".join(f"{times} {stage}" for stage, times in tally.stages.most_common())
    print(f"fuzz: {count} mutated configs in {seconds:.0f} s")
    print(f"  ran 50 steps       {ran:6}  ({100 * ran / max(1, count):.0f} %)")
    print(f"  stopped by a rule  {tally.kinds['stopped']:6}  (the engine's own error, and the world went on)")
    print(f"  refused cleanly    {tally.kinds['refused']:6}  ({stages})")
    print("  " + "  ".join(f"{kind} {tally.kinds[kind]}" for kind in FAILURES))
    print(f"  memory checks      {tally.memory_checks:6}  ({len(tally.memory)} found something)")
    if not leaks_looked_for:
        print("  LeakSanitizer does not work here: only live bytes and worlds were watched")
    enough = ran >= SHARE_THAT_RUNS * count
    if not enough:
        print(f"fuzz: fewer than {SHARE_THAT_RUNS:.0%} ran, so the mutations are too wild to say much")
    if tally.kinds.total() < count:
        print(f"fuzz: only {tally.kinds.total()} cases were played; something is wrong with the runner")
        return False
    return enough and not tally.failures and not tally.memory


def new_worker(args: argparse.Namespace, log: str, *, looks_for_leaks: bool = False, plants: bool = False) -> Worker:
    env = dict(pair.split("=", 1) for pair in args.env) | {"SOAK_SHOW": "1" if args.case else ""}
    return Worker(args.python, env, args.folder / log, looks_for_leaks=looks_for_leaks, plants=plants)


def check_start(args: argparse.Namespace) -> None:
    """Stop here when the engine cannot even be imported."""
    worker = new_worker(args, "start.log")
    try:
        worker.ask("-1")
    except Died as death:
        raise SystemExit(f"fuzz: the engine does not start ({death}):\n{worker.output()[-2000:]}") from None
    finally:
        worker.stop()


def finds_leaks(args: argparse.Namespace) -> bool:
    """Return whether LeakSanitizer finds a leak made on purpose; it cannot work where processes may not be traced."""
    worker = new_worker(args, "control.log", looks_for_leaks=True, plants=True)
    try:
        worker.ask("plant leak")
        return (worker.leaks() or 0) >= worker.leaks_at_start + PLANTED_LEAKS
    except Died:
        return False
    finally:
        worker.stop()


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def show_case(args: argparse.Namespace) -> bool:
    """Play one case, by number or from a file, with its traceback; True when nothing is wrong with it."""
    case = mutated_case(int(args.case)) if args.case.lstrip("-").isdigit() else Case.load(Path(args.case))
    args.folder.mkdir(parents=True, exist_ok=True)
    path = args.folder / f"{case.seed}.json"
    case.save(path)
    print(f"case {case.seed}: {case.source}, then {', '.join(case.changes) or 'nothing'}; written to {path}")
    worker = new_worker(args, f"{case.seed}.log")
    try:
        answer = worker.ask(str(path))
    except Died as death:
        answer = {"kind": death.kind, "detail": death.detail}
    worker.stop()
    print(worker.output(), end="")
    print("\n".join(f"{key}: {value}" for key, value in answer.items() if value))
    return answer["kind"] not in FAILURES


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="interpreter with the engine under test")
    parser.add_argument("--count", type=int, default=10_000, help="cases to play (10000)")
    parser.add_argument("--seed", type=int, default=0, help="number of the first case (0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (1)")
    parser.add_argument("--case", metavar="SEED|FILE", help="one case, by number or as saved")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/soak/fuzz/cases"), help="for logs and cases that fail"
    )
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="for the processes that play")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    if args.case is not None:
        return 0 if show_case(args) else 1
    fuzz = Fuzz(args)
    fuzz.run()
    seconds = time.monotonic() - fuzz.started
    return 0 if report(fuzz.tally, args.count, seconds, leaks_looked_for=fuzz.finds_leaks) else 1


if __name__ == "__main__":
    sys.exit(main())
