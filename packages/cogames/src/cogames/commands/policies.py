"""`cogames policies`."""

from typing import Annotated

import typer

from softmax.cli.program import examples

Describe = Annotated[bool, typer.Option("--describe", "-d", help="Say how each policy plays instead of its class.")]


@examples("cogames policies --describe", "cogames play -m arena -p starter", "cogames play -m arena -p class=random")
def policies(describe: Describe = False) -> None:
    """List the short names of policies.

    Each can be given to --policy (-p). Any class can be given as module.Class.
    """
    from cogames.policy.descriptions import describe_policy
    from mettagrid.policy.loader import discover_and_register_policies
    from mettagrid.policy.policy_registry import get_policy_registry

    discover_and_register_policies()
    rows = list(get_policy_registry().items())
    if describe:
        rows = [(name, describe_policy(class_path) or class_path) for name, class_path in rows]
    else:
        rows.append(("custom", "path.to.your.PolicyClass"))
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print(f"{name:{width}}  {text}")
