"""Networks under their published paths; the numbers were recorded from the published package."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from mettagrid.config.mettagrid_config import MettaGridConfig  # noqa: E402
from mettagrid.policy.policy_env_interface import PolicyEnvInterface  # noqa: E402
from mettagrid.policy.pufferlib import PufferlibStatefulImpl  # noqa: E402
from mettagrid.policy.token_encoder import TokenAgentPolicyImpl, TokenPolicy, TokenPolicyNet, coordinates  # noqa: E402
from mettagrid.simulator.simulator import Simulator  # noqa: E402


@pytest.fixture
def config() -> MettaGridConfig:
    return MettaGridConfig.EmptyRoom(num_agents=2)


def token_policy(config: MettaGridConfig) -> TokenPolicy:
    info = PolicyEnvInterface.from_mg_cfg(config)
    return TokenPolicy(config.game.id_map().features(), config.game.actions, "cpu", info)


def test_locations_are_columns_and_rows() -> None:
    tokens = torch.tensor([[[0x23, 1, 2], [0xFE, 1, 2], [255, 255, 255]]], dtype=torch.uint8)
    columns, rows = coordinates(tokens)
    assert (columns.tolist(), rows.tolist()) == ([[3, 14, 15]], [[2, 15, 15]])
    assert coordinates(tokens, torch.float32)[0].dtype == torch.float32


def test_a_new_network_has_the_published_weights_and_logits(config: MettaGridConfig) -> None:
    torch.manual_seed(1)
    network = token_policy(config).network().eval()
    observation = torch.full((1, 5, 3), 255, dtype=torch.uint8)
    observation[0, 0] = torch.tensor([3, 1, 9])
    with torch.no_grad():
        logits, _ = network.forward_eval(observation)
    assert logits.shape == (1, len(config.game.actions.actions()))
    assert logits[0, :4].tolist() == pytest.approx([-2.7235, -0.4575, 0.2120, 0.2470], abs=1e-4)


def test_only_used_tokens_count_and_their_order_does_not(config: MettaGridConfig) -> None:
    network = TokenPolicyNet(config.game.id_map().features(), config.game.actions).eval()
    tokens = torch.tensor([[[0x23, 1, 9], [0x44, 3, 7], [255, 255, 255]]], dtype=torch.uint8)
    with torch.no_grad():
        logits, value = network(tokens)
        for other in (tokens[:, [1, 2, 0]], tokens[:, :2], tokens.float(), tokens[:, None]):
            assert torch.allclose(network(other)[0], logits, atol=1e-6)
        empty, _ = network(torch.full_like(tokens, 255))
    assert value.shape == (1, 1) and not torch.allclose(empty, logits)


def test_saved_weights_give_the_same_actions(config: MettaGridConfig, tmp_path) -> None:
    policies = [token_policy(config), token_policy(config)]
    policies[0].save_policy_data(str(tmp_path / "weights.pt"))
    policies[1].load_policy_data(str(tmp_path / "weights.pt"))
    assert not policies[0].is_recurrent()
    observation = Simulator().new_simulation(config, seed=1).observations()[0]
    chosen = []
    for policy in policies:
        torch.manual_seed(3)
        chosen.append([policy.agent_policy(0).step(observation).name for _ in range(5)])
    assert chosen[0] == chosen[1]
    assert set(chosen[0]) <= {action.name for action in config.game.actions.actions()}


def test_raw_tokens_give_the_number_of_an_action(config: MettaGridConfig) -> None:
    policy = token_policy(config)
    agent = TokenAgentPolicyImpl(policy.network(), torch.device("cpu"), 157)
    number = agent.step(np.array([[0x23, 1, 9]], np.uint8))
    assert number.dtype == np.int32 and 0 <= number < len(config.game.actions.actions())
    with pytest.raises(ValueError, match="action_names"):
        agent.step(Simulator().new_simulation(config, seed=1).observations()[0])


class Network(torch.nn.Module):
    """Always moves south and counts its steps in the state."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[torch.Tensor] = []

    def forward_eval(self, observations, state=None):
        self.seen.append(observations)
        if state is not None:
            state["lstm_h"] = torch.ones(1, 1) if state["lstm_h"] is None else state["lstm_h"] + 1
        logits = torch.full((1, 5), -1e9)
        logits[0, 2] = 0.0
        return logits, torch.zeros(1, 1)


@pytest.mark.parametrize("is_recurrent", [True, False])
def test_networks_in_the_style_of_pufferlib_see_numbers_from_0_to_1(config: MettaGridConfig, is_recurrent) -> None:
    info = PolicyEnvInterface.from_mg_cfg(config)
    network = Network()
    policy = PufferlibStatefulImpl(network, info, torch.device("cpu"), is_recurrent=is_recurrent)
    state = policy.initial_agent_state()
    observation = Simulator().new_simulation(config, seed=1).observations()[0]
    for _ in range(2):
        action, state = policy.step_with_state(observation, state)
    assert action.name == "move_south"
    seen = network.seen[0]
    assert seen.shape == (1, *info.observation_shape) and seen.dtype == torch.float32
    assert seen[0, 0].tolist() == pytest.approx([number / 255 for number in observation.tokens[0].raw_token])
    assert seen[0, -1].tolist() == [1.0, 1.0, 1.0]
    assert state == ({"lstm_h": torch.full((1, 1), 2.0), "lstm_c": None} if is_recurrent else {})
