"""A cache of replies on disk, one file for each prompt."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from cogames_agents.language_model.settings import Settings
from cogames_agents.language_model.wire import SYSTEM

__all__ = ["ReplyCache"]


class ReplyCache:
    """Replies by model, settings and prompt. Files that cannot be read count as missing."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder = folder
        temperature = settings.temperature
        self._common = [settings.api, settings.model, settings.max_tokens, temperature, SYSTEM]

    def get(self, prompt: str) -> str | None:
        try:
            document = json.loads(self._path(prompt).read_bytes())
        except (OSError, ValueError):
            return None
        text = document.get("reply") if isinstance(document, dict) else None
        return text if isinstance(text, str) else None

    def put(self, prompt: str, reply: str) -> None:
        """Store a reply; readers see the whole file or none."""
        path = self._path(prompt)
        self._folder.mkdir(parents=True, exist_ok=True)
        document = {"model": self._common[1], "prompt": prompt, "reply": reply}
        with tempfile.NamedTemporaryFile("w", dir=self._folder, delete=False, suffix=".part", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
        os.replace(file.name, path)

    def _path(self, prompt: str) -> Path:
        key = json.dumps([*self._common, prompt]).encode()
        return self._folder / f"{hashlib.sha256(key).hexdigest()}.json"
