"""The errors of episodes.

EpisodeError
    PolicyLoadError      a policy could not be loaded, and the plan treats this as an error, not a verdict
    EpisodeWorkerError   the process that played an episode ended twice, and no policy is at fault
    MachineFault         this machine failed, and no policy is at fault: retry the episode, here or elsewhere
PolicyFailure            inside an episode: a policy is disabled; the runner turns it into the policy's verdict
"""

import os
import sys
from collections.abc import Container

from mettagrid.runner.episode.outcome import MAX_MESSAGE_BYTES, VerdictStatus

__all__ = [
    "EpisodeError",
    "EpisodeWorkerError",
    "MachineFault",
    "PolicyFailure",
    "PolicyLoadError",
    "describe",
    "not_an_action",
]


class EpisodeError(Exception):
    """An episode could not be played."""


class PolicyLoadError(EpisodeError):
    """A policy could not be loaded. `error_type` is the name of the exception's class, `last_words` its traceback and
    `__cause__` the exception, which cannot be sent between processes."""

    def __init__(self, policy_index: int, policy_name: str, error_type: str, reason: str, last_words: str = "") -> None:
        super().__init__(policy_index, policy_name, error_type, reason, last_words)
        self.policy_index = policy_index
        self.policy_name = policy_name
        self.error_type = error_type
        self.reason = reason
        self.last_words = last_words

    def __str__(self) -> str:
        return f"The policy {self.policy_name} could not be loaded: {self.error_type}: {self.reason}"


class EpisodeWorkerError(EpisodeError):
    """Two processes that played the same episode ended."""


class MachineFault(EpisodeError):
    """This machine failed while an episode was played: its disk is full, its sandbox does not work."""


class PolicyFailure(Exception):
    """A policy cannot continue; `details` is for its own log and not for the verdict."""

    def __init__(self, status: VerdictStatus, message: str, details: str = "") -> None:
        super().__init__(message)
        self.status: VerdictStatus = status
        self.message = message
        self.details = details


def describe(error: BaseException) -> str:
    """Return an exception as one line, short enough for the close reason of a WebSocket."""
    text = " ".join(without_folders(f"{type(error).__name__}: {error}").split())
    if len(text.encode(errors="replace")) <= MAX_MESSAGE_BYTES:
        return text
    return text.encode(errors="replace")[: MAX_MESSAGE_BYTES - 3].decode(errors="ignore") + "..."


def without_folders(text: str) -> str:
    """Return the text with file names relative to the folders of the import path."""
    for entry in sorted({*sys.path, os.getcwd()}, key=len, reverse=True):
        if len(entry) > 1:
            text = text.replace(entry.rstrip(os.sep) + os.sep, "")
    return text


def not_an_action(action: object, known: Container[str]) -> str:
    """Return why a policy's answer is invalid."""
    name, vibe = getattr(action, "name", None), getattr(action, "vibe", None)
    if not isinstance(name, str):
        return f"answered with a {type(action).__name__}, which is not an Action"
    wrong = name if name not in known else vibe
    return f"chose {str(wrong)[:40]!r}, which is not an action of this game"
