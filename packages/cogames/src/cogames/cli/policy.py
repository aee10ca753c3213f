"""Compatibility names for the `-p` option; the grammar lives in `cogames.policy.arguments`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, Optional

from cogames.policy.arguments import (
    DEFAULT_CHECKPOINT_DIR as default_checkpoint_dir,
)
from cogames.policy.arguments import (
    PolicySpecWithProportion,
    parse_policy_spec,
    policy_arg_example,
    policy_arg_w_proportion_example,
)
from mettagrid.policy.policy_spec import PolicySpec

if TYPE_CHECKING:
    import typer

__all__ = [
    "ParsedPolicies",
    "PolicySpecWithProportion",
    "RawPolicyValues",
    "default_checkpoint_dir",
    "describe_policy_arg",
    "get_policy_spec",
    "get_policy_specs_with_proportions",
    "list_checkpoints",
    "parse_policy_spec",
    "policy_arg_example",
    "policy_arg_w_proportion_example",
]

ParsedPolicies = list[PolicySpec]
RawPolicyValues = Optional[Sequence[str]]  # noqa: UP045 - a value at run time, as before


def get_policy_spec(ctx: typer.Context, policy_arg: str | None, device: str | None = None) -> PolicySpec:
    """Parse the value of `-p`; print the accepted forms and exit with code 1 when it is missing or wrong."""
    if policy_arg is None:
        _refuse(ctx, "Missing: --policy / -p")
    return _parse(ctx, policy_arg, device).to_policy_spec()


def get_policy_specs_with_proportions(
    ctx: typer.Context, policy_args: list[str] | None, device: str | None = None
) -> list[PolicySpecWithProportion]:
    """Parse repeated values of `-p` with their proportions; exit with code 1 when none is given or one is wrong."""
    if not policy_args:
        _refuse(ctx, "Supply at least one: --policy / -p")
    return [_parse(ctx, text, device) for text in policy_args]


def describe_policy_arg(with_proportion: bool) -> None:
    """Print the forms that `-p` accepts."""
    from cogames.cli.base import console

    example = policy_arg_w_proportion_example if with_proportion else policy_arg_example
    console.print(f"-p takes {example}", markup=False)


def list_checkpoints() -> None:
    """Print the checkpoint bundles under `train_dir`, newest first; print nothing when there are none."""
    from rich.table import Table

    from cogames.cli.base import console
    from cogames.policy.arguments import list_checkpoints as find_checkpoints

    checkpoints = find_checkpoints()
    if not checkpoints:
        return
    table = Table("Checkpoint", "Last Modified", title="Local checkpoint bundles")
    for name, time in checkpoints:
        table.add_row(name, f"{time:%Y-%m-%d %H:%M}")
    console.print(table)


def _parse(ctx: typer.Context, text: str, device: str | None) -> PolicySpecWithProportion:
    from cogames.commands.shared.choices import policy

    return policy(ctx, text, device)


def _refuse(ctx: typer.Context, message: str) -> NoReturn:
    from cogames.commands.shared.choices import missing

    missing(ctx, message)
