"""Create a policy from its description, and find objects by name."""

import json
import sys
from pathlib import Path

import pytest

from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.util.module import load_symbol

from .conftest import POLICY_SOURCE, write_files

MODULE = (
    POLICY_SOURCE
    + """
class Bare(MultiAgentPolicy):
    def __init__(self, policy_env_info):
        super().__init__(policy_env_info)

class Duck:
    def __init__(self, policy_env_info):
        pass

class Failing(MultiAgentPolicy):
    def __init__(self, policy_env_info):
        raise KeyError("from the policy")

class Outer:
    class Inner(Bare):
        pass

def factory(policy_env_info):
    return Bare(policy_env_info)

number = 3
"""
)


@pytest.fixture(autouse=True)
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_traces: None) -> Path:
    """A folder on the import path with the module `loadable`."""
    monkeypatch.syspath_prepend(tmp_path)
    return write_files(tmp_path, {"loadable.py": MODULE})


def load(info: PolicyEnvInterface, class_path: str, data_path: str | None = None, **kwargs: object):  # type: ignore[no-untyped-def]
    return initialize_or_load_policy(info, PolicySpec(class_path=class_path, data_path=data_path, init_kwargs=kwargs))


def test_a_class_is_made_with_its_arguments_and_its_weights(code: Path, env_info: PolicyEnvInterface) -> None:
    (code / "weights.txt").write_text("heavy")
    policy = load(env_info, "loadable.MyPolicy", str(code / "weights.txt"), gear="scout")
    assert (policy.gear, policy.device, policy.weights) == ("scout", "cpu", "heavy")


def test_a_short_name_will_do(env_info: PolicyEnvInterface) -> None:
    assert type(load(env_info, "noop")).__name__ == "NoopPolicy"


def test_inner_classes_and_functions_that_make_a_policy_will_do(env_info: PolicyEnvInterface) -> None:
    assert type(load(env_info, "loadable.Outer.Inner")).__name__ == "Inner"
    assert type(load(env_info, "loadable.factory")).__name__ == "Bare"


def test_the_device_is_replaced_only_where_there_is_one(env_info: PolicyEnvInterface) -> None:
    with_device = PolicySpec(class_path="loadable.MyPolicy", init_kwargs={"device": "cuda"})
    assert initialize_or_load_policy(env_info, with_device, device_override="mps").device == "mps"  # type: ignore[attr-defined]
    without = PolicySpec(class_path="loadable.MyPolicy")
    assert initialize_or_load_policy(env_info, without, device_override="mps").device == "cpu"  # type: ignore[attr-defined]
    assert with_device.init_kwargs == {"device": "cuda"}


def test_the_device_is_left_out_for_a_class_that_takes_none(env_info: PolicyEnvInterface) -> None:
    assert type(load(env_info, "loadable.Bare", device="cpu")).__name__ == "Bare"


def test_an_argument_the_class_does_not_take_is_named(env_info: PolicyEnvInterface) -> None:
    with pytest.raises(TypeError, match=r"loadable\.MyPolicy takes no argument 'colour'; it takes device, gear"):
        load(env_info, "loadable.MyPolicy", colour="red")


def test_what_is_no_policy_for_many_agents_is_refused(env_info: PolicyEnvInterface) -> None:
    with pytest.raises(TypeError, match="is an AgentPolicy, which decides for one agent; name a MultiAgentPolicy"):
        load(env_info, "loadable.WaitingAgent")
    with pytest.raises(TypeError, match="not a MultiAgentPolicy"):
        load(env_info, "loadable.Duck")
    with pytest.raises(TypeError, match="is not a class"):
        load(env_info, "loadable.number")


def test_errors_of_the_policy_come_through(env_info: PolicyEnvInterface) -> None:
    with pytest.raises(KeyError, match="from the policy"):
        load(env_info, "loadable.Failing")


def test_an_unknown_name_is_answered_with_close_names_only(env_info: PolicyEnvInterface) -> None:
    with pytest.raises(ModuleNotFoundError, match="Invalid symbol name: noob; did you mean noop"):
        load(env_info, "noob")
    with pytest.raises(ModuleNotFoundError, match="Invalid symbol name: zzzzzz; `cogames policies` lists the names"):
        load(env_info, "zzzzzz")


def test_a_network_without_torch_says_what_to_install(
    env_info: PolicyEnvInterface, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mettagrid.policy import policy_registry

    monkeypatch.delitem(policy_registry._POLICY_REGISTRY, "lstm", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"pip install cogames\[neural\]"):
        load(env_info, "lstm")


def test_symbols_are_found_in_modules_and_in_classes() -> None:
    assert load_symbol("json.dumps") is json.dumps
    assert load_symbol("collections.OrderedDict.fromkeys")
    for missing in ("no_such_module.X", "json.nothing", "json.dumps.nothing", "a..b"):
        assert load_symbol(missing, strict=False) is None
        with pytest.raises(ModuleNotFoundError):
            load_symbol(missing)
    with pytest.raises(ModuleNotFoundError, match="Invalid symbol name: json"):
        load_symbol("json", strict=False)


def test_a_module_that_needs_something_missing_says_what(code: Path) -> None:
    (code / "needy.py").write_text("import no_such_dependency\nclass P: pass\n")
    with pytest.raises(ModuleNotFoundError, match="no_such_dependency"):
        load_symbol("needy.P")


def test_a_notebook_is_imported_like_a_module(code: Path, env_info: PolicyEnvInterface) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# My policy"]},
        {"cell_type": "code", "source": "%matplotlib inline\n" + POLICY_SOURCE},
        {"cell_type": "code", "source": ["if True:\n", "    !ls\n", "made = 7\n"]},
        {"cell_type": "code", "source": "%%bash\nrm -rf everything"},
    ]
    (code / "my_notebook.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    policy = load(env_info, "my_notebook.MyPolicy", gear="x")
    assert policy.gear == "x" and sys.modules["my_notebook"].made == 7
    assert load_symbol("my_notebook.MyPolicy") is type(policy)


def test_a_file_that_is_no_notebook_and_one_that_fails_are_told_apart(code: Path) -> None:
    (code / "torn.ipynb").write_text("{")
    with pytest.raises(ImportError, match="not a Jupyter notebook"):
        load_symbol("torn.X")
    cells = [{"cell_type": "code", "source": "1 / 0"}]
    (code / "failing.ipynb").write_text(json.dumps({"cells": cells}))
    with pytest.raises(ZeroDivisionError):
        load_symbol("failing.X")
    assert "failing" not in sys.modules
