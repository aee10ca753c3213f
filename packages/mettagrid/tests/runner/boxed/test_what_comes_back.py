"""The output, tracebacks and infos of a boxed policy are bounded and contain no local paths."""

import json
import os
import sys
import sysconfig
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.boxed import BoxedPolicy, BoxPolicyOptions
from mettagrid.runner.boxed.job import PolicyToPlay, play_job
from mettagrid.runner.boxed.logs import Hidden, last_words, truncated_log
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, MachineFault, Verdict, play_episode

NOOP = PolicySpec(class_path="noop")
SECRET = "a-value-that-nobody-may-read"


@dataclass
class Played:
    outcome: EpisodeOutcome
    log: str

    @property
    def verdict(self) -> Verdict:
        return self.outcome.verdicts[0]

    @property
    def last_words(self) -> str:
        return self.outcome.last_words[0]


@pytest.fixture
def play(game: MettaGridConfig, make_bundle: Callable[..., Path], tmp_path: Path) -> Callable[..., Played]:
    """Play a bundle in two seats beside a policy that does nothing; what came of it says nothing of this machine."""

    def run(body: str, *, steps: int = 5, memory: int = 400 << 20, head: str = "", **settings: object) -> Played:
        game.game.max_steps = steps
        log = tmp_path / "log"
        options = BoxPolicyOptions(log_path=str(log), memory=memory, env={"MY_KEY": SECRET})
        policy = BoxedPolicy.from_uri(str(make_bundle(body, head=head)), options)
        plan = EpisodePlan(
            game, [policy, NOOP], [0, 0, 1, 1], load_failure="verdict", actions_path=tmp_path / "actions", **settings
        )
        played = Played(play_episode(plan), log.read_text())
        told = f"{played.log}\n{played.outcome.model_dump_json(exclude={'stats'})}"
        for text in (str(tmp_path), sys.prefix, sysconfig.get_paths()["stdlib"], os.getcwd(), str(Path.home()), SECRET):
            assert text not in told
        return played

    return run


NOOPS = "\nreturn Action(name='noop')"


def test_everything_arrives_once_and_in_order_with_step_and_agent(play: Callable[..., Played]) -> None:
    played = play("print('one', self.steps)\nprint('two', file=sys.stderr)" + NOOPS, head="import sys", steps=2)
    assert played.verdict == Verdict()
    assert played.log == "".join(
        f"[step {step} agent {agent}] one {step + 1}\n[step {step} agent {agent}] two\n"
        for step in range(2)
        for agent in range(2)
    )


def test_what_is_not_flushed_arrives_before_a_crash(play: Callable[..., Played]) -> None:
    played = play("print('half a line', end='')\nos._exit(3)", head="import os")
    assert played.verdict.message == "its process ended with exit code 3"
    assert played.log == "[step 0 agent 0] half a line"
    assert played.last_words == "[step 0 agent 0] half a line"


OUTPUT = {
    "a child": ("subprocess.run(['sh', '-c', 'echo out; echo err >&2'])", ["out\n", "err\n"]),
    "native code": ("ctypes.CDLL(None).puts(b'from C')\nctypes.CDLL(None).fflush(None)", ["from C\n"]),
    "bytes": ("sys.stdout.buffer.write(b'\\xff bytes\\n')\nos.write(2, b'raw\\n')", ["] \ufffd bytes\n", "raw\n"]),
    "a thread": (
        "t = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()",
        ["Exception in thread", 'File "bundle/my_policy.py", line', "ZeroDivisionError"],
    ),
    "text that is not UTF-8": ("print('\\udcff', 'ü')", ["\\udcff ü\n"]),
    "logging": ("logging.getLogger('mine').warning('a warning')", ["a warning"]),
    "paths and secrets": (
        "print(__file__, os.__file__, sys.prefix, sys.path, os.getcwd(), dict(os.environ))",
        ["bundle/my_policy.py", "[secret]"],
    ),
}


@pytest.mark.parametrize("what", OUTPUT)
def test_all_output_of_a_policy_arrives(play: Callable[..., Played], tmp_path: Path, what: str) -> None:
    body, texts = OUTPUT[what]
    head = "import ctypes, logging, os, subprocess, sys, threading"
    (tmp_path / "log").touch()
    played = play(body + NOOPS, head=head, steps=1)
    raw = (tmp_path / "log").read_bytes().decode(errors="replace")
    assert played.verdict == Verdict()
    assert all(text in raw for text in texts), raw


