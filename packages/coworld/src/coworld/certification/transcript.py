"""The descriptions of the ten steps of a certification."""

from coworld.models.transcript import CoworldTranscript, TranscriptStep

TRANSCRIPT_NAME = "coworld-executable"

_STEPS = (
    (
        "matriculate",
        "the manifest is valid",
        "every rule of a profile holds",
        "read strictly; `current` asks for tags, `guide` for all seven roles",
    ),
    (
        "source-resolves",
        "the published source of each runnable",
        "always; the result is recorded",
        "only looked up on request, without credentials",
    ),
    (
        "images-reachable",
        "every image of every role can be run here",
        "the engine finds a program for each",
        "asked of the engine, in the order of the manifest",
    ),
    (
        "fixture-conforms",
        "the configurations fit the game's schema",
        "fixture and variants are valid once tokens are in them",
        "placeholders take the place of tokens",
    ),
    (
        "smoke-episode",
        "the fixture plays to its end",
        "game and players keep their contracts and end cleanly",
        "all probes: wrong tokens, Ping, reconnecting, a late viewer",
    ),
    (
        "results-conform",
        "the results fit their schema",
        "`results.json` is valid and has a score per slot",
        "read after the episode",
    ),
    ("replay-present", "the game has written a replay", "the file exists and is not empty", "looked at"),
    (
        "replay-loadable",
        "the game shows its replay",
        "the page opens and the socket sends a message, or there are static pages",
        "the game is started again in replay mode",
    ),
    (
        "players-run",
        "every declared player took part",
        "each is seated in the fixture and has left a log, and so has the game",
        "looked at",
    ),
    (
        "supporting-roles",
        "reporters and commissioners answer",
        "references are valid and each commissioner schedules rounds",
        "one question to each commissioner; other roles are counted",
    ),
)


def load_executable_transcript() -> CoworldTranscript:
    """Return the steps in order."""
    steps = [
        TranscriptStep.model_validate({"id": id, "kind": "auto", "checks": checks, "pass": passes, "how": how})
        for id, checks, passes, how in _STEPS
    ]
    text = "\n".join(f"{step.id}: {step.checks}; passes when {step.pass_}" for step in steps)
    return CoworldTranscript(name=TRANSCRIPT_NAME, text=text, steps=steps)
