"""The sandbox's hostile programs as policies: each is a bundle whose agent runs the program in its third step.

The right verdict, an unharmed world outside, and for the other seats the same results as beside a policy that does
nothing.
"""

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy import bundle_cache
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.boxed import BoxedPolicy, BoxPolicyOptions
from mettagrid.runner.episode import EpisodeOutcome, EpisodePlan, play_episode

HOSTILE = Path(__file__).parents[4] / "cogbox" / "tests" / "hostile"
sys.path.insert(0, str(HOSTILE))

from world import World  # noqa: E402

pytestmark = pytest.mark.slow

POLICY = """
import os, runpy
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.simulator import Action


class Policy(MultiAgentPolicy):
    def agent_policy(self, agent_id):
        return Agent(self._policy_env_info)


class Agent(AgentPolicy):
    steps = 0

    def step(self, obs):
        self.steps += 1
        if self.steps == 3:
            runpy.run_path(os.path.join(os.path.dirname(__file__), "PROGRAM.py"), run_name="__main__")
        return Action(name="noop")
"""

# Program -> possible verdicts of its policy. A program whose attacks are refused continues as a policy, or exits with
# `sys.exit`, which is a crash for a policy.
REFUSED = {"ok", "crashed"}
ENDED = {"killed", "crashed"}
PROGRAMS = {
    "fork_bomb": ENDED,
    "thread_bomb": ENDED,
    "memory_anonymous": ENDED,
    "huge_stdout": ENDED,
    "endless_loop": ENDED,
    "sleep": ENDED,
    "ignores_signals": ENDED,
    "stops_itself": ENDED,
    "calls_of_32_bits": ENDED,
    "dumps_core": ENDED,
    "kills_everybody": REFUSED | ENDED,
    "closes_everything": ENDED,
    "double_fork_daemon": REFUSED,
    "signals_others": REFUSED | ENDED,
    "traces_others": REFUSED,
    "becomes_root": REFUSED,
    "mounts": REFUSED,
    "makes_namespaces": REFUSED,
    "connects_to_the_machine": REFUSED,
    "connects_to_unix_sockets": REFUSED,
    "reads_files": REFUSED,
    "reads_environment": REFUSED,
    "looks_at_other_processes": REFUSED,
    "writes_outside": REFUSED,
    "writes_system": REFUSED,
    "own_filter": REFUSED | ENDED,
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    patch = pytest.MonkeyPatch()
    patch.setenv("HOSTILE_SECRET", "the secret of the world outside")
    world = World(tmp_path_factory.mktemp("world"))
    yield world
    world.close()
    patch.undo()


def bundle_of(folder: Path, program: str) -> Path:
    path = folder / f"{program}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("policy_spec.json", json.dumps({"class_path": "hostile_policy.Policy"}))
        archive.writestr("hostile_policy.py", POLICY.replace("PROGRAM", program))
        for name in (program, "kit"):
            archive.write(HOSTILE / "programs" / f"{name}.py", f"{name}.py")
    return path


def play(game: MettaGridConfig, first: PolicySpec | BoxedPolicy) -> EpisodeOutcome:
    policies = [first, PolicySpec(class_path="random")]
    plan = EpisodePlan(game, policies, [0, 0, 1, 1], seed=5, max_action_time_ms=4000, patience_ms=4000)
    return play_episode(plan)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_hostile_program_as_a_policy_hurts_nobody_but_itself(
    program: str, game: MettaGridConfig, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle_cache, "DEFAULT_POLICY_CACHE_DIR", tmp_path / "cache")
    log = tmp_path / "log"
    options = BoxPolicyOptions(
        memory=400 << 20,
        processes=24,
        output_bytes=1 << 20,
        env={"TARGETS": json.dumps(world.targets())},
        log_path=str(log),
    )
    outcome = play(game, BoxedPolicy.from_uri(str(bundle_of(tmp_path, program)), options))
    assert outcome.verdicts[0].status in PROGRAMS[program], outcome.verdicts[0]
    assert world.damage() == []
    assert world.secret not in log.read_text(errors="replace")
    assert "ESCAPED" not in log.read_text(errors="replace")
    calm = play(game, PolicySpec(class_path="noop"))
    assert outcome.verdicts[1] == calm.verdicts[1]
    assert (outcome.rewards[2:], outcome.stats["agent"][2:]) == (calm.rewards[2:], calm.stats["agent"][2:])
