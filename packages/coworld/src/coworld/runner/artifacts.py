"""The files of an episode: their paths in the workspace, and how to write and read them.

config.json             the runner, 0600: it holds the tokens
results.json, replay, events.json, trajectory.jsonl, memory_output.json, player_failure.json      the game
replay.z                the replay, compressed by zlib
error_info.json         the runner, only when the episode failed
left_out.json           the runner, only when a file of the game was too large: its name and the reason
player_status.json, player_containers.json, isolation.json                   the runner
logs/game.{stdout,stderr}.log, logs/policy_agent_SLOT.log
logs/game.posted.log, logs/policy_agent_SLOT.posted.log     what a program posted to COGAME_LOG_URI, if anything
policy_artifact_SLOT.zip, policy_annotations_SLOT.jsonl
player_seats.json, players/SLOT/file     for games that host their players
"""

import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

CONTAINER_WORKDIR = "/coworld"
"""a game's own folder, as it sees it"""

_OURS = (
    "config.json",
    "results.json",
    "replay",
    "replay.z",
    "events.json",
    "trajectory.jsonl",
    "memory_output.json",
    "player_failure.json",
    "error_info.json",
    "left_out.json",
    "player_status.json",
    "player_containers.json",
    "player_seats.json",
    "isolation.json",
    "replay-isolation.json",
    "players/*/file",
    "policy_artifact_*.zip",
    "policy_annotations_*.jsonl",
    "logs/game.stdout.log",
    "logs/game.stderr.log",
    "logs/game.posted.log",
    "logs/policy_agent_*.log",
)


@dataclass(frozen=True)
class EpisodeArtifacts:
    """Paths of one episode's files. `create` prepares the folder, also when an earlier episode used it."""

    workspace: Path
    config_path: Path
    results_path: Path
    replay_path: Path
    events_path: Path
    trajectory_path: Path
    player_status_path: Path
    player_seats_path: Path
    player_failure_path: Path
    logs_dir: Path
    game_stdout_path: Path
    game_stderr_path: Path
    policy_log_messages: dict[str, str] = field(default_factory=dict)

    @classmethod
    def at(cls, workspace: Path) -> "EpisodeArtifacts":
        """Return the paths without touching the disk."""
        return cls(
            workspace=workspace,
            config_path=workspace / "config.json",
            results_path=workspace / "results.json",
            replay_path=workspace / "replay",
            events_path=workspace / "events.json",
            trajectory_path=workspace / "trajectory.jsonl",
            player_status_path=workspace / "player_status.json",
            player_seats_path=workspace / "player_seats.json",
            player_failure_path=workspace / "player_failure.json",
            logs_dir=workspace / "logs",
            game_stdout_path=workspace / "logs" / "game.stdout.log",
            game_stderr_path=workspace / "logs" / "game.stderr.log",
        )

    @classmethod
    def create(cls, workspace: Path | None = None, *, prefix: str = "coworld-cert-") -> "EpisodeArtifacts":
        """Create the folder and delete the files of an earlier episode in it; other files stay. Without a folder,
        create a temporary one whose name begins with `prefix`."""
        artifacts = cls.at(Path(workspace or tempfile.mkdtemp(prefix=prefix)).absolute())
        artifacts.logs_dir.mkdir(parents=True, exist_ok=True)
        for pattern in _OURS:
            for path in artifacts.workspace.glob(pattern):
                path.unlink()
        return artifacts

    @property
    def compressed_replay_path(self) -> Path:
        return self.workspace / "replay.z"

    @property
    def error_info_path(self) -> Path:
        return self.workspace / "error_info.json"

    @property
    def left_out_path(self) -> Path:
        return self.workspace / "left_out.json"

    @property
    def isolation_path(self) -> Path:
        return self.workspace / "isolation.json"

    def player_file_path(self, slot: int) -> Path:
        return self.workspace / "players" / str(slot) / "file"

    def player_file_uri(self, slot: int) -> str:
        """Return the URI of a hosted player's file, as the game sees it."""
        return f"file://{CONTAINER_WORKDIR}/players/{slot}/file"

    def policy_log_path(self, slot: int) -> Path:
        return self.logs_dir / f"policy_agent_{slot}.log"

    def posted_log_path(self, slot: int | None) -> Path:
        """Return the file of the lines that the player of a slot, or the game (None), posted."""
        return self.logs_dir / ("game.posted.log" if slot is None else f"policy_agent_{slot}.posted.log")

    def policy_artifact_path(self, slot: int) -> Path:
        return self.workspace / f"policy_artifact_{slot}.zip"

    def policy_annotations_path(self, slot: int) -> Path:
        return self.workspace / f"policy_annotations_{slot}.jsonl"


def write_file(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file that appears whole or not at all, in place of whatever had its name."""
    fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_document(path: Path, document: object, *, mode: int = 0o644) -> None:
    """Write JSON as people read it."""
    write_file(path, json.dumps(document, indent=2).encode() + b"\n", mode=mode)
