"""Run episodes.

- `episode`: the runner of every command and of the league; a failing policy does not affect the others
- `rollout`: the published interface, where an exception of a policy ends the episode
- `policy_server`: a policy in its own process, behind a socket
- `episode_runner`, `episode_subprocess`, `executor`: a whole episode as a job, from a description to its results
- `statistics`: confidence intervals for means over episodes

Import from the modules; nothing is imported here.
"""

__all__: list[str] = []
