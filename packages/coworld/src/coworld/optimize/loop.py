"""The optimization loop: improve, play, compare, decide.

    outcome = optimize(Path("my-player"), arena, improver, state=Path("optimize"), iterations=3, pairs=12)

Each iteration plays the best version so far, shows the improver what came of it, and lets both versions play the same
conditions, fresh ones every time. The new version is kept only when the 95 % interval of the paired differences is
above zero. Everything that is decided or played is a line of `journal.jsonl`; a run that was killed, at any point,
continues from there with the same result, provided player and improver are deterministic.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from coworld.optimize.arena import Arena, Condition, Played, play_all
from coworld.optimize.errors import OptimizeError
from coworld.optimize.findings import Analyst, DefaultRoles, find_out
from coworld.optimize.improver import Improver, ImproverFailed, Task
from coworld.optimize.journal import Journal
from coworld.optimize.statistics import MIN_PAIRS, paired_interval
from coworld.optimize.summary import write_summary
from coworld.optimize.versions import JOURNAL, Versions, copy


@dataclass(frozen=True)
class Outcome:
    """The outcome of an optimization."""

    first: str
    """the initial version"""
    best: str
    """the best version"""
    best_folder: Path
    decisions: Sequence[dict[str, Any]]
    """one per iteration: `iteration`, `version`, `kept`, `reason`, and `mean`, `low`, `high`, `pairs` when played"""

    @property
    def failed(self) -> str | None:
        """Return why no iteration had a proposal; None when one had, or when no iteration was requested."""
        if not self.decisions or any(decision["version"] is not None for decision in self.decisions):
            return None
        return str(self.decisions[-1]["reason"])

    @property
    def kept(self) -> int:
        return sum(bool(decision["kept"]) for decision in self.decisions)


def optimize(
    player: Path,
    arena: Arena,
    improver: Improver,
    *,
    state: Path,
    iterations: int = 3,
    pairs: int = 12,
    workers: int = 1,
    seed: int = 0,
    build: Sequence[str] = (),
    manifest: Path | None = None,
    analyst: Analyst | None = None,
    identity: Mapping[str, Any] | None = None,
    tell: Callable[[str], None] = lambda line: None,
    warn: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Improve the player in a folder, which is not changed; the versions are under `state`.

    `build` is a command that is run in a changed copy before it is tried, such as `make`. `analyst` runs the roles
    that look at the worst episodes, by default ours. `identity` names what the run depends on beside the player; a
    state folder with another identity is refused. `tell` gets a line after every iteration, `warn` one for every role
    that failed. A second call with the same `state` continues the run; with more iterations it extends it.

    Raises:
        OptimizeError: `state` belongs to other settings or another run, or the player cannot be tried.
    """
    if pairs < MIN_PAIRS or iterations < 0 or workers < 1:
        raise OptimizeError(
            f"{pairs} pairs, {iterations} iterations and {workers} workers make no experiment",
            hint=f"use at least {MIN_PAIRS} pairs and one worker",
        )
    with Journal(state / JOURNAL) as journal:
        run = _Run(
            journal=journal,
            versions=Versions(state / "versions"),
            arena=arena,
            improver=improver,
            state=state,
            pairs=pairs,
            workers=workers,
            seed=seed,
            build=build,
            manifest=manifest,
            analyst=analyst or DefaultRoles(),
            warn=warn,
        )
        run.begin(player, identity or {})
        with _session(journal, iterations):
            for iteration in range(iterations):
                if journal.find("decision", iteration=iteration) is None:
                    run.iterate(iteration)
                    tell(run.decision_line(iteration))
            return run.outcome()


@contextmanager
def _session(journal: Journal, iterations: int) -> Iterator[None]:
    """Record that a run started and how it ended; a killed run has no end."""
    journal.add("start", iterations=iterations)
    try:
        yield
    except KeyboardInterrupt:
        journal.add("end", status="stopped", reason=None)
        raise
    except Exception as error:
        journal.add("end", status="failed", reason=str(error) or type(error).__name__)
        raise
    journal.add("end", status="finished", reason=None)


