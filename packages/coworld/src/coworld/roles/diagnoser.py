"""The default diagnoser: advice for one policy after an episode.

In: `COGAME_EPISODE_BUNDLE_URI` and `COGAME_TARGET_POLICY_URI` (the policy in question; its seat is taken from
`slot=N` in it, from a number at its end, or from a seat of that name). Out: a zip at `COGAME_DIAGNOSIS_URI` with
`manifest.json`, `diagnosis.md` and `findings.json`.
"""

from __future__ import annotations

import os
import re
import sys

from coworld.roles.episode import Episode, Standing, read_episode, stand
from coworld.roles.program import archive, json_bytes, run_role, variable
from coworld.uris.transfer import write_uri

DECIDED = 0.2
"""a share of the total from which an episode counts as clearly decided"""


def seat_of(target: str, episode: Episode) -> int | None:
    """Return the policy's seat, if its URI names it."""
    seats = len(episode.scores)
    match = re.search(r"(?:slot|seat|policy_agent)[=/_:-]?(\d+)", target) or re.search(r"(?:^|[/:#])(\d+)/?$", target)
    if match and int(match[1]) < seats:
        return int(match[1])
    named = [slot for slot, name in enumerate(episode.names) if name and name == target]
    return named[0] if len(named) == 1 else None


def recommend(standing: Standing, slot: int | None, episode: Episode) -> list[str]:
    """Return recommendations, most useful first."""
    advice = []
    unit = "tiles" if standing.board else "score"
    if episode.status != "success" and episode.error:
        advice.append(f"The episode failed ({episode.error.get('error_type', 'unknown')}): fix that first.")
    if standing.winner is None:
        advice.append("The seats are equal: look for what both leave undone, and change one thing that breaks the tie.")
    elif standing.share >= DECIDED:
        lost = slot is not None and slot != standing.winner
        advice.append(
            f"The difference is large ({standing.margin:g} {unit}): "
            + ("compare the replay with the winner's from the first tick they part." if lost or slot is None else
               "play against stronger policies before changing anything.")
        )  # fmt: skip
    else:
        advice.append(f"It was close ({standing.margin:g} {unit}): play many paired games, one says little.")
    if slot is not None and _flat_for(slot, episode) > 0.25:
        advice.append(
            f"Seat {slot} gained nothing for {_flat_for(slot, episode):.0%} of the game: find out where it stood still."
        )
    log = episode.player_logs.get(slot, "") if slot is not None else ""
    if any(word in log for word in ("Traceback", "Error", "error:")):
        advice.append(f"The log of seat {slot} has errors: read it.")
    return advice


def diagnose(episode: Episode, target: str) -> bytes:
    """Return the diagnosis as a zip."""
    standing, slot = stand(episode), seat_of(target, episode)
    recommendations = recommend(standing, slot, episode)
    name = os.environ.get("COGAME_DIAGNOSER_ID", "default-diagnoser")
    findings: dict[str, object] = {
        "diagnoser_id": name,
        "target_policy_uri": target,
        "target_slot": slot,
        **standing.document(),
        "recommendations": recommendations,
    }
    winner = "nobody" if standing.winner is None else f"{episode.names[standing.winner]} (seat {standing.winner})"
    seat = "an unknown seat" if slot is None else f"seat {slot}"
    lines = [f"# Diagnosis of {seat}", "", f"Won by {winner}; {standing.scale}: {standing.share}.", ""]
    lines += [f"- {_plain(episode.names[at])} (seat {at}): {score:g}" for at, score in enumerate(episode.scores)]
    lines += ["", "## Next", "", *(f"- {text}" for text in recommendations), ""]
    manifest = {"diagnoser_id": name, "render": "diagnosis.md", "findings": "findings.json"}
    return archive(
        {
            "manifest.json": json_bytes(manifest),
            "diagnosis.md": "\n".join(lines).encode(),
            "findings.json": json_bytes(findings),
        }
    )


def _flat_for(slot: int, episode: Episode) -> float:
    """Return the longest stretch without growth of the seat's score, as a fraction of the game."""
    frames = episode.replay.get("frames") if episode.replay else None
    if not isinstance(frames, list) or len(frames) < 8:
        return 0.0
    longest = run = 0
    best = float("-inf")
    for frame in frames:
        scores = frame.get("scores") if isinstance(frame, dict) else None
        if not isinstance(scores, list) or slot >= len(scores) or not isinstance(scores[slot], (int, float)):
            return 0.0
        run = 0 if scores[slot] > best else run + 1
        best = max(best, scores[slot])
        longest = max(longest, run)
    return longest / len(frames)


def _plain(name: str) -> str:
    """Return a name on one line, without Markdown markup."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(name.split()))


def run() -> None:
    bundle, target = variable("COGAME_EPISODE_BUNDLE_URI"), variable("COGAME_TARGET_POLICY_URI")
    write_uri(variable("COGAME_DIAGNOSIS_URI"), diagnose(read_episode(bundle), target), content_type="application/zip")


if __name__ == "__main__":
    sys.exit(run_role(run))
