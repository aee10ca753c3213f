"""The weights of the `sparse` network as NumPy arrays: their sizes, their start values, and their files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mettagrid.policy.sparse_tokens import UNKNOWN, Vocabulary, num_places
from mettagrid.policy.weights_file import encode_weights, read_weights

__all__ = ["Sizes", "checked_weights", "initial_weights", "load_weights_file", "save_weights_file"]

Weights = dict[str, np.ndarray]

_USUAL_TOKENS = 46  # used tokens in an observation of the arena; their sum starts with a variance near one


@dataclass(frozen=True)
class Sizes:
    """The sizes of a `sparse` network. A head with 0 outputs does not exist."""

    vocabulary: Vocabulary
    embedding_size: int
    hidden_size: int
    actions: int
    vibes: int = 0
    phrases: int = 0
    auxiliary: bool = False
    memory: bool = False

    @property
    def heads(self) -> dict[str, int]:
        """The outputs of each head, in the order of the state dict."""
        outputs = {"action": self.actions, "value": 1, "vibe": self.vibes, "talk": self.phrases}
        outputs["h_value"] = int(self.auxiliary)
        return {name: count for name, count in outputs.items() if count}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each weight by its key in the state dict. Row k of `kinds` belongs to kind k + 1."""
        width, hidden = self.embedding_size, self.hidden_size
        shapes: dict[str, tuple[int, ...]] = {
            "places": (num_places(self.memory), width),
            "kinds": (self.vocabulary.num_kinds - UNKNOWN - 1, width),
            "magnitudes": (max(1, len(self.vocabulary.magnitudes)), width),
            "bias": (width,),
            "encoder.weight": (hidden, width),
            "encoder.bias": (hidden,),
            "lstm.weight_ih_l0": (4 * hidden, hidden),
            "lstm.weight_hh_l0": (4 * hidden, hidden),
            "lstm.bias_ih_l0": (4 * hidden,),
            "lstm.bias_hh_l0": (4 * hidden,),
        }
        for name, outputs in self.heads.items():
            shapes[f"{name}.weight"] = (outputs, hidden)
            shapes[f"{name}.bias"] = (outputs,)
        return shapes


def initial_weights(sizes: Sizes, generator: np.random.Generator) -> Weights:
    """Return the weights of an untrained network, float32."""
    gains = {"encoder": 2.0**0.5, "lstm": 1.0, "value": 1.0}
    weights: Weights = {}
    for name, shape in sizes.shapes().items():
        if name == "places":
            # Around one: what a token says is partly the same wherever it is.
            weights[name] = 1.0 + generator.standard_normal(shape)
        elif name == "kinds":
            weights[name] = generator.standard_normal(shape) * (2 * _USUAL_TOKENS) ** -0.5
        elif name == "magnitudes":
            weights[name] = generator.standard_normal(shape) * 0.5
        elif len(shape) == 1:
            weights[name] = np.zeros(shape)
        else:
            weights[name] = _orthogonal(shape, generator) * gains.get(name.partition(".")[0], 0.01)
    hidden = sizes.hidden_size
    weights["lstm.bias_ih_l0"][hidden : 2 * hidden] = 1.0  # the forget gates start open
    return {name: array.astype(np.float32) for name, array in weights.items()}


def _orthogonal(shape: tuple[int, ...], generator: np.random.Generator) -> np.ndarray:
    """Return a matrix with orthonormal rows or columns: Gram-Schmidt, twice for exactness.

    `numpy.linalg.qr` has the same result, but on a busy machine its threads spend a hundred times as long on waiting.
    """
    rows, columns = shape
    vectors = generator.standard_normal((max(shape), min(shape))).T.copy()
    for number, vector in enumerate(vectors):
        before = vectors[:number]
        for _ in range(2):
            vector -= np.einsum("ij,i->j", before, np.einsum("ij,j->i", before, vector))
        vector /= np.sqrt(np.einsum("i,i->", vector, vector))
    return vectors.T if rows >= columns else vectors


def checked_weights(weights: Mapping[str, np.ndarray], sizes: Sizes, source: str) -> Weights:
    """Return the weights as float32; raise `ValueError` if their names or shapes are not those of the network."""
    shapes = sizes.shapes()
    if wrong := sorted(shapes.keys() ^ weights.keys()):
        side = "lacks" if wrong[0] in shapes else "has the unknown"
        raise ValueError(f"{source} {side} weight {wrong[0]!r}; load it with the `init_kwargs` it was saved with")
    for name, shape in shapes.items():
        if weights[name].shape != shape:
            raise ValueError(
                f"{name!r} in {source} has shape {weights[name].shape}, and this network needs {shape}; "
                "load it with the `init_kwargs` it was saved with, in a game with the same actions"
            )
    return {name: np.ascontiguousarray(weights[name], np.float32) for name in shapes}


def load_weights_file(path: str) -> dict[str, np.ndarray]:
    """Read a `.safetensors` file with NumPy, or a state dict of PyTorch, which then must be installed."""
    if path.endswith(".safetensors"):
        return read_weights(path)
    from mettagrid.policy.sparse_network import read_state_dict

    return read_state_dict(path)


def save_weights_file(weights: Mapping[str, np.ndarray], path: str) -> None:
    """Write the weights as `.safetensors` if the path ends so, else as a state dict of PyTorch."""
    if path.endswith(".safetensors"):
        Path(path).write_bytes(encode_weights(weights))
        return
    from mettagrid.policy.sparse_network import write_state_dict

    write_state_dict(weights, path)
