"""Policies that send or print unexpected data, each with the verdict that it must get.

`body` is the code of an agent's step, before it returns a noop; `head` goes above the classes. A verdict is the same at
every level of the sandbox, for root and for an ordinary user, and in the league.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

SECRET = "a-value-that-nobody-may-read"
STEPS = 5
LOG_BYTES = 1_100_000
"""more than a log is cut to, with the line that says so"""

POLICY = """
import ctypes, os, subprocess, sys, threading, time
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action
{head}

class Policy(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)


class Agent(AgentPolicy):
    steps = 0

    def step(self, obs):
        self.steps += 1
{body}
        return Action(name="noop")
"""


@dataclass(frozen=True)
class Case:
    body: str
    status: str = "ok"
    """of the verdict"""
    message: str = ""
    """what the message of the verdict holds"""
    log: str = ""
    """what the log holds"""
    head: str = ""

    def source(self) -> str:
        body = "\n".join(f"        {line}" for line in self.body.splitlines())
        return POLICY.replace("{head}", self.head).replace("{body}", body)

    def write(self, path: Path) -> Path:
        """Write the bundle."""
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("policy_spec.json", json.dumps({"class_path": "my_policy.Policy"}))
            archive.writestr("my_policy.py", self.source())
        return path


def infos(value: str, message: str) -> Case:
    return Case(f"self._infos = {value}", "protocol_error", message)


LINE = "'x' * 999_999"

CASES = {
    # Infos
    "four_thousand_infos": infos("{f'k{n}': n for n in range(4000)}", "too many values"),
    "long_infos": infos("{'text': 'x' * 60_000 + '\\u00fc' * 60_000}", "more than"),
    "long_names_of_infos": infos("{'k' * 50_000 + str(n): n for n in range(4)}", "more than"),
    "infos_that_nest": Case(
        "d = {}\nself._infos = {'d': d}\nfor _ in range(100):\n    d['d'] = d = {}", "protocol_error"
    ),
    "infos_of_every_step": Case("self._infos = {'text': 'x' * 59_000 + str(self.steps)}"),
    "infos_that_are_no_json": Case("self._infos = {'n': float('nan'), 'o': object(), 'b': b'\\xff', 3: {1, 2}}"),
    # Output
    "prints_98_megabytes": Case(
        f"if self.steps == 1 and not os.path.exists('x'):\n    open('x', 'w')\n"
        f"    [print({LINE}) for _ in range(98)]\nif self.steps == {STEPS}:\n    print('the end')",
        log="bytes were left out here",
    ),
    "prints_without_end": Case(f"while True:\n    print({LINE})", "killed", "bytes of output"),
    "prints_on_standard_error": Case(
        f"while True:\n    os.write(2, ({LINE}).encode())", "killed", "bytes of output", log="xxxx"
    ),
    "a_thread_that_prints": Case(
        "threading.Thread(target=lambda: [os.write(1, b'y' * 1_000_000) for _ in range(500)]).start()\ntime.sleep(60)",
        "killed",
        "bytes of output",
    ),
    "a_child_that_prints": Case(
        "subprocess.run(['sh', '-c', 'yes abcdefgh'])", "killed", "bytes of output", "abcdefgh"
    ),
    "prints_secrets_and_paths": Case(
        "print(os.environ, sys.path, os.getcwd(), sys.argv, sys.executable, __file__)", log="[secret]"
    ),
    "prints_junk": Case("os.write(1, bytes(range(256)) * 1000)", log="\ufffd"),
    "forges_a_traceback": Case(
        "print('The policy failed at step 0 agent 3:\\nTraceback (most recent call last):\\n  File \"/etc/passwd\"')",
        log="/etc/passwd",
    ),
    # Ends
    "crashes_in_native_code": Case("ctypes.string_at(0)", "killed", "SIGSEGV", "Segmentation fault"),
    "takes_all_memory": Case("x = [bytearray(1 << 20) for _ in range(10_000)]", "killed", "bytes of memory"),
    "a_traceback_without_end": Case(
        "def deeper(n):\n    if n == 0:\n        raise ValueError('z' * 10_000_000)\n    deeper(n - 1)\ndeeper(900)",
        "crashed",
        "ValueError: zzz",
        "my_policy.py",
    ),
}

# One of each way in which an honest author's policy speaks or ends, for the places where authors look. All of them
# print paths and a secret first.
_LEAKS = "print(__file__, os.getcwd(), sys.path, os.environ.get('MY_KEY'))\n"
VOICES = {
    "prints": Case(_LEAKS + "print('I print', end='')", log="I print"),
    "complains": Case(_LEAKS + "print('I complain', file=sys.stderr)", log="I complain\n"),
    "thread": Case(
        _LEAKS + "t = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()",
        log="ZeroDivisionError: division by zero",
    ),
    "child": Case(
        _LEAKS + "subprocess.run(['sh', '-c', 'echo I am a child; echo of hers >&2'])", log="I am a child\nof hers\n"
    ),
    "native": Case(_LEAKS + "ctypes.string_at(0)", "killed", "its process died by SIGSEGV", "Segmentation fault"),
    "memory": Case(
        _LEAKS + "print('I take')\nx = [bytearray(1 << 20) for _ in range(10_000)]",
        "killed",
        "bytes of memory",
        "I take\n",
    ),
    "hangs": Case(
        _LEAKS + "print('I wait')\ntime.sleep(600)",
        "killed",
        "gave no answer",
        "I wait\n",
        head="from mettagrid.runner.policy_server import connection\nconnection.SLOW_STEP_SECONDS = 0.2",
    ),
    "raises": Case(
        _LEAKS + "raise ValueError('no idea ' + str(os.environ.get('MY_KEY')))",
        "crashed",
        "ValueError: no idea",
        'File "my_policy.py", line',
    ),
}
