"""Save and load checkpoints, so that a crash at any moment leaves an intact one.

A save writes the weights, then the description, then the trainer state, which names the weights and their SHA-256. The
trainer state before it stays as `trainer_state.previous.pt`.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cogames_training.runs.atomic import link_or_copy, write_file
from cogames_training.runs.layout import RunPaths
from cogames_training.runs.state_file import StateDamaged, encode_state, read_state
from mettagrid.policy.weights_file import decode_weights, encode_weights

if TYPE_CHECKING:
    import torch

__all__ = ["Checkpoint", "latest_epoch", "load_checkpoint", "save_checkpoint"]

SPEC = "policy_spec.json"


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint from disk. `weights` are on the CPU; `warnings` are sentences about damaged files."""

    epoch: int
    weights: dict[str, torch.Tensor]
    state: dict[str, Any]
    path: Path
    """file of the weights"""
    state_path: Path
    """file of the trainer state"""
    warnings: list[str] = field(default_factory=list)


def save_checkpoint(
    paths: RunPaths,
    epoch: int,
    weights: Mapping[str, torch.Tensor],
    spec: Mapping[str, Any],
    state: Mapping[str, Any],
) -> Path:
    """Write a checkpoint and return the bundle that `-p` accepts. Raises `OSError`."""
    content = _encode(paths, weights)
    file = paths.weights(epoch)
    document = json.dumps({**spec, "data_path": file.name}, indent=2) + "\n"
    names = {
        "run_id": paths.name,
        "epoch": epoch,
        "model_name": file.relative_to(paths.checkpoints).as_posix(),
        "model_sha256": hashlib.sha256(content).hexdigest(),
    }
    encoded_state = encode_state({**state, **names})
    newest = _newest(paths, [])
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_bytes() != content:
        if newest is not None and newest.path == file:
            link_or_copy(file, paths.replaced_weights)
        write_file(file, content)
    version = paths.version(epoch)
    if version != file.parent:
        version.mkdir(parents=True, exist_ok=True)
        link_or_copy(file, version / file.name)
        write_file(version / SPEC, document.encode())
    write_file(file.parent / SPEC, document.encode())
    if paths.newest_weights is not None:
        link_or_copy(file, paths.newest_weights)
    if newest is not None and newest.state_path == paths.state:
        link_or_copy(paths.state, paths.previous_state)
    write_file(paths.state, encoded_state)
    return file.parent


def load_checkpoint(paths: RunPaths) -> Checkpoint | None:
    """Return the newest intact checkpoint; None if there is none.

    Raises `StateDamaged` if there are trainer states and none of them is intact.
    """
    warnings: list[str] = []
    checkpoint = _newest(paths, warnings)
    if checkpoint is None and warnings:
        raise StateDamaged("; ".join(warnings))
    return checkpoint


def latest_epoch(paths: RunPaths) -> int | None:
    """Return the epoch of the newest weights; None if there are none."""
    found = paths.all_weights()
    return found[-1][0] if found else None


def _newest(paths: RunPaths, warnings: list[str]) -> Checkpoint | None:
    for path in (paths.state, paths.previous_state):
        checkpoint = _load(paths, path, warnings)
        if checkpoint is not None:
            return checkpoint
    return None


def _load(paths: RunPaths, path: Path, warnings: list[str]) -> Checkpoint | None:
    """Return the checkpoint of a trainer state; None and a warning if it or its weights are damaged."""
    try:
        state = read_state(path)
    except FileNotFoundError:
        return None
    except (StateDamaged, OSError) as error:
        warnings.append(f"{path} is damaged: {error}")
        return None
    name, digest = state.get("model_name"), state.get("model_sha256")
    if not isinstance(name, str) or Path(name).is_absolute() or ".." in Path(name).parts:
        warnings.append(f"{path} does not name its weights")
        return None
    reason = "is missing"
    for file in (paths.checkpoints / name, paths.replaced_weights):
        try:
            content = file.read_bytes()
        except OSError:
            continue
        if digest is not None and hashlib.sha256(content).hexdigest() != digest:
            reason = "does not match its checksum"
            continue
        try:
            weights = _decode(content)
        except Exception as error:  # weights without checksum; torch.load raises many types for damaged files
            reason = f"cannot be read: {str(error).splitlines()[0] if str(error) else error!r}"
            continue
        return Checkpoint(int(state.get("epoch", state.get("update", 0))), weights, state, file, path, warnings)
    warnings.append(f"{paths.checkpoints / name}, which {path.name} needs, {reason}")
    return None


def _encode(paths: RunPaths, weights: Mapping[str, torch.Tensor]) -> bytes:
    import torch

    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    if paths.layout == "recipe":
        half = {name for name, tensor in tensors.items() if tensor.dtype == torch.bfloat16}
        return encode_weights({name: (t.float() if name in half else t).numpy() for name, t in tensors.items()})
    buffer = io.BytesIO()
    torch.save(tensors, buffer)
    return buffer.getvalue()


def _decode(content: bytes) -> dict[str, torch.Tensor]:
    import torch

    if content[:2] != b"PK":
        return {name: torch.from_numpy(array) for name, array in decode_weights(content).items()}
    return dict(torch.load(io.BytesIO(content), map_location="cpu", weights_only=True))
