"""`cogames explain`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cogames.commands.shared.server import Json, LoginServer, LongServer, client_for, print_json, signed_in
from softmax.cli.errors import fail
from softmax.cli.output import hint
from softmax.cli.program import examples

if TYPE_CHECKING:
    from softmax.wire import Explanation, MatchExplanation, PolicyFailure

What = Annotated[
    str, typer.Argument(metavar="REPLAY|MATCH_ID", help="A replay file, or a match: its id or a prefix of it.")
]


@examples(
    "cogames explain ./replays/game.json.z",
    "cogames explain MATCH_ID",
    "cogames explain MATCH_ID --json",
)
def explain(what: What, server: LongServer = None, login_server: LoginServer = None, json: Json = False) -> None:
    """Explain what decided an episode.

    Prints turning points, idle and blocked steps, and large differences between policies. A replay file is read on this
    machine. A match is explained by the server; the log of a failed policy is shown only to its owner.
    """
    path = Path(what)
    if path.is_file():
        explanation = _explain_file(path)
        if json:
            print_json(explanation)
        else:
            print("\n".join(_lines(explanation)))
        return
    if path.suffix or path.exists():
        fail(f"Replay file not found: {what}" if not path.exists() else f"{what} is a folder; pass a replay file")
    from cogames.client.lookup import find_match
    from cogames.client.references import as_uuid

    client = client_for(server, login_server)
    match_id = as_uuid(what) or find_match(signed_in(client), what)
    answer = client.get_match_explanation(match_id)
    if json:
        print_json(answer)
        return
    print("\n".join(_match_lines(answer)))
    if any(failure.log is not None for failure in answer.failures):
        hint(f"cogames matches {match_id} --download-logs DIR")


def _explain_file(path: Path) -> Explanation:
    from cogames.commands.shared.bitworld_viewer import MAGIC

    with path.open("rb") as file:
        if file.read(len(MAGIC)) == MAGIC:
            fail(f"{path} is a BitWorld replay; it can only be watched", f"cogames replay {path}")
    from cogames.explain import explain as explained
    from mettagrid.replay import load_replay

    return explained(load_replay(path))


def _match_lines(answer: MatchExplanation) -> Iterator[str]:
    for failure in answer.failures:
        yield from _failure_lines(failure)
    if answer.explanation is not None:
        yield from _lines(answer.explanation)
    elif answer.why_not is not None:
        yield answer.why_not


def _failure_lines(failure: PolicyFailure) -> Iterator[str]:
    when = "" if failure.step is None else f" at step {failure.step}"
    late = f", {failure.missed_deadlines} missed deadlines" if failure.missed_deadlines else ""
    yield _plain(f"{failure.name}: {failure.status.replace('_', ' ')}{when}{late}")
    yield from (_plain(f"  {line}") for line in (failure.message or "").splitlines())
    if failure.log is not None:
        yield f"  log of agent {failure.log.agent}, line {failure.log.line}:"
        yield from (_plain(f"    {line}") for line in failure.log.lines)
    yield ""


def _lines(explanation: Explanation) -> Iterator[str]:
    """Yield the explanation as text."""
    yield from (_plain(sentence) for sentence in explanation.summary)
    yield from ("", "Turning points")
    yield from [_plain(f"  {moment.tick:>6}  {moment.text}") for moment in explanation.moments] or ["  none"]
    yield from ("", "Policies")
    for policy in explanation.policies:
        counts = policy.counts
        shares = [("idle", counts.idle), ("blocked", counts.blocked), ("failed", counts.failed)]
        parts = [f"{name} {_share(value, counts.steps)}" for name, value in shares if value is not None]
        parts += [f"{counts.missed} missed deadlines"] if counts.missed else []
        totals = [(explanation.held_name, policy.taken), ("hearts", policy.hearts), ("deaths", policy.deaths)]
        parts += [f"{name} {values[-1]}" for name, values in totals if name and values]
        agents = len(policy.agents)
        yield _plain(f"  {policy.name} ({agents} agent{'s' if agents != 1 else ''}): {', '.join(parts)}")
    if explanation.differences:
        yield from ("", "Large differences")
        yield from (_plain(f"  {difference.text}") for difference in explanation.differences)


def _share(value: int, of: int) -> str:
    return f"{100 * value / of:.0f} %" if of else "0 %"


def _plain(text: str) -> str:
    """Return the text with control characters shown as `?`: names are untrusted."""
    return "".join(character if character.isprintable() else "?" for character in text)
