"""The names under which the `-p` grammar is imported elsewhere; it lives in `cogames.policy_args`."""

from cogames.policy_args import (
    PolicySpecWithProportion,
    parse_policy_spec,
    policy_arg_example,
    policy_arg_w_proportion_example,
)

__all__ = [
    "PolicySpecWithProportion",
    "parse_policy_spec",
    "policy_arg_example",
    "policy_arg_w_proportion_example",
]
