"""Cut observations and resets inside segments, for the networks with published weights."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from mettagrid.policy.loader import initialize_or_load_policy  # noqa: E402
from mettagrid.policy.policy_env_interface import PolicyEnvInterface  # noqa: E402
from mettagrid.policy.policy_spec import PolicySpec  # noqa: E402

from .test_sparse_network import naive, observations  # noqa: E402
from .test_sparse_tokens import FIRST  # noqa: E402

PADDINGS = {"lstm": (255, 0, 0), "stateless": (255, 255, 255), "token": (255, 255, 255)}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def network(name: str, interface: PolicyEnvInterface = FIRST) -> Any:
    return initialize_or_load_policy(interface, PolicySpec(class_path=name)).network().eval()


@pytest.mark.parametrize("name", PADDINGS)
def test_a_cut_observation_is_one_with_the_padding_of_playing(name: str) -> None:
    net = network(name)
    assert net.reads_prefix
    cut = observations(5, tokens=12)
    whole = torch.nn.functional.pad(cut, (0, 0, 0, 8), value=255)
    whole[whole[..., 0] == 255] = torch.tensor(PADDINGS[name], dtype=torch.uint8)
    for got, right in zip(net(cut, {}), net(whole, {}), strict=True):
        torch.testing.assert_close(got, right, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", ["lstm", "stateless"])
def test_the_gradients_of_a_cut_observation_are_those_of_the_whole_one(name: str) -> None:
    net, cut = network(name), observations(5, tokens=12)
    whole = torch.nn.functional.pad(cut, (0, 0, 0, 8), value=255)
    whole[whole[..., 0] == 255] = torch.tensor(PADDINGS[name], dtype=torch.uint8)
    gradients = []
    for rows in (cut, whole):
        net.zero_grad()
        logits, values = net(rows, {})
        (logits.square().sum() + values.sum()).backward()
        gradients.append([parameter.grad.clone() for parameter in net.parameters() if parameter.grad is not None])
    for got, right in zip(*gradients, strict=True):
        torch.testing.assert_close(got, right, atol=1e-4, rtol=1e-4)


def test_lstm_forgets_where_an_episode_begins() -> None:
    net, rows = network("lstm"), observations(6, 5, tokens=20)
    resets = torch.rand(6, 5, generator=torch.Generator().manual_seed(1)) < 0.3
    memory = {name: torch.randn(6, 1, 128) for name in ("lstm_h", "lstm_c")}
    state: dict[str, Any] = {**memory, "resets": resets}
    logits, _ = net(rows, state)
    expected = dict(memory)
    torch.testing.assert_close(logits, naive(net, rows, expected, resets), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(state["lstm_c"], expected["lstm_c"], atol=1e-5, rtol=1e-5)


def test_lstm_runs_in_bfloat16() -> None:
    net, rows = network("lstm"), observations(3, 4)
    exact, _ = net(rows, {})
    with torch.autocast("cpu", torch.bfloat16):
        rounded, _ = net(rows, {"lstm_h": None, "lstm_c": None})
    torch.testing.assert_close(rounded.float(), exact, atol=0.1, rtol=0.1)


def test_token_loads_from_the_description_of_a_game_alone() -> None:
    policy = initialize_or_load_policy(FIRST, PolicySpec(class_path="token"))
    logits, values = policy.network()(observations(3))
    assert logits.shape == (3, len(FIRST.all_action_names)) and values.shape == (3, 1)
    with pytest.raises(TypeError, match="needs the description of the game"):
        type(policy)(FIRST.obs_features)  # type: ignore[arg-type]


def test_the_comparison_of_gpu_kernels_runs_where_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    script = Path(__file__).parents[4] / "scripts" / "gpu_network.py"
    with pytest.raises(SystemExit, match="GPU"):
        runpy.run_path(str(script), run_name="__main__")
