"""The `-p` grammar: accepted forms, their meaning, and error messages."""

import contextlib
import json
import os
import sys
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogames.cli.policy import PolicySpecWithProportion as SameClass
from cogames.policy.arguments import (
    PolicyArgumentError,
    PolicySpecWithProportion,
    list_checkpoints,
    parse_init_kwargs,
    parse_policy_spec,
    policy_error_hints,
)
from mettagrid.policy import bundle_cache
from mettagrid.policy.policy_spec import PolicySpec

NOOP = "mettagrid.policy.noop.NoopPolicy"
RANDOM = "mettagrid.policy.random_agent.RandomMultiAgentPolicy"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with checkpoints and a file of weights."""
    monkeypatch.setattr(bundle_cache, "DEFAULT_POLICY_CACHE_DIR", tmp_path / "cache")
    monkeypatch.setattr(sys, "path", sys.path[:])
    here = tmp_path / "here"
    for place in ("bundle", "train_dir/my_run:v5", "train_dir/my_run:v10", "train_dir/other/checkpoints/other:v3"):
        (here / place).mkdir(parents=True)
        spec = {"class_path": "noop", "init_kwargs": {"place": place}}
        (here / place / "policy_spec.json").write_text(json.dumps(spec))
    (here / "weights.pt").touch()
    monkeypatch.chdir(here)
    return here


@pytest.mark.parametrize(
    ("text", "class_path", "proportion", "kwargs"),
    [
        ("noop", NOOP, 1.0, {}),
        (" noop ", NOOP, 1.0, {}),
        (",,noop,,", NOOP, 1.0, {}),
        ("noop:3", NOOP, 3.0, {}),
        ("noop:3,kw.x=1", NOOP, 3.0, {"x": "1"}),
        ("noop:3,proportion=2", NOOP, 3.0, {}),
        ("noop,proportion=2", NOOP, 2.0, {}),
        (" noop , proportion = .5 ", NOOP, 0.5, {}),
        ("noop,proportion=2,proportion=1e-3", NOOP, 0.001, {}),
        ("chaos-monkey:2", "cogames.policy.chaos_monkey.ChaosMonkeyPolicy", 2.0, {}),
        ("mettagrid.noop", NOOP, 1.0, {}),
        ("my_module.MyPolicy", "my_module.MyPolicy", 1.0, {}),
        ("my_module.MyPolicy:2", "my_module.MyPolicy", 2.0, {}),
        ("not_known", "not_known", 1.0, {}),
        ("class=noop", NOOP, 1.0, {}),
        ("class = noop", NOOP, 1.0, {}),
        ("class=noop,class=random", RANDOM, 1.0, {}),
        ("noop,class=random", RANDOM, 1.0, {}),
        ("proportion=2,class=noop", NOOP, 2.0, {}),
        ("kw.class=x,class=noop", NOOP, 1.0, {"class": "x"}),
        ("class=noop,kw.some-name=1,kw.flag=true", NOOP, 1.0, {"some_name": "1", "flag": "true"}),
        ("class=noop,kw.x=1,kw.x=a=b", NOOP, 1.0, {"x": "a=b"}),
        ("class=noop,kw.x=", NOOP, 1.0, {"x": ""}),
        ("kw.url=http://host/a.zip,class=noop", NOOP, 1.0, {"url": "http://host/a.zip"}),
        ("metta://policy/noop", NOOP, 1.0, {}),
        ("metta://policy/random?x=3,proportion=2", RANDOM, 2.0, {"x": 3}),
        ("metta://policy/random?x=a,b,proportion=2", RANDOM, 2.0, {"x": "a,b"}),
        ("metta://policy/random?x=a,b", RANDOM, 1.0, {"x": "a,b"}),
        ("metta://policy/noop?on=True&n=-4&f=0.1&n=5", NOOP, 1.0, {"on": True, "n": 5, "f": "0.1"}),
        ("mock://noop?x=1,proportion=3", NOOP, 3.0, {"x": 1}),
        ("mock://not_known", "not_known", 1.0, {}),
        ("./bundle", "noop", 1.0, {"place": "bundle"}),
        ("./bundle,proportion=2", "noop", 2.0, {"place": "bundle"}),
        ("./bundle?place=there&n=2,proportion=2", "noop", 2.0, {"place": "there", "n": 2}),
        ("./train_dir/my_run:v5", "noop", 1.0, {"place": "train_dir/my_run:v5"}),
        ("./train_dir/my_run", "noop", 1.0, {"place": "train_dir/my_run:v10"}),
        ("train_dir/my_run:latest,proportion=4", "noop", 4.0, {"place": "train_dir/my_run:v10"}),
        ("./train_dir:latest", "noop", 1.0, {"place": "train_dir/my_run:v10"}),
        ("./train_dir/other", "noop", 1.0, {"place": "train_dir/other/checkpoints/other:v3"}),
    ],
)
def test_arguments_parse_to_policies(text: str, class_path: str, proportion: float, kwargs: dict[str, object]) -> None:
    parsed = parse_policy_spec(text)
    assert (parsed.class_path, parsed.proportion, parsed.init_kwargs) == (class_path, proportion, kwargs)
    assert parsed.to_policy_spec() == PolicySpec(class_path=class_path, init_kwargs=kwargs)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cannot be empty"),
        ("  ", "cannot be empty"),
        (",", "cannot be empty"),
        ("noop:0", "cannot include ':'"),
        ("noop:-1", "cannot include ':'"),
        ("noop:1.5", "cannot include ':'"),
        ("noop:v3", "cannot include ':'"),
        ("noop:3:4", "cannot include ':'"),
        ("my_module:MyPolicy", r"Did you mean 'class=my_module\.MyPolicy'"),
        ("class=my_module:MyPolicy", r"Did you mean 'class=my_module\.MyPolicy'"),
        ("noop,proportion=0", "must be a positive number, not 0"),
        ("noop,proportion=-1", "must be a positive number"),
        ("noop,proportion=nan", "must be a positive number"),
        ("noop,proportion=inf", "must be a positive number"),
        ("noop,proportion=", "Invalid proportion value ''"),
        ("noop,proportion=many", "Invalid proportion value 'many'"),
        ("noop,random", "must be key=value pairs, not 'random'"),
        ("class=noop,kw.x", "must be key=value pairs"),
        ("class=", "class cannot be empty"),
        ("class=noop?x=1&y=2", "write 'class=noop,kw.x=1,kw.y=2'"),
        ("noop random", "'noop random' is not a policy name"),
        ("class=./bundle", "is not a policy name"),
        ("=noop", "field name cannot be empty"),
        ("class=noop,kw.=1", "kw field name cannot be empty"),
        ("class=noop,colour=red", r"Unsupported policy field 'colour'.*use 'kw\.colour=red'"),
        ("Class=noop", "Unsupported policy field 'Class'"),
        ("data=weights.pt", "must include class="),
        ("kw.x=1", "must include class="),
        ("class=noop,data=", "data path cannot be empty"),
        ("class=noop,data=bundle", "must be a file, and bundle is a folder"),
        ("./bundle,kw.x=1", r"Only proportion is supported after a checkpoint URI, not 'kw\.x'"),
        ("./bundle,noop", "must be key=value pairs"),
        ("./bundle,proportion=0", "must be a positive number"),
        ("metta://policy/noop,proportion=1,proportion=2", "Invalid proportion value '1,proportion=2'"),
        ("ftp://host/x.zip", "Unsupported URI"),
    ],
)
def test_errors_say_what_to_write(text: str, says: str) -> None:
    with pytest.raises(PolicyArgumentError, match=says):
        parse_policy_spec(text)


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("random:train_dir/model.pt", PolicyArgumentError, "Use 'class=random,data=train_dir/model.pt'"),
        ("data=none.pt", PolicyArgumentError, "must include class="),
        ("./nowhere", FileNotFoundError, r"Policy path does not exist: \./nowhere"),
        ("nowhere.zip", FileNotFoundError, "Policy path does not exist"),
        ("./train_dir/my_run:v7", FileNotFoundError, "there are .*my_run:v5, my_run:v10"),
        ("./nowhere:latest", ValueError, "No latest checkpoint"),
        ("class=noop,data=none.pt", FileNotFoundError, r"data path does not exist: none\.pt"),
        ("metta://policy/not_known", ValueError, "Unsupported URI"),
        ("s3://bucket/folder", ValueError, r"Only \.zip bundles"),
        ("https://example.com/x.zip", ValueError, "download the bundle"),
        ("./weights.pt", ValueError, "Invalid submission archive"),
    ],
)
def test_missing_files_are_reported(text: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        parse_policy_spec(text)


def test_weights_are_found_from_the_working_folder(folder: Path) -> None:
    assert parse_policy_spec("class=noop,data=weights.pt").data_path == str(folder / "weights.pt")


@pytest.mark.parametrize("text", ["noop", "class=noop,kw.device=x", "./bundle", "metta://policy/noop?device=x"])
def test_the_device_becomes_an_argument(text: str) -> None:
    assert parse_policy_spec(text, device="cuda").init_kwargs["device"] == "cuda"


def test_the_published_import_path_gives_the_same_class() -> None:
    assert SameClass is PolicySpecWithProportion


def test_a_bundle_keeps_its_folders(folder: Path) -> None:
    parsed = parse_policy_spec("./bundle")
    assert parsed.import_roots == parsed.to_policy_spec().import_roots == (folder / "bundle",)


NAMES = st.from_regex(r"[a-z_]{1,8}(\.[A-Za-z_]{1,8}){1,3}", fullmatch=True)
KEYS = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
VALUES = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"], exclude_characters=","), max_size=10)


@given(NAMES, st.dictionaries(KEYS, VALUES, max_size=4), st.floats(1e-6, 1e6), st.randoms())
def test_fields_in_any_order_come_back_as_they_were(
    name: str, kwargs: dict[str, str], proportion: float, chance: "st.random_module"
) -> None:
    fields = [f"class={name}", f"proportion={proportion!r}", *(f"kw.{key}={value}" for key, value in kwargs.items())]
    chance.shuffle(fields)  # type: ignore[attr-defined]
    parsed = parse_policy_spec(",".join(fields))
    assert (parsed.class_path, parsed.init_kwargs, parsed.proportion) == (name, kwargs, proportion)


@given(st.text(max_size=40))
def test_no_text_makes_the_parser_fail_in_another_way(text: str) -> None:
    with contextlib.suppress(ValueError, ImportError, OSError):
        parse_policy_spec(text)


def test_arguments_given_one_by_one() -> None:
    assert parse_init_kwargs(["gear=1", "some-name=a=b", "gear=2", "empty="]) == {
        "gear": "2",
        "some_name": "a=b",
        "empty": "",
    }
    for wrong in ("gear", "=1", " =1"):
        with pytest.raises(PolicyArgumentError, match=f"Expected key=value format, got: {wrong}"):
            parse_init_kwargs([wrong])


def test_checkpoints_are_listed_newest_first(folder: Path) -> None:
    for age, place in enumerate(["my_run:v10", "other/checkpoints/other:v3", "my_run:v5"]):
        os.utime(folder / "train_dir" / place / "policy_spec.json", (1000 - age, 1000 - age))
    rows = list_checkpoints()
    assert [name for name, _ in rows] == [
        *("./train_dir/my_run:v10", "./train_dir/other/checkpoints/other:v3", "./train_dir/my_run:v5")
    ]
    assert rows[0][1] == datetime.fromtimestamp(1000)
    assert list_checkpoints(folder / "none") == []


def test_hints_say_what_may_be_missing() -> None:
    assert policy_error_hints(ModuleNotFoundError("No module named 'torch'", name="torch")) == [
        "pip install cogames[neural]"
    ]
    assert "include it in the bundle with -f" in policy_error_hints(ModuleNotFoundError("x", name="my_code.deep"))[0]
    assert policy_error_hints(ModuleNotFoundError("Invalid symbol name: x")) == [
        "write a class as module.Class, with dots and not with a colon"
    ]
    assert policy_error_hints(ValueError("x")) == []
