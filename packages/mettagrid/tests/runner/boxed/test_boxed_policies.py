"""Policies in boxes: the same play as in process, a verdict for whatever else they do, nothing for the others."""

import os
from pathlib import Path

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.boxed import BoxedPolicy, BoxPolicyOptions, validate_bundle
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, play_episode, play_episodes

from .conftest import Maker
from .local_index import write_wheel

EAST = 'return Action(name="move_east")'


def play(game: MettaGridConfig, *policies: object, limit_ms: int = 10_000, **settings: object) -> EpisodeOutcome:
    """Two agents for each of two policies."""
    return play_episode(EpisodePlan(game, policies, [0, 0, 1, 1], seed=5, max_action_time_ms=limit_ms, **settings))  # type: ignore[arg-type]


def others(outcome: EpisodeOutcome) -> tuple[object, ...]:
    """What the second policy's agents have to show."""
    return outcome.rewards[2:], outcome.stats["agent"][2:], outcome.action_timeouts[2:], outcome.steps


def test_a_boxed_policy_plays_as_it_does_in_process(game: MettaGridConfig) -> None:
    random, noop = PolicySpec(class_path="random"), PolicySpec(class_path="noop")
    here = play(game, random, noop)
    boxed = play(game, BoxedPolicy.from_spec(random), BoxedPolicy.from_spec(noop))
    assert boxed.compared() == here.compared()
    assert [verdict.status for verdict in boxed.verdicts] == ["ok", "ok"]


def test_results_and_replays_are_the_same_bytes_in_process_and_boxed_on_any_number_of_workers(
    game: MettaGridConfig, tmp_path: Path
) -> None:
    random, noop = PolicySpec(class_path="random"), PolicySpec(class_path="noop")
    ways = {"here": ([random, noop], 1), "boxed": ([BoxedPolicy.from_spec(random), BoxedPolicy.from_spec(noop)], 2)}
    told = {}
    for name, (policies, workers) in ways.items():
        paths = [tmp_path / f"{name}-{seed}.json.z" for seed in (3, 4)]
        plans = [
            EpisodePlan(game, policies, [0, 1, 0, 1], seed=seed, replay_path=path)
            for seed, path in zip((3, 4), paths, strict=True)
        ]
        outcomes = play_episodes(plans, workers=workers)
        told[name] = [outcome.compared() for outcome in outcomes], [path.read_bytes() for path in paths]
    assert told["here"] == told["boxed"]


def test_a_bundle_plays_without_its_code_coming_here(game: MettaGridConfig, make_bundle: Maker) -> None:
    bundle = make_bundle(EAST, head="import os\nassert os.environ['COGBOX_LEVEL']  # never imported outside a box")
    outcome = play(game, BoxedPolicy.from_uri(str(bundle)), PolicySpec(class_path="noop"))
    assert outcome.verdicts[0].status == "ok"
    assert outcome.stats["agent"][0]["action.move.success"] > 0


