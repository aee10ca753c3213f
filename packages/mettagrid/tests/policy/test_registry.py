"""Short names, and that packages cannot break one another with them."""

import importlib
import logging
from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mettagrid.policy import policy_registry
from mettagrid.policy.built_in_names import built_in_policies
from mettagrid.policy.loader import (
    discover_and_register_policies,
    get_policy_class_shorthand,
    initialize_or_load_policy,
    resolve_policy_class_path,
)
from mettagrid.policy.policy import MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_registry import PolicyRegistryABCMeta, get_policy_registry
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.boxed.job import installed_versions
from mettagrid.runner.boxed.policy import visible_packages
from mettagrid.util.uri_resolvers.schemes import policy_spec_from_uri

from .conftest import write_files

SOURCE = """
from mettagrid.policy.policy import MultiAgentPolicy

class P(MultiAgentPolicy):
    short_names = [{!r}]
"""

pytestmark = pytest.mark.usefixtures("no_traces")


def policy_class(name: str, module: str, short_names: Any) -> type[MultiAgentPolicy]:
    """A class as if it stood in `module`."""
    made: type[MultiAgentPolicy] = type(MultiAgentPolicy)(
        name, (MultiAgentPolicy,), {"short_names": short_names, "__module__": module, "__qualname__": name}
    )
    return made


def test_a_class_is_registered_under_its_short_names_when_it_is_created() -> None:
    policy_class("P", "somewhere.code", ["one", "two"])
    assert get_policy_registry()["one"] == get_policy_registry()["two"] == "somewhere.code.P"
    assert resolve_policy_class_path("two") == "somewhere.code.P"
    assert get_policy_class_shorthand("somewhere.code.P") == "one"


def test_other_text_is_left_as_it_is() -> None:
    assert resolve_policy_class_path("my.module.Class") == "my.module.Class"
    assert resolve_policy_class_path("no_such_name") == "no_such_name"
    assert get_policy_class_shorthand("my.module.Class") is None


def test_the_registry_that_is_given_out_is_a_copy() -> None:
    get_policy_registry()["mine"] = "x"
    assert "mine" not in get_policy_registry()


def test_names_are_not_inherited_and_one_text_is_one_name() -> None:
    parent = policy_class("Parent", "somewhere.code", "word")
    type(MultiAgentPolicy)("Child", (parent,), {"__module__": "somewhere.code"})
    assert get_policy_registry()["word"] == "somewhere.code.Parent"


def test_a_class_may_be_defined_again() -> None:
    policy_class("P", "somewhere.code", ["again"])
    policy_class("P", "somewhere.code", ["again"])
    assert get_policy_registry()["again"] == "somewhere.code.P"


def test_two_classes_of_one_package_cannot_have_one_name() -> None:
    policy_class("P", "somewhere.code", ["taken"])
    with pytest.raises(ValueError, match=r"'taken' is already registered to somewhere.code.P, cannot register .*Q"):
        policy_class("Q", "somewhere.code", ["taken"])


def test_our_packages_count_as_one() -> None:
    with pytest.raises(ValueError, match="'noop' is already registered"):
        policy_class("Other", "cogames.policy.other", ["noop"])


def test_another_package_claiming_a_name_is_reachable_with_its_own(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        policy_class("Miner", "agents.miner", ["miner"])
    assert resolve_policy_class_path("miner") == built_in_policies()["miner"]
    assert resolve_policy_class_path("agents.miner") == "agents.miner.Miner"
    assert get_policy_registry()["agents.miner"] == "agents.miner.Miner"
    assert (
        "'miner' means cogames.policy.role_policies.MinerRolePolicy; agents.miner.Miner is reachable as" in caplog.text
    )


def test_our_names_are_ours_whoever_comes_first() -> None:
    policy_class("Early", "early.code", ["starter"])
    assert resolve_policy_class_path("starter") == "cogames.policy.starter_agent.StarterPolicy"


def test_every_name_can_be_written_with_its_package() -> None:
    policy_class("P", "somewhere.code", ["word"])
    assert resolve_policy_class_path("somewhere.word") == "somewhere.code.P"
    assert resolve_policy_class_path("mettagrid.noop") == "mettagrid.policy.noop.NoopPolicy"
    assert resolve_policy_class_path("cogames.noop") == "cogames.noop"


def test_parts_of_a_namespace_package_are_packages_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "from mettagrid.policy.policy import MultiAgentPolicy\nclass P(MultiAgentPolicy):\n    short_names = ['w']\n"
    )
    write_files(tmp_path, {"players/a/__init__.py": source, "players/b/__init__.py": source})
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("players.a")
    importlib.import_module("players.b")
    assert resolve_policy_class_path("w") == "players.a.P"
    assert resolve_policy_class_path("players.b.w") == "players.b.P"


