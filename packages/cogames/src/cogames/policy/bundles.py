"""Pack the policy of a `-p` argument into a bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cogames.policy.arguments import parse_policy_spec, split_policy_uri
from mettagrid.policy.bundle import CreatedBundle
from mettagrid.policy.bundle import create_bundle as _create_bundle
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.util.uri_resolvers.schemes import localize_uri, parse_init_kwargs_from_query, parse_uri

__all__ = ["create_bundle"]


def create_bundle(
    policy: str,
    output: Path,
    *,
    include_files: Sequence[str] = (),
    init_kwargs: Mapping[str, Any] | None = None,
    setup_script: str | None = None,
    network_hosts: Sequence[str] = (),
    compat_version: str | None = None,
) -> CreatedBundle:
    """Write a bundle for a policy as `cogames create-bundle -p POLICY` does.

    The path or URI of a bundle is packed again with the changes; anything else is a name or class with its fields.
    See `mettagrid.policy.bundle.create_bundle` for the other arguments.
    """
    source, kwargs = _source(policy)
    return _create_bundle(
        source,
        output,
        include_files=include_files,
        init_kwargs={**kwargs, **(init_kwargs or {})},
        setup_script=setup_script,
        network_hosts=network_hosts,
        compat_version=compat_version,
    )


def _source(policy: str) -> tuple[PolicySpec | Path, dict[str, Any]]:
    """Return the path of an existing bundle or a policy's description, and the arguments in a bundle's URI."""
    uri, _ = split_policy_uri(policy)
    base, _, query = (uri or "").partition("?")
    scheme = parse_uri(base, allow_none=True) if uri is not None else None
    if scheme is None or scheme.scheme not in ("file", "s3"):
        return parse_policy_spec(policy).to_policy_spec(), {}
    bundle = localize_uri(base)
    if bundle is None:
        raise ValueError(f"No bundle at {policy}")
    return bundle, parse_init_kwargs_from_query(query)
