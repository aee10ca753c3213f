"""Show a small demonstration game.

usage: python -m mettagrid.live [--policy NAME] [--agents N] [--steps N] [--port N] [--autostart] [--no-browser]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m mettagrid.live", description="Show a small demonstration game.")
    parser.add_argument("--policy", default="random", help="policy of all agents")
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
    parser.add_argument("--port", type=int, default=0, help="port to listen at; by default a free one")
    parser.add_argument("--autostart", action="store_true", help="start without waiting for a key")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    options = parser.parse_args(arguments)

    from mettagrid.runner.episode.errors import EpisodeError
    from mettagrid.viewer.errors import ViewerError

    try:
        print(f"Steps: {_play(options)}")
    except KeyboardInterrupt:
        return 130
    except (EpisodeError, ViewerError, OSError, OverflowError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _play(options: argparse.Namespace) -> int:
    """Play the game and return its number of steps."""
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.live._play import play_live
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.runner.episode.plan import EpisodePlan

    env = MettaGridConfig.EmptyRoom(num_agents=options.agents)
    env.game.max_steps = options.steps
    env.game.talk.enabled = True
    plan = EpisodePlan(env, [PolicySpec(class_path=options.policy)], [0] * options.agents, seed=options.seed)
    outcome = play_live(
        plan,
        title="Empty room",
        autostart=options.autostart,
        host=options.host,
        port=options.port,
        browser=not options.no_browser,
    )
    return outcome.steps


if __name__ == "__main__":
    sys.exit(main())
