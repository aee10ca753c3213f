"""The command line of the recipe runner."""

from __future__ import annotations

from typing import Any

import pytest

from cogames_training.recipes.grammar import parse_assignments, parse_request, parse_value
from softmax.cli.errors import UsageError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("none", None),
        ("null", None),
        ("5_000_000_000", 5_000_000_000),
        ("-3", -3),
        ("0", 0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("1e9", 1e9),
        ("2097152", 2097152),
        ("007", "007"),
        ("1.2.3", "1.2.3"),
        ("gui", "gui"),
        ("", ""),
        ("metta://policy/cogsguard?gear=10", "metta://policy/cogsguard?gear=10"),
        ('["a", 1, null]', ["a", 1, None]),
        ("[a, 1_000, 1e3, none]", ["a", 1000, 1000.0, None]),
        ("{a: {b: true}, 'c': '1', d: no}", {"a": {"b": True}, "c": "1", "d": "no"}),
        (
            '{mode: sliced_cloner, policy_uri: "metta://policy/cogsguard?gear=10", teacher_led_proportion: 0.5}',
            {
                "mode": "sliced_cloner",
                "policy_uri": "metta://policy/cogsguard?gear=10",
                "teacher_led_proportion": 0.5,
            },
        ),
    ],
)
def test_values(text: str, value: Any) -> None:
    parsed = parse_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


def test_dotted_keys_nest_and_merge_with_mappings() -> None:
    words = ["a.b.c=1", "a={b: {d: 2}, e: 3}", "a.e=4", "f=g=h"]
    assert parse_assignments(words) == {"a": {"b": {"c": 1, "d": 2}, "e": 4}, "f": "g=h"}


def test_a_target_is_one_or_two_words_and_flags_may_be_anywhere() -> None:
    one = parse_request(["-v", "recipes.experiment.cogsguard.train", "run=a", "--dry-run"])
    assert one.target == ("recipes.experiment.cogsguard.train",)
    assert one.verbose and one.dry_run and not one.list
    two = parse_request(["train", "arena", "--", "run=a"])
    assert (two.target, two.values) == (("train", "arena"), {"run": "a"})


@pytest.mark.parametrize(
    "words",
    [
        ["train", "arena", "word"],
        ["cogsguard.train", "run=a", "word"],
        ["cogsguard.train", "--unknown"],
        ["cogsguard.train", "--", "--dry-run"],
        ["cogsguard.train", "=1"],
        ["cogsguard.train", "a..b=1"],
        ["cogsguard.train", "a={b: 1"],
    ],
)
def test_words_that_make_no_sense_are_wrong_usage(words: list[str]) -> None:
    with pytest.raises(UsageError) as raised:
        parse_request(words)
    assert raised.value.exit_code == 2
