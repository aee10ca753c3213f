"""Play hostile policies at one level of the sandbox: worker.py LEVEL [NAME...]

Each outcome is a line of JSON; where the level does not work here, one line `{"missing": why}`.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
import tempfile
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, os.path.dirname(__file__))

from corpus import CASES, LOG_BYTES, SECRET, STEPS


def main() -> None:
    import cogbox

    level, names = sys.argv[1], sys.argv[2:] or list(CASES)
    try:
        cogbox.sandbox(minimum=level, at_most=level)
    except cogbox.LevelMissing as error:
        print(json.dumps({"missing": str(error)}))
        return
    warnings.simplefilter("ignore")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            print(json.dumps({"name": name, "problems": problems(name, level, Path(folder))}), flush=True)


def problems(name: str, level: str, folder: Path) -> list[str]:
    """Return the violated expectations."""
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.policy import bundle_cache
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.runner.boxed import BoxedPolicy, BoxPolicyOptions
    from mettagrid.runner.episode import EpisodePlan, Verdict, play_episode

    case = CASES[name]
    bundle_cache.DEFAULT_POLICY_CACHE_DIR = folder / "cache"
    game = MettaGridConfig.EmptyRoom(num_agents=4, width=8, height=8)
    game.game.max_steps = STEPS
    log = folder / "log"
    limits: dict[str, Any] = {"memory": 400 << 20, "env": {"MY_KEY": SECRET}, "log_path": str(log)}
    options = BoxPolicyOptions(minimum=level, at_most=level, **limits)
    policy = BoxedPolicy.from_uri(str(case.write(folder / "policy.zip")), options)
    plan = EpisodePlan(game, [policy, PolicySpec(class_path="noop")], [0, 0, 1, 1], load_failure="verdict")
    outcome = play_episode(plan)
    verdict, content = outcome.verdicts[0], log.read_bytes()
    text = content.decode(errors="replace")
    found = []
    if verdict.status != case.status or case.message not in verdict.message:
        found.append(f"the verdict {verdict}")
    if outcome.timings.policies[0].isolation != level:
        found.append(f"the level {outcome.timings.policies[0].isolation}")
    if (outcome.verdicts[1], outcome.steps) != (Verdict(), STEPS):
        found.append(f"the other policy: {outcome.verdicts[1]}, {outcome.steps} steps")
    if case.log not in text or len(content) > LOG_BYTES:
        found.append(f"the log of {len(text)} characters: {text[:300]}")
    told = f"{text}\n{outcome.model_dump_json(exclude={'stats'})}"
    hidden = (SECRET, str(folder), sys.prefix, sysconfig.get_paths()["stdlib"], os.path.dirname(__file__))
    found += [f"told: {secret}" for secret in hidden if secret in told]
    return found


if __name__ == "__main__":
    main()
