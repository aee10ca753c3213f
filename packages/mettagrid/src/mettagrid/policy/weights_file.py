"""Read and write `.safetensors` files with NumPy alone: a length, a JSON header, and the numbers of all tensors."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["decode_weights", "encode_weights", "read_weights"]

METADATA = "__metadata__"
MAX_HEADER_BYTES = 100_000_000
DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"),
    "U16": np.dtype("<u2"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}


def read_weights(path: str | Path) -> dict[str, np.ndarray]:
    """Return the tensors of a `.safetensors` file; raise `ValueError` if it is damaged."""
    try:
        return decode_weights(Path(path).read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} is not a safetensors file: {error}") from error


def decode_weights(data: bytes) -> dict[str, np.ndarray]:
    """Return the tensors in the content of a file. Those of type bfloat16 become float32."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(len(data) - 8, MAX_HEADER_BYTES):
        raise ValueError("it ends inside its header")
    header = json.loads(data[8 : 8 + length])
    if not isinstance(header, dict):
        raise ValueError("its header is not an object")
    body = memoryview(data)[8 + length :]
    return {name: _tensor(name, entry, body) for name, entry in header.items() if name != METADATA}


def encode_weights(tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """Return the content of a file. Equal tensors give equal bytes. Raise `ValueError` for a type that it cannot hold.

    Tensors are stored from the widest type to the narrowest, then by name, so that all of them are aligned.
    """
    arrays = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    header: dict[str, Any] = {METADATA: dict(sorted(metadata.items()))} if metadata else {}
    parts, offset = [], 0
    for name in sorted(arrays, key=lambda name: (-arrays[name].itemsize, name)):
        array = arrays[name]
        dtype = array.dtype.newbyteorder("<")
        if dtype not in _NAMES:
            raise ValueError(f"{name} has type {array.dtype}; a safetensors file holds {', '.join(_NAMES.values())}")
        parts.append(array.astype(dtype, copy=False).tobytes())
        end = offset + len(parts[-1])
        header[name] = {"dtype": _NAMES[dtype], "shape": list(array.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def _tensor(name: str, entry: Any, body: memoryview) -> np.ndarray:
    try:
        kind, shape, (start, end) = entry["dtype"], [int(size) for size in entry["shape"]], entry["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise ValueError(f"the entry of {name!r} is malformed") from None
    dtype = np.dtype("<u2") if kind == "BF16" else DTYPES.get(kind)
    if dtype is None:
        raise ValueError(f"{name!r} has the unknown type {kind!r}")
    if min(shape, default=0) < 0 or not 0 <= start <= end <= len(body):
        raise ValueError(f"{name!r} lies outside the file")
    if end - start != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{name!r} has {end - start} bytes, which do not fit its shape {shape}")
    array = np.frombuffer(body[start:end], dtype)
    if kind == "BF16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.reshape(shape).copy()