def test_abstract_policies_register_too() -> None:
    class Abstract(MultiAgentPolicy, metaclass=PolicyRegistryABCMeta):
        short_names: ClassVar[list[str] | None] = ["abstract-one"]

        @abstractmethod
        def think(self) -> None: ...

    assert get_policy_registry()["abstract-one"].endswith(".Abstract")
    with pytest.raises(TypeError, match="abstract"):
        Abstract(None)  # type: ignore[abstract, arg-type]


def test_discovery_imports_all_modules_of_a_package_and_passes_over_broken_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, env_info: PolicyEnvInterface
) -> None:
    write_files(
        tmp_path,
        {
            "found_policies/__init__.py": "",
            "found_policies/broken.py": "import no_such_module_at_all",
            "found_policies/exits.py": "import sys; sys.exit(3)",
            "found_policies/clash.py": SOURCE.format("noop"),
            "found_policies/deep/__init__.py": "",
            "found_policies/deep/down.py": SOURCE.format("deep-down"),
            "found_policies/native.bindings.py": "raise RuntimeError",
            "found_policies/zz/bindings/__init__.py": "raise KeyboardInterrupt",
            "found_policies/zz/__init__.py": "",
        },
    )
    monkeypatch.syspath_prepend(tmp_path)
    discover_and_register_policies("found_policies", "no_such_package")
    assert resolve_policy_class_path("deep-down") == "found_policies.deep.down.P"
    assert resolve_policy_class_path("found_policies.noop") == "found_policies.clash.P"
    made = initialize_or_load_policy(env_info, PolicySpec(class_path="deep-down"))
    assert type(made).__name__ == "P"


@pytest.fixture
def entry_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed distribution that registers policies and fails when it is imported."""
    write_files(
        tmp_path,
        {
            "entry_agents/__init__.py": "raise RuntimeError('imported')",
            "entry_agents-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: entry-agents\nVersion: 1.0\n",
            "entry_agents-1.0.dist-info/entry_points.txt": "[mettagrid.policies]\n"
            "entry_planner = entry_agents.planner:Planner\nentry.basic = entry_agents.planner:Planner\n"
            "noop = entry_agents.planner:Noop\n",
        },
    )
    monkeypatch.syspath_prepend(tmp_path)
    policy_registry._register_installed_policies.cache_clear()


@pytest.mark.usefixtures("entry_agents")
def test_an_installed_package_gives_its_policies_short_names_without_being_imported() -> None:
    for name in ("entry_planner", "entry.basic", "entry_agents.entry_planner"):
        assert resolve_policy_class_path(name) == "entry_agents.planner.Planner"
        spec = policy_spec_from_uri(f"metta://policy/{name}?miner=4")
        assert (spec.class_path, spec.init_kwargs) == ("entry_agents.planner.Planner", {"miner": 4})
    assert resolve_policy_class_path("noop") == "mettagrid.policy.noop.NoopPolicy"
    assert resolve_policy_class_path("entry_agents.noop") == "entry_agents.planner.Noop"
    assert "entry_planner" in get_policy_registry()


@pytest.mark.usefixtures("entry_agents")
def test_an_installed_package_owns_its_names_also_if_other_code_is_imported_first() -> None:
    policy_class("Early", "early.code", ["entry_planner"])
    assert resolve_policy_class_path("entry_planner") == "entry_agents.planner.Planner"
    assert resolve_policy_class_path("early.entry_planner") == "early.code.Early"


@pytest.mark.usefixtures("entry_agents")
def test_boxes_see_the_packages_that_register_policies_and_results_have_their_versions() -> None:
    assert "entry_agents" in visible_packages()
    assert installed_versions()["entry-agents"] == "1.0"
