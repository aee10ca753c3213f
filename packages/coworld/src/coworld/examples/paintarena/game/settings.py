"""The settings that the runner passes to the game in environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


class SettingsError(ValueError):
    """A variable is missing or unusable; the message names it."""


@dataclass(frozen=True)
class Settings:
    host: str
    port: int
    config_uri: str | None = None
    results_uri: str | None = None
    results_method: str = "PUT"
    replay_uri: str | None = None
    replay_method: str = "PUT"
    events_uri: str | None = None
    trajectory_uri: str | None = None
    load_replay_uri: str | None = None
    """replay mode: the replay to show"""
    replay_server: bool = False
    """older replay mode: each client names the replay with `?uri=`"""
    admin_token: str | None = None
    """opens `/admin`; a game without this token has no `/admin`"""

    @property
    def replay_mode(self) -> bool:
        return self.replay_server or self.load_replay_uri is not None

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Settings:
        """Raises: SettingsError."""

        def text(name: str) -> str | None:
            return environment.get(name) or None

        port = environment.get("COGAME_PORT", "8080")
        if not port.isdecimal() or int(port) > 65535:
            raise SettingsError(f"COGAME_PORT must be a port from 0 to 65535, not {port!r}")
        settings = cls(
            host=environment.get("COGAME_HOST", "0.0.0.0"),
            port=int(port),
            config_uri=text("COGAME_CONFIG_URI"),
            results_uri=text("COGAME_RESULTS_URI"),
            results_method=environment.get("COGAME_RESULTS_METHOD", "PUT"),
            replay_uri=text("COGAME_SAVE_REPLAY_URI"),
            replay_method=environment.get("COGAME_SAVE_REPLAY_METHOD", "PUT"),
            events_uri=text("COGAME_EVENTS_URI"),
            trajectory_uri=text("COGAME_SAVE_TRAJECTORY_URI"),
            load_replay_uri=text("COGAME_LOAD_REPLAY_URI"),
            replay_server=environment.get("COGAME_REPLAY_SERVER", "0") not in ("", "0", "false"),
            admin_token=text("COGAME_ADMIN_TOKEN"),
        )
        if not settings.replay_mode:
            for name, value in (
                ("COGAME_CONFIG_URI", settings.config_uri),
                ("COGAME_RESULTS_URI", settings.results_uri),
                ("COGAME_SAVE_REPLAY_URI", settings.replay_uri),
            ):
                if value is None:
                    raise SettingsError(f"{name} is not set: the game needs it to play (or COGAME_LOAD_REPLAY_URI)")
        return settings
