"""The documents that come with the package, as Markdown."""

from pathlib import Path

__all__ = ["DOCUMENTS", "read_document"]

DOCUMENTS = {
    "amongthem_policy": "Among Them: from a first policy to the leaderboard",
    "evaluate_policy": "Tutorial: measure a policy, and tell improvement from luck",
    "mission": "Mission briefing: what cogs can do, and what everything costs",
    "policy_secrets": "Secrets of policies: how they are stored, who sees them, when they are deleted",
    "readme": "Overview: from a first policy to a measured one",
    "scripted_agent": "How to write a scripted agent",
    "submit_policy": "Tutorial: pack a policy and validate it as a league would",
    "technical_manual": "Observations, actions, rules and files in detail",
    "train_policy": "Tutorial: train a network from rewards and from a teacher",
    "train_specialist": "Tutorial: train a miner, scout, aligner or scrambler for a team",
    "write_policy": "Tutorial: what a cog sees, and a first policy with eyes, memory and a plan",
}
"""name: one line about it"""

_FOLDER = Path(__file__).parent


def read_document(name: str) -> str:
    """Return the text of a document; raise `KeyError` for a name that is not in `DOCUMENTS`."""
    if name not in DOCUMENTS:
        raise KeyError(name)
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")
