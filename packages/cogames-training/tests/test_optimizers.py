"""Optimizers by name: they minimize, continue exactly, and schedule-free ones return the mean of their steps."""

import io

import pytest
import torch
from torch import nn

from cogames_training.args import SettingError, TrainArgs
from cogames_training.optimizers import ScheduleFree, make_optimizer

NAMES = ["adam", "adamw", "muon", "adamw_schedulefree", "sgd_schedulefree"]


def problem() -> nn.Module:
    torch.manual_seed(3)
    return nn.Linear(6, 4)


def loss_of(network: nn.Module) -> torch.Tensor:
    return ((network(torch.eye(6)) - torch.arange(24.0).reshape(6, 4) / 24) ** 2).mean()


def steps(network: nn.Module, optimizer: torch.optim.Optimizer, count: int) -> None:
    for _ in range(count):
        optimizer.zero_grad()
        loss_of(network).backward()
        optimizer.step()


@pytest.mark.parametrize("name", NAMES)
def test_it_minimizes_and_continues_exactly(name):
    args = TrainArgs(optimizer=name, learning_rate=0.5 if name == "sgd_schedulefree" else 0.03, warmup_steps=3)
    if name == "muon" and not hasattr(torch.optim, "Muon"):
        pytest.skip("this PyTorch has no Muon")
    network = problem()
    optimizer = make_optimizer(network, args)
    before = loss_of(network).item()
    steps(network, optimizer, 20)
    file = io.BytesIO()
    torch.save([network.state_dict(), optimizer.state_dict()], file)
    steps(network, optimizer, 20)
    assert loss_of(network).item() < before / 3

    other = problem()
    continued = make_optimizer(other, args)
    file.seek(0)
    weights, state = torch.load(file, weights_only=True)
    other.load_state_dict(weights)
    continued.load_state_dict(state)
    steps(other, continued, 20)
    for first, second in zip(network.parameters(), other.parameters(), strict=True):
        assert torch.equal(first, second)


@pytest.mark.parametrize(("name", "kind"), [("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW)])
def test_it_takes_the_steps_of_pytorch(name, kind):
    args = TrainArgs(optimizer=name, weight_decay=0.1)
    networks = [problem(), problem()]
    settings = {"betas": (args.beta1, args.beta2), "eps": args.eps, "weight_decay": 0.1, "fused": True}
    optimizers = [make_optimizer(networks[0], args), kind(networks[1].parameters(), args.learning_rate, **settings)]
    for network, optimizer in zip(networks, optimizers, strict=True):
        steps(network, optimizer, 5)
    for first, second in zip(*(network.parameters() for network in networks), strict=True):
        assert torch.equal(first, second)
    assert optimizers[0].state_dict()["param_groups"] == optimizers[1].state_dict()["param_groups"]


def test_the_schedule_free_mean_is_the_mean_of_the_plain_steps():
    network = problem()
    args = TrainArgs(optimizer="sgd_schedulefree", learning_rate=0.1, beta1=0.9)
    optimizer = make_optimizer(network, args)
    assert isinstance(optimizer, ScheduleFree)
    assert torch.equal(optimizer.mean_of(network.weight), network.weight)
    plain = []
    for _ in range(7):
        steps(network, optimizer, 1)
        plain.append(optimizer.state[network.weight]["z"].clone())
    torch.testing.assert_close(optimizer.mean_of(network.weight), torch.stack(plain).mean(0), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"beta1": 1.0}, "below 1"),
        ({"beta2": 1.0}, "below 1"),
        ({"optimizer": "sgd_schedulefree", "beta1": 0.0}, "above 0"),
    ],
)
def test_betas_that_cannot_work_are_refused(settings, words):
    with pytest.raises(SettingError, match=words):
        make_optimizer(problem(), TrainArgs(**settings))
