"""What goes wrong around episodes.

EpisodeError
    PolicyLoadError      a policy could not be made, and the plan says that this is no verdict but a mistake
    EpisodeWorkerError   the process that played an episode ended twice, and no policy is to blame
    MachineFault         this machine failed, and no policy is to blame: play the episode again, or elsewhere
PolicyFailure            inside an episode: a policy is out; the runner turns it into the policy's verdict
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
    """A policy could not be made. `error_type` is the name of the exception's class, `last_words` its traceback and
    `__cause__` the exception, which another process cannot send."""

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
    """The process that played an episode ended, and another one too."""


class MachineFault(EpisodeError):
    """This machine failed while an episode was played: its disk is full, its sandbox does not work."""


class PolicyFailure(Exception):
    """A policy cannot go on; `details` is for its own log and not for the verdict."""

    def __init__(self, status: VerdictStatus, message: str, details: str = "") -> None:
        super().__init__(message)
        self.status: VerdictStatus = status
        self.message = message
        self.details = details


def describe(error: BaseException) -> str:
    """An exception in one line, short enough to cross the wire of a policy server as the reason of its end."""
    text = " ".join(without_folders(f"{type(error).__name__}: {error}").split())
    if len(text.encode(errors="replace")) <= MAX_MESSAGE_BYTES:
        return text
    return text.encode(errors="replace")[: MAX_MESSAGE_BYTES - 3].decode(errors="ignore") + "..."


def without_folders(text: str) -> str:
    """The text with file names that begin at a folder of the import path, without that folder."""
    for entry in sorted({*sys.path, os.getcwd()}, key=len, reverse=True):
        if len(entry) > 1:
            text = text.replace(entry.rstrip(os.sep) + os.sep, "")
    return text


def not_an_action(action: object, known: Container[str]) -> str:
    """Why an answer cannot be used."""
    name, vibe = getattr(action, "name", None), getattr(action, "vibe", None)
    if not isinstance(name, str):
        return f"answered with a {type(action).__name__}, which is no Action"
    wrong = name if name not in known else vibe
    return f"chose {str(wrong)[:40]!r}, which is no action of this game"
