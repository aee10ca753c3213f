"""Ranges of a sweep."""

from __future__ import annotations

import pytest

from cogames_training.sweeps import DOCUMENTED, SweepError, parse_search
from cogames_training.sweeps.space import Parameter, flatten


def test_documented_ranges_parse() -> None:
    parameters = {key: parse_search(key, None) for key in DOCUMENTED}
    batch = parameters["trainer.batch_size"]
    assert (batch.low, batch.high, batch.scale, batch.is_whole) == (4096, 2097152, "pow2", True)
    assert parse_search("ent_coef", None) == Parameter("trainer.losses.ppo_actor.ent_coef", 0.005, 0.02, "log")


def test_ranges_and_choices() -> None:
    assert parse_search("clip_coef", "0.1..0.2") == Parameter("trainer.losses.ppo_actor.clip_coef", 0.1, 0.2)
    assert parse_search("total_timesteps", "1e6..1e7:log").is_whole
    assert parse_search("trainer.optimizer.type", "adam,muon").choices == ("adam", "muon")
    assert parse_search("trainer.update_epochs", [1, 2]).choices == (1, 2)
    assert flatten({"a": {"b": "1..2"}, "c.d": None}) == {"a.b": "1..2", "c.d": None}


@pytest.mark.parametrize(
    ("key", "values", "says"),
    [
        ("colour", "1..2", "is not a setting"),
        ("learning_rate", "1..2", "is not a setting"),
        ("trainer.update_epochs", None, "no range for it"),
        ("clip_coef", "0.3..0.1", "lower end below"),
        ("clip_coef", "0..1:log", "above 0"),
        ("clip_coef", "a..b", "is not a range"),
        ("clip_coef", "0.1..0.2:sqrt", "is not a scale"),
        ("trainer.batch_size", "5..7:pow2", "no power of two"),
        ("clip_coef", "0.1", "at least two values"),
    ],
)
def test_searches_that_make_no_sense_are_refused(key: str, values: str | None, says: str) -> None:
    with pytest.raises(SweepError, match=says):
        parse_search(key, values)