@pytest.fixture(autouse=True)
def tolerant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs are read as text here, whatever is in them."""
    read_text = Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda path, *a, **k: read_text(path, *a, **({"errors": "replace"} | k)))


FAILURES = {
    "an exception": (
        "def deeper():\n    raise ValueError('no idea')\ndeeper()",
        ("crashed", "ValueError: no idea", 0),
        ["The policy failed at step 0 agent 0:", 'File "my_policy.py", line 22, in act', "ValueError: no idea"],
    ),
    "an exception with a path": (
        "open(__file__ + '.missing')",
        ("crashed", "FileNotFoundError: [Errno 2] No such file or directory: 'my_policy.py.missing'", 0),
        ['File "my_policy.py", line'],
    ),
    "an exception for another": (
        "try:\n    {}['key']\nexcept KeyError as e:\n    raise RuntimeError('no key') from e",
        ("crashed", "RuntimeError: no key", 0),
        ["KeyError: 'key'", "direct cause", "RuntimeError: no key"],
    ),
    "an exit": ("sys.exit('enough')", ("crashed", "SystemExit: enough", 0), ['File "my_policy.py", line']),
    "a crash in native code": (
        "ctypes.string_at(0)",
        ("killed", "its process died by SIGSEGV", 0),
        ["Segmentation fault", 'File "bundle/my_policy.py", line 20 in act'],
    ),
    "an abort": (
        "os.abort()",
        ("killed", "its process died by SIGABRT", 0),
        ["Aborted", 'File "bundle/my_policy.py", line 20 in act'],
    ),
    "too much memory": (
        "print('now')\nx = [bytearray(1 << 20) for _ in range(10_000)]",
        ("killed", f"its process used more than {400 << 20} bytes of memory", 0),
        ["[step 0 agent 0] now"],
    ),
    "a deep recursion": (
        "def f(): f()\nf()",
        ("crashed", "RecursionError: maximum recursion depth exceeded", 0),
        ['File "my_policy.py", line 20, in f'],
    ),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_failure_shows_where_in_the_authors_code_it_was(play: Callable[..., Played], what: str) -> None:
    body, verdict, texts = FAILURES[what]
    played = play(body, head="import ctypes, os, sys")
    assert (played.verdict.status, played.verdict.message, played.verdict.step) == verdict
    assert all(text in played.last_words for text in texts), played.last_words
    assert "site-packages/mettagrid" not in played.last_words
    assert len(played.last_words) < 4100
    assert played.outcome.steps == 5


def test_a_policy_that_cannot_be_made_shows_where(play: Callable[..., Played]) -> None:
    played = play("pass", head="print('loading')\nimport a_module_that_is_not_there")
    assert played.verdict.message == "ModuleNotFoundError: No module named 'a_module_that_is_not_there'"
    assert played.verdict.step is None
    assert played.log.startswith("loading\nThe policy failed:\n")
    assert 'File "my_policy.py", line 2, in <module>' in played.last_words


def test_a_policy_that_hangs_shows_where(play: Callable[..., Played], monkeypatch: pytest.MonkeyPatch) -> None:
    head = "import time\nfrom mettagrid.runner.policy_server import connection\nconnection.SLOW_STEP_SECONDS = 0.2"
    body = "connection.SLOW_STEP_SECONDS\nif self.steps > 1:\n    time.sleep(60)" + NOOPS
    played = play(body, head=head, max_action_time_ms=1000, patience_ms=1000)
    assert (played.verdict.status, played.verdict.message) == ("killed", "gave no answer for 1 seconds")
    assert 'File "bundle/my_policy.py", line 24 in act' in played.last_words


def test_a_policy_that_hangs_while_it_is_made_is_ended_after_its_own_limit(play: Callable[..., Played]) -> None:
    for limit in (2, 8, 32):
        played = play("pass", head="import time\nprint('waiting')\ntime.sleep(600)", prepare_timeout_s=float(limit))
        assert (played.verdict.status, played.verdict.message) == ("killed", f"was not ready after {limit} seconds")
        if played.log:
            break  # On a busy machine two seconds may end before Python has read the policy's first line.
    assert played.log == "waiting\n"
    assert EpisodePlan.__dataclass_fields__["prepare_timeout_s"].default <= 120


HOSTILE_INFOS = {
    "four thousand": "self._infos = {f'k{n}': n for n in range(4000)}",
    "deep": "d = {}\nself._infos = {'d': d}\nfor _ in range(100):\n    d['d'] = d = {}",
    "long": "self._infos = {'text': 'x' * 100_000}",
    "no JSON numbers": "self._infos = {'n': 10 ** 4000}",
    "long keys": "self._infos = {'k' * 50_000 + str(n): n for n in range(4)}",
}


@pytest.mark.parametrize("what", HOSTILE_INFOS)
def test_hostile_infos_cost_the_policy_its_verdict_and_nobody_else(
    play: Callable[..., Played], tmp_path: Path, what: str
) -> None:
    played = play(HOSTILE_INFOS[what] + NOOPS)
    assert played.outcome.verdicts[1] == Verdict()
    assert played.outcome.steps == 5
    if what != "no JSON numbers":
        assert (played.verdict.status, played.verdict.step) == ("protocol_error", 0)
        assert "infos_json" in played.verdict.message or "more than" in played.verdict.message
    recorded = json.loads(zlib.decompress((tmp_path / "actions").read_bytes()))
    assert len(json.dumps(recorded["infos"])) < 20_000


def test_a_flood_of_output_leaves_its_beginning_and_its_end(play: Callable[..., Played]) -> None:
    head = "import sys"
    body = "if self.steps == 1:\n    print('first line')\n    for n in range(49):\n        print('x' * 999_999)"
    played = play(body + "\nif self.steps == 5:\n    print('last line')" + NOOPS, head=head)
    assert played.verdict == Verdict()
    assert len(played.log) < 1_100_000
    assert played.log.startswith("[step 0 agent 0] first line\n")
    assert "bytes were left out here ...]" in played.log
    assert played.log.endswith("[step 4 agent 1] last line\n")


def test_more_output_than_a_policy_may_write_ends_it(play: Callable[..., Played]) -> None:
    played = play("while True:\n    print('x' * 1_000_000)")
    assert played.verdict.status == "killed" and "bytes of output" in played.verdict.message
    assert len(played.log) < 1_100_000


def test_one_log_is_kept_for_each_policy_of_a_job(
    make_bundle: Callable[..., Path], game: MettaGridConfig, tmp_path: Path
) -> None:
    game.game.max_steps = 2
    uris = [make_bundle(f"print('I am {name}')" + NOOPS, name=name).as_uri() for name in ("a", "b")]
    spec = {"policy_uris": uris, "assignments": [1, 0, 1, 0], "env": game.model_dump(mode="json"), "seed": 1}
    folder = tmp_path / "job"
    folder.mkdir()
    assert play_job(folder, spec, [PolicyToPlay(name, uri) for name, uri in zip("ab", uris, strict=True)]) is None
    logs = {path.name: path.read_text() for path in folder.glob("*.txt")}
    assert logs == {
        "policy_agent_0.txt": "".join(f"[step {s} agent {a}] I am b\n" for s in range(2) for a in (0, 2)),
        "policy_agent_1.txt": "".join(f"[step {s} agent {a}] I am a\n" for s in range(2) for a in (1, 3)),
    }


def test_a_failed_job_says_when_and_where_and_keeps_its_replay(
    make_bundle: Callable[..., Path], game: MettaGridConfig, tmp_path: Path
) -> None:
    uri = make_bundle("if self.steps > 3:\n    raise ValueError(__file__)" + NOOPS).as_uri()
    spec = {"policy_uris": [uri], "assignments": [0] * 4, "env": game.model_dump(mode="json"), "seed": 1}
    folder = tmp_path / "job"
    folder.mkdir()
    error = play_job(folder, spec, [PolicyToPlay("mine", uri)])
    assert error is not None and error.failed_policy_index == 0
    assert error.message == "crashed: ValueError: my_policy.py\nat step 3, my_policy.py, line 21, in act"
    assert (folder / "replay.json.z").stat().st_size > 100
    assert 'File "my_policy.py", line 21, in act' in (folder / "policy_agent_0.txt").read_text()


def test_a_setup_script_that_fails_says_why_in_the_log(
    make_bundle: Callable[..., Path], game: MettaGridConfig, tmp_path: Path
) -> None:
    uri = make_bundle(NOOPS, setup="print('installing')\nraise OSError('no compiler')").as_uri()
    spec = {"policy_uris": [uri], "assignments": [0] * 4, "env": game.model_dump(mode="json"), "seed": 1}
    folder = tmp_path / "job"
    folder.mkdir()
    error = play_job(folder, spec, [PolicyToPlay("mine", uri)])
    assert error is not None and (error.error_type, error.failed_policy_index) == ("policy_error", 0)
    log = (folder / "policy_agent_0.txt").read_text()
    assert "installing" in log and "OSError: no compiler" in log
    assert str(tmp_path) not in log + error.message and str(Path.home()) not in log + error.message


def test_a_policy_that_fails_on_a_full_disk_is_not_to_blame(
    play: Callable[..., Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mettagrid.runner.episode.faults.LOW_BYTES", 1 << 60)
    with pytest.raises(MachineFault, match="its disk is full"):
        play("raise OSError(28, 'No space left on device')")


def test_a_secret_is_struck_out_even_where_the_log_was_cut(tmp_path: Path) -> None:
    hidden = Hidden([(SECRET, "[secret]")])
    path = tmp_path / "log"
    for offset in range(-60, 60):
        path.write_bytes(
            b"x" * (500 + offset) + SECRET.encode() + b"y" * 3000 + SECRET.encode() + b"z" * (500 + offset)
        )
        kept = truncated_log(path, hidden, 1000)
        assert len(kept) < 1100
        for size in range(6, len(SECRET)):
            assert SECRET[:size].encode() not in kept and SECRET[-size:].encode() not in kept
        assert SECRET not in last_words(path, hidden)
