"""`cogames policies`."""

from softmax.cli.program import examples


@examples("cogames play -m arena -p starter", "cogames play -m arena -p class=random")
def policies() -> None:
    """List the short names of policies.

    Each can be given to --policy (-p). Any class can be given as module.Class.
    """
    from mettagrid.policy.loader import discover_and_register_policies
    from mettagrid.policy.policy_registry import get_policy_registry

    discover_and_register_policies()
    rows = [*get_policy_registry().items(), ("custom", "path.to.your.PolicyClass")]
    width = max(len(name) for name, _ in rows)
    for name, class_path in rows:
        print(f"{name:{width}}  {class_path}")
