"""Running episodes.

- `episode`: the one runner of every command and of the league; a policy that fails harms nobody but itself
- `rollout`: episodes as the published interface has them; an exception of a policy ends the episode
- `policy_server`: a policy in a process of its own, behind a socket
- `episode_runner`, `episode_subprocess`, `executor`: a whole episode as a job, from a description to its results
- `statistics`: confidence intervals for means over episodes

Import from the modules; nothing is imported here.
"""

__all__: list[str] = []
