"""The list of our short names agrees with the classes, so that nothing has to be imported to know them."""

import importlib
import pkgutil
from importlib.util import find_spec

import pytest

import cogames.policy
import mettagrid.policy
from mettagrid.policy.built_in_names import NEEDS_TORCH, built_in_policies
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.util.module import load_symbol

HAS_TORCH = find_spec("torch") is not None


@pytest.mark.parametrize(("name", "class_path"), sorted(built_in_policies().items()))
def test_a_listed_name_is_that_of_a_class(name: str, class_path: str) -> None:
    policy_class = load_symbol(class_path)
    assert issubclass(policy_class, MultiAgentPolicy) and name in policy_class.short_names


def test_every_name_of_a_class_is_listed() -> None:
    listed = built_in_policies() | NEEDS_TORCH
    for package in (mettagrid.policy, cogames.policy):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            try:
                importlib.import_module(module.name)
            except ImportError:
                # GPU kernels need Triton as well, which PyTorch for CPUs does not bring.
                assert not HAS_TORCH or module.name.endswith("_triton"), f"{module.name} cannot be imported"
    classes = list(MultiAgentPolicy.__subclasses__())
    while classes:
        policy_class = classes.pop()
        classes += policy_class.__subclasses__()
        if policy_class.__module__.split(".")[0] in ("mettagrid", "cogames"):
            for name in vars(policy_class).get("short_names") or ():
                assert listed.get(name) == f"{policy_class.__module__}.{policy_class.__qualname__}", name


def test_networks_are_listed_only_where_they_can_run() -> None:
    assert (set(NEEDS_TORCH) <= set(built_in_policies())) == HAS_TORCH
