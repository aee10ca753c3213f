"""The policies that `make-policy` writes: copies that work on their own."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cogames.policy.templates import TEMPLATES, policy_template
from mettagrid.policy.policy_registry import get_policy_registry


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Writes a template as `my_policy.py` where Python finds it and gives the class to play with."""
    monkeypatch.syspath_prepend(tmp_path)

    def copied(kind: str) -> str:
        (tmp_path / "my_policy.py").write_text(policy_template(kind))
        return f"my_policy.{TEMPLATES[kind][1]}"

    yield copied
    sys.modules.pop("my_policy", None)


def test_a_copy_of_the_scripted_template_plays_like_the_starter(plays: Any, copied: Any) -> None:
    original = plays("starter", "arena", steps=100)
    assert plays(copied("scripted"), "arena", steps=100).actions == original.actions


@pytest.mark.parametrize("file", ["weights.pt", "weights.safetensors"])
def test_a_copy_of_the_trainable_template_plays_and_keeps_its_weights(
    plays: Any, copied: Any, tmp_path: Path, file: str
) -> None:
    torch = pytest.importorskip("torch")
    simulation = plays.new_simulation("arena", steps=10)
    policy = plays.new_policy(copied("trainable"), simulation, hidden_size="32", device="cpu")
    first = plays.agents(policy, simulation)
    policy.save_policy_data(str(tmp_path / file))

    simulation = plays.new_simulation("arena", steps=10)
    again = plays.new_policy("my_policy.MyTrainablePolicy", simulation, hidden_size=32)
    again.load_policy_data(str(tmp_path / file))
    assert plays.agents(again, simulation).actions == first.actions
    logits, values = again.network()(torch.zeros(3, 500, 3, dtype=torch.uint8))
    assert logits.shape == (3, 5) and values.shape == (3, 1)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_a_template_claims_no_short_name(kind: str) -> None:
    text = policy_template(kind)
    assert "short_names" not in text
    assert text.endswith("\n") and not text.endswith("\n\n")
    compile(text, kind, "exec")


def test_a_copy_changes_no_short_name(plays: Any, copied: Any) -> None:
    before = get_policy_registry()
    plays(copied("scripted"), "arena", steps=1)
    assert get_policy_registry() == before


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(KeyError):
        policy_template("amongst")