@dataclass
class _Run:
    journal: Journal
    versions: Versions
    arena: Arena
    improver: Improver
    state: Path
    pairs: int
    workers: int
    seed: int
    build: Sequence[str]
    manifest: Path | None
    analyst: Analyst
    warn: Callable[[str], None]

    def begin(self, player: Path, identity: Mapping[str, Any]) -> None:
        settings = {
            "version": self.versions.keep(player),
            "pairs": self.pairs,
            "seed": self.seed,
            "conditions": [condition.document() for condition in self.arena.conditions(0, self.pairs)],
            **identity,
        }
        begun = self.journal.find("begin")
        if begun is None:
            self.journal.add("begin", **settings)
            return
        changed = sorted(key for key, value in settings.items() if key in begun and begun[key] != value)
        if changed:
            raise OptimizeError(
                f"{self.state} belongs to a run with another {' and '.join(changed)}",
                hint="name another folder, or put the player and the options back",
            )

    def iterate(self, iteration: int) -> None:
        """Run one iteration, from the proposal to the decision; skip the work that the journal already has."""
        conditions = self.arena.conditions(iteration * self.pairs, self.pairs)
        best = self.best()
        old = self._play(iteration, best, conditions)
        proposal = self.journal.find("proposal", iteration=iteration)
        if proposal is None:
            proposal = self._propose(iteration, best, list(zip(conditions, old, strict=True)))
        version = proposal["version"]
        if version is None or version == best:
            reason = proposal["reason"] or "nothing was changed"
            self.journal.add("decision", iteration=iteration, version=version, kept=False, reason=reason)
        else:
            self._decide(iteration, version, old, self._play(iteration, version, conditions))
        shutil.rmtree(self.state / "episodes" / str(iteration), ignore_errors=True)
        write_summary(self.journal.entries, self.state)

    def best(self) -> str:
        versions = [entry["version"] for entry in self.journal.entries if entry["kind"] == "decision" and entry["kept"]]
        return str(versions[-1] if versions else self._first())

    def outcome(self) -> Outcome:
        decisions = [
            {key: value for key, value in entry.items() if key != "kind"}
            for entry in self.journal.entries
            if entry["kind"] == "decision"
        ]
        write_summary(self.journal.entries, self.state)
        return Outcome(self._first(), self.best(), self.versions.path(self.best()), decisions)

    def decision_line(self, iteration: int) -> str:
        decision = self.journal.find("decision", iteration=iteration)
        assert decision is not None
        return f"iteration {iteration}: {'kept' if decision['kept'] else 'rejected'}: {decision['reason']}"

    # --- inside

    def _first(self) -> str:
        begun = self.journal.find("begin")
        assert begun is not None
        return str(begun["version"])

    def _play(self, iteration: int, version: str, conditions: Sequence[Condition]) -> list[Played]:
        """Play every condition once, in parallel; add a journal line for each."""
        done: dict[int, Played] = {}
        for entry in self.journal.entries:
            if (entry["kind"], entry.get("iteration"), entry.get("version")) == ("episode", iteration, version):
                workspace = self._workspace(iteration, version, entry["index"])
                existing = workspace if workspace.is_dir() else None
                done[entry["index"]] = Played(entry["score"], entry["why"], existing)

        async def play_condition(index: int, condition: Condition) -> None:
            workspace = self._workspace(iteration, version, index)
            shutil.rmtree(workspace, ignore_errors=True)
            played = await self.arena.play(self.versions.path(version), condition, workspace)
            self.journal.add(
                "episode", iteration=iteration, version=version, index=index, score=played.score, why=played.why
            )
            done[index] = played

        open_ = [
            partial(play_condition, index, condition) for index, condition in enumerate(conditions) if index not in done
        ]
        asyncio.run(play_all(open_, self.workers))
        return [done[index] for index in range(len(conditions))]

    def _workspace(self, iteration: int, version: str, index: int) -> Path:
        return self.state / "episodes" / str(iteration) / version / str(index)

    def _propose(self, iteration: int, best: str, played: list[tuple[Condition, Played]]) -> dict[str, Any]:
        workspace = self.versions.scratch(".proposal")
        copy(self.versions.path(best), workspace)
        folder = self.state / "findings" / str(iteration)
        findings = find_out(played, folder, self.analyst)
        for finding in findings.entries:
            self.journal.add("finding", iteration=iteration, **finding.document())
            if finding.error is not None:
                self.warn(f"iteration {iteration}: {finding.error}")
        task = Task(
            workspace=workspace,
            iteration=iteration,
            seed=self.seed + iteration,
            manifest=self.manifest,
            reports=findings.paths("reporter", folder),
            grades=findings.paths("grader", folder),
            diagnoses=findings.paths("diagnoser", folder),
            folder=folder,
            history=[entry for entry in self.journal.entries if entry["kind"] == "decision"],
        )
        version, note, reason = None, None, None
        try:
            note = self.improver(task)
            self._build(workspace)
            version = self.versions.keep(workspace)
        except ImproverFailed as error:
            reason = str(error)
        return self.journal.add(
            "proposal", iteration=iteration, version=version, note=note, reason=reason, **{"from": best}
        )

    def _build(self, workspace: Path) -> None:
        if not self.build:
            return
        try:
            done = subprocess.run(self.build, cwd=workspace, capture_output=True, text=True, timeout=1800)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ImproverFailed(f"the build failed: {error}") from None
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise ImproverFailed(f"the build failed: {last}")

    def _decide(self, iteration: int, version: str, old: Sequence[Played], new: Sequence[Played]) -> None:
        """Compare two versions. A broken episode counts as the worst score of the iteration, and at best 0."""
        worst = min([0.0, *(episode.score for episode in (*old, *new) if episode.score is not None)])

        def score(played: Played) -> float:
            return worst if played.score is None else played.score

        differences = [score(after) - score(before) for before, after in zip(old, new, strict=True)]
        mean, interval = fmean(differences), paired_interval(differences)
        broke = [episode for episode in new if episode.score is None]
        more = len(broke) > sum(episode.score is None for episode in old)
        between = f"{mean:+.3g} per episode, 95 % interval {interval.low:+.3g} to {interval.high:+.3g}"
        if more:
            reason = f"broke {len(broke)} of {len(new)} episodes: {broke[0].why}"
        elif interval.above_zero:
            reason = between
        else:
            reason = f"{between}, which is not above zero"
        self.journal.add(
            "decision",
            iteration=iteration,
            version=version,
            kept=interval.above_zero and not more,
            reason=reason,
            mean=mean,
            low=interval.low,
            high=interval.high,
            pairs=len(differences),
        )