# What a policy does at its third step -> status and words of its verdict.
MISDEEDS = {
    "raises": ('raise ValueError("no idea")', "crashed", "no idea"),
    "leaves": ("import os\nos._exit(3)", "crashed", "exit code 3"),
    "kills itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "killed", "SIGKILL"),
    "eats memory": ("held = []\nwhile True: held.append(bytearray(b'x' * (16 << 20)))", "killed", "memory"),
    "forks for ever": ("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", "killed", "processes"),
    "fills its output": ("while True: print('x' * 100_000)", "killed", "output"),
    "closes its socket": ("import os\nos.close(3)\nreturn Action(name='noop')", "crashed", ""),
    "answers nonsense": ("return Action(name='fly')", "protocol_error", "fly"),
    "answers nothing": ("return None", "protocol_error", ""),
    "writes junk to its socket": (
        "import os\nos.write(3, b'\\xff' * 100)\nreturn Action(name='noop')",
        "protocol_error",
        "",
    ),
    "floods its socket": ("import os\nwhile True: os.write(3, b'\\x82\\x05hello' * 1000)", "protocol_error", ""),
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_a_misdeed_is_that_policys_verdict_and_leaves_the_others_alone(
    misdeed: str, game: MettaGridConfig, make_bundle: Maker
) -> None:
    deed, status, words = MISDEEDS[misdeed]
    good = "if self.steps < 3: return Action(name='noop')\n"
    bundle = make_bundle(good + deed)
    options = BoxPolicyOptions(memory=512 << 20, processes=24, output_bytes=1 << 20)
    random = PolicySpec(class_path="random")
    outcome = play(game, BoxedPolicy.from_uri(str(bundle), options), random)
    verdict = outcome.verdicts[0]
    assert (verdict.status, verdict.step) == (status, 2)
    assert words in verdict.message
    assert outcome.verdicts[1].status == "ok"
    assert others(outcome) == others(play(game, PolicySpec(class_path="noop"), random))


def test_a_policy_that_hangs_is_late_and_then_ended(game: MettaGridConfig, make_bundle: Maker) -> None:
    bundle = make_bundle("import time\nwhile True: time.sleep(60)")
    random = PolicySpec(class_path="random")
    outcome = play(game, BoxedPolicy.from_uri(str(bundle)), random, limit_ms=20, patience_ms=200)
    assert outcome.verdicts[0].status == "killed"
    assert outcome.steps == 20
    assert others(outcome) == others(play(game, PolicySpec(class_path="noop"), random))


def test_secrets_reach_their_own_policy_alone(game: MettaGridConfig, make_bundle: Maker, tmp_path: Path) -> None:
    tell = f"import os\nprint(sorted(os.environ), flush=True)\n{EAST}"
    bundle = make_bundle(tell)
    mine = BoxPolicyOptions(env={"API_KEY": "s3cr3t"}, log_path=str(tmp_path / "mine"))
    theirs = BoxPolicyOptions(log_path=str(tmp_path / "theirs"))
    os.environ["OPERATORS_SECRET"] = "x"
    try:
        play(game, BoxedPolicy.from_uri(str(bundle), mine), BoxedPolicy.from_uri(str(bundle), theirs))
    finally:
        del os.environ["OPERATORS_SECRET"]
    assert "API_KEY" in (tmp_path / "mine").read_text()
    assert "API_KEY" not in (tmp_path / "theirs").read_text()
    assert "OPERATORS_SECRET" not in (tmp_path / "mine").read_text()


def test_a_policy_that_cannot_be_made_is_a_verdict(game: MettaGridConfig, make_bundle: Maker) -> None:
    bundle = make_bundle(EAST, head="raise ImportError('no such luck')")
    noop = PolicySpec(class_path="noop")
    outcome = play(game, BoxedPolicy.from_uri(str(bundle)), noop, load_failure="verdict")
    assert outcome.verdicts[0].status == "crashed"
    assert "no such luck" in outcome.verdicts[0].message


PIP = "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pip', 'install', '-q', *{names}], check=True)\n"


def test_a_setup_script_installs_into_the_box_and_cannot_replace_our_packages(
    game: MettaGridConfig, make_bundle: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mettagrid.runner.boxed import setup

    write_wheel(tmp_path / "index", "smallthing", "value = 'from the index'")
    write_wheel(tmp_path / "index", "numpy", "raise SystemExit('replaced')")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    setup.package_index.cache_clear()
    script = PIP.format(names=["smallthing", "numpy"]) + "open('made.txt', 'w').write('once')\n"
    check = "import smallthing, pathlib\nassert pathlib.Path(__file__).with_name('made.txt').read_text() == 'once'\n"
    bundle = make_bundle(EAST, head=check + "import numpy\nassert numpy.zeros(3).sum() == 0\n", setup=script)
    material = BoxedPolicy.from_uri(str(bundle)).material
    installed = {path.name for path in Path(material.libraries[0]).iterdir()}
    assert {"smallthing.py", "numpy.py"} <= installed
    result = validate_bundle(str(bundle), game)
    assert (result.problem, result.steps) == ("", 10)
    setup.package_index.cache_clear()


def test_a_setup_script_that_fails_is_told_with_its_output(make_bundle: Maker) -> None:
    bundle = make_bundle(EAST, setup="print('about to fail')\nraise SystemExit(4)")
    with pytest.raises(RuntimeError, match=r"exit code 4(.|\n)*about to fail"):
        BoxedPolicy.from_uri(str(bundle))


def test_a_setup_script_runs_in_a_box(make_bundle: Maker, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o777)
    outside.chmod(0o777)
    bundle = make_bundle(EAST, setup=f"open({str(outside / 'escaped')!r}, 'w')")
    with pytest.raises(RuntimeError, match="No such file or directory"):
        BoxedPolicy.from_uri(str(bundle))
    assert list(outside.iterdir()) == []


def test_validation_tells_what_is_wrong(game: MettaGridConfig, make_bundle: Maker) -> None:
    good = validate_bundle(str(make_bundle(EAST)), game)
    assert (good.ok, good.steps) == (True, 10)
    assert good.level in ("container", "bubblewrap", "namespaces")
    lazy = validate_bundle(str(make_bundle("return Action(name='noop')", name="lazy")), game)
    assert lazy.problem == "The policy did nothing but noop"
    broken = validate_bundle(str(make_bundle("return 1 / 0", name="broken")), game)
    assert "division by zero" in broken.problem
