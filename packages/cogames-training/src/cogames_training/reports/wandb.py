"""Log to Weights & Biases where the user has set it up.

It logs when `WANDB_API_KEY` is set, when `wandb login` has left an entry in the netrc file, and when `WANDB_MODE` is
`offline`; never otherwise. A failure prints one warning and ends the logging, not the run.
"""

from __future__ import annotations

import importlib
import netrc
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from softmax.cli.output import warn

__all__ = ["WandbLogger", "wandb_mode"]

DEFAULT_HOST = "https://api.wandb.ai"
DEFAULT_PROJECT = "cogames"


def wandb_mode() -> Literal["online", "offline"] | None:
    """Return how to log; None: not at all."""
    mode = os.environ.get("WANDB_MODE", "").strip().lower()
    if mode == "disabled" or os.environ.get("WANDB_DISABLED", "").lower() in ("true", "1"):
        return None
    if mode in ("offline", "dryrun"):
        return "offline"
    return "online" if os.environ.get("WANDB_API_KEY") or _is_signed_in() else None


class WandbLogger:
    """Logs one run. `start` returns None where the user has not set it up or it does not work."""

    def __init__(self, run: Any, tell: Callable[[str], None]) -> None:
        self._run: Any | None = run
        self._tell = tell

    @classmethod
    def start(
        cls, *, name: str, folder: Path, config: Mapping[str, Any], tell: Callable[[str], None] = warn
    ) -> WandbLogger | None:
        """Start or continue the run `name`; `tell` shows warnings. `WANDB_PROJECT` overrides the project."""
        mode = wandb_mode()
        if mode is None:
            return None
        try:
            wandb = importlib.import_module("wandb")
        except ImportError:
            tell("Weights & Biases is set up but not installed: pip install wandb")
            return None
        try:
            run = wandb.init(
                project=os.environ.get("WANDB_PROJECT") or DEFAULT_PROJECT,
                id=name,
                name=name,
                dir=str(folder),
                config=dict(config),
                mode=mode,
                resume="allow",
            )
        except Exception as error:
            tell(f"Weights & Biases does not work and is left out: {_first_line(error)}")
            return None
        return cls(run, tell)

    @property
    def url(self) -> str | None:
        """Address of the run's page; None when offline."""
        url = getattr(self._run, "url", None)
        return str(url) if url else None

    def log(self, values: Mapping[str, float | str], *, step: int) -> None:
        """Log the values at a step."""
        self._call(lambda run: run.log(dict(values), step=step))

    def finish(self, exit_code: int = 0) -> None:
        """End the run; a code other than 0 marks it as failed."""
        self._call(lambda run: run.finish(exit_code=exit_code))
        self._run = None

    def _call(self, action: Callable[[Any], object]) -> None:
        if self._run is None:
            return
        try:
            action(self._run)
        except Exception as error:
            self._run = None
            self._tell(f"Weights & Biases failed and is left out from now on: {_first_line(error)}")


def _is_signed_in() -> bool:
    host = urlsplit(os.environ.get("WANDB_BASE_URL") or DEFAULT_HOST).hostname
    file = os.path.expanduser(os.environ.get("NETRC") or "~/.netrc")
    try:
        return host in netrc.netrc(file).hosts  # an entry for all hosts is not a sign of consent
    except (OSError, netrc.NetrcParseError):
        return False


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
