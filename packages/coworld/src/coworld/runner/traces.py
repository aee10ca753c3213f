"""Copy the output of programs to the workspace: plain files only, of limited size, without tokens."""

import zlib
from pathlib import Path
from typing import Literal

from coworld.engines.base import Running
from coworld.runner.artifacts import EpisodeArtifacts, write_document, write_file
from coworld.runner.gate import SeatGate
from coworld.runner.launch import artifact_name
from coworld.runner.redaction import Redactor
from coworld.runner.results import LARGEST_RESULTS

LARGEST_REPLAY = 1 << 30
LARGEST_FAILURE = 1 << 20
LARGEST_ARTIFACT = 200 << 20
LARGEST_LOG = 10 << 20


def collect_game_files(artifacts: EpisodeArtifacts, running: Running, clean: Redactor) -> dict[str, str]:
    """Copy a game's files, and add a compressed copy of the replay; raises OSError.

    Returns the files that were not kept, each with the reason, which `left_out.json` says too.
    """
    left_out: dict[str, str] = {}
    files = {
        "results.json": (artifacts.results_path, LARGEST_RESULTS),
        "replay": (artifacts.replay_path, LARGEST_REPLAY),
        "events.json": (artifacts.events_path, LARGEST_REPLAY),
        "trajectory.jsonl": (artifacts.trajectory_path, LARGEST_REPLAY),
        "memory_output.json": (artifacts.workspace / "memory_output.json", LARGEST_FAILURE),
        "player_failure.json": (artifacts.player_failure_path, LARGEST_FAILURE),
    }
    for name, (target, max_bytes) in files.items():
        if running.collect(name, target, max_bytes):
            without_tokens(target, clean)
        elif running.has(name):
            left_out[name] = f"is larger than the {max_bytes} bytes that are kept"
    if artifacts.replay_path.exists():
        compress(artifacts.replay_path, artifacts.compressed_replay_path)
    if left_out:
        write_document(artifacts.left_out_path, left_out)
    return left_out


def keep_player_files(artifacts: EpisodeArtifacts, running: Running, slot: int, clean: Redactor) -> None:
    """Save a player's log and its artifact."""
    write_log(artifacts.policy_log_path(slot), clean.plain(running.log("stdout")))
    running.collect(artifact_name(slot), artifacts.policy_artifact_path(slot), LARGEST_ARTIFACT)


def keep_game_logs(artifacts: EpisodeArtifacts, running: Running, clean: Redactor) -> None:
    """Append the game's logs, since a game in replay mode writes to the same files."""
    streams: tuple[Literal["stdout", "stderr"], ...] = ("stdout", "stderr")
    for stream in streams:
        path = artifacts.logs_dir / f"game.{stream}.log"
        before = path.read_bytes() if path.exists() else b""
        write_log(path, before + clean.plain(running.log(stream)))


def keep_posted_log(path: Path, gate: SeatGate | None, clean: Redactor) -> None:
    """Write what a program posted to `COGAME_LOG_URI`, if anything."""
    if gate is not None and (data := gate.log.data()):
        write_log(path, clean.plain(data))


def write_log(path: Path, data: bytes) -> None:
    """Write the last 10 MiB of a log."""
    if len(data) > LARGEST_LOG:
        data = f"[the first {len(data) - LARGEST_LOG} bytes are left out]\n".encode() + data[-LARGEST_LOG:]
    write_file(path, data)


def compress(path: Path, target: Path) -> None:
    packer = zlib.compressobj()
    with open(path, "rb") as source, open(target, "wb") as packed:
        while block := source.read(1 << 20):
            packed.write(packer.compress(block))
        packed.write(packer.flush())


def without_tokens(path: Path, clean: Redactor) -> None:
    data = path.read_bytes()
    if (safe := clean.packed(data)) != data:
        write_file(path, safe)
