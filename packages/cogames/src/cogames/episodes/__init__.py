"""Play episodes and measure policies, without printing.

- `settings`: what all functions that play share
- `single`: one episode to watch
- `evaluation`: many episodes, with intervals (`statistics`)
- `value_over_replacement`: what a policy adds to a team
"""
