"""Weights in `.safetensors` files."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.weights_file import DTYPES, decode_weights, encode_weights, read_weights

TENSORS = st.dictionaries(
    st.text(min_size=1, max_size=8).filter(lambda name: name != "__metadata__"),
    st.sampled_from(list(DTYPES.values())).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    ),
    max_size=5,
)


def file_of(header: object, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


@given(TENSORS)
def test_tensors_survive_the_file(tensors: dict[str, np.ndarray]) -> None:
    decoded = decode_weights(encode_weights(tensors))
    assert decoded.keys() == tensors.keys()
    for name, array in tensors.items():
        assert decoded[name].dtype == array.dtype and decoded[name].shape == array.shape
        assert decoded[name].tobytes() == array.tobytes()


def test_a_file_of_another_program_is_read() -> None:
    header = {
        "__metadata__": {"format": "pt"},
        "b": {"dtype": "BF16", "shape": [2], "data_offsets": [8, 12]},
        "a": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]},
    }
    body = np.array([1.5, -2.0], "<f4").tobytes() + np.array([0x3FC0, 0xC000], "<u2").tobytes()
    decoded = decode_weights(file_of(header, body))
    assert decoded["a"].tolist() == [[1.5], [-2.0]]
    assert decoded["b"].tolist() == [1.5, -2.0] and decoded["b"].dtype == np.float32


def test_tensors_are_aligned_and_their_order_does_not_matter() -> None:
    one = {"small": np.zeros(3, np.uint8), "wide": np.zeros(2, np.float64), "half": np.zeros(3, np.float16)}
    content = encode_weights(one)
    assert content == encode_weights(dict(reversed(one.items())))
    length = int.from_bytes(content[:8], "little")
    assert length % 8 == 0
    for entry in json.loads(content[8 : 8 + length]).values():
        assert entry["data_offsets"][0] % {"F64": 8, "F16": 2, "U8": 1}[entry["dtype"]] == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 8,
        file_of([]),
        file_of({"a": 3}),
        file_of({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}),
        file_of({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 3]}}, b"1234"),
        file_of({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [4, 0]}}, b"1234"),
        file_of({"a": {"dtype": "F3", "shape": [1], "data_offsets": [0, 4]}}, b"1234"),
    ],
)
def test_damaged_files_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "w.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match=r"w\.safetensors is not a safetensors file"):
        read_weights(tmp_path / "w.safetensors")


@given(st.data())
def test_a_cut_file_is_refused(data: st.DataObject) -> None:
    content = encode_weights({"a": np.arange(5), "b": np.ones((2, 2))})
    with pytest.raises(ValueError):
        decode_weights(content[: data.draw(st.integers(0, len(content) - 1))])


def test_types_that_the_format_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match="x has type complex128"):
        encode_weights({"x": np.zeros(1, complex)})


def test_networks_load_their_weights_from_it(env_info: PolicyEnvInterface, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from mettagrid.policy.lstm import LSTMPolicy

    saved, loaded = LSTMPolicy(env_info), LSTMPolicy(env_info)
    weights = {name: tensor.numpy() for name, tensor in saved.network().state_dict().items()}
    (tmp_path / "w.safetensors").write_bytes(encode_weights(weights))
    loaded.load_policy_data(str(tmp_path / "w.safetensors"))
    for name, tensor in loaded.network().state_dict().items():
        assert torch.equal(tensor, saved.network().state_dict()[name])
