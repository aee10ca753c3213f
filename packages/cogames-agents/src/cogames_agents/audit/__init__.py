"""Audit what policies for Cogs vs Clips do: three reports on a policy, or on two.

- `rollout`: a short episode with checks: structures, alignment, roles, gear; `parity`: two policies side by side;
  `instrumented`: role and resource traces
- `setting`: the world to play; `episode`: play it and record every step
- `world`: the state before a step; `uses`: which object an agent walked into, and the effect
- `claims`: the infos of a policy; `sightings`: what its team has had in view
- `roles`, `behavior`, `alignment`, `knowledge`, `gear`, `stock`, `prerequisites`: counts over the steps of an episode
- `checks`: the verdicts; `commands`: the command line

The facts come from the simulation. Infos are compared with them, so a policy cannot talk itself through a check.
"""
