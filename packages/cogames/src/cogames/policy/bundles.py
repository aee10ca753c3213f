"""Pack a policy into a bundle, and run a bundle in a sandbox."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cogames.policy.arguments import PolicySpecWithProportion, parse_policy_spec, split_policy_uri
from mettagrid.policy.bundle import CreatedBundle
from mettagrid.policy.bundle import create_bundle as _create_bundle
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.util.uri_resolvers.schemes import localize_uri, parse_init_kwargs_from_query, parse_uri

if TYPE_CHECKING:
    from mettagrid.config.any_env_config import AnyEnvConfig
    from mettagrid.runner.boxed import Validation

__all__ = ["BundleError", "BundleNotValid", "create_bundle", "run_bundle"]


class BundleError(Exception):
    """A bundle cannot be packed or run; `hints` are commands that may help."""

    def __init__(self, message: str, hints: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.hints = list(hints)


class BundleNotValid(BundleError):
    """The policy in the bundle failed to load, crashed or only did nothing; `result` has its last output."""

    def __init__(self, result: Validation, hints: Sequence[str] = ()) -> None:
        super().__init__(f"The bundle is not valid: {result.problem}", hints)
        self.result = result


def create_bundle(
    policy: str | Path | PolicySpec,
    output: Path,
    *,
    include_files: Sequence[str] = (),
    init_kwargs: Mapping[str, Any] | None = None,
    setup_script: str | None = None,
    network_hosts: Sequence[str] = (),
    compat_version: str | None = None,
) -> CreatedBundle:
    """Write a bundle for a policy as `cogames create-bundle -p POLICY` does.

    The path or URI of a bundle is packed again with the changes; any other text is a name or class with its fields.
    See `mettagrid.policy.bundle.create_bundle` for the other arguments.
    """
    source, kwargs = _source(policy)
    if isinstance(source, PolicySpec):
        source = _with_observations(source)
    return _create_bundle(
        source,
        output,
        include_files=include_files,
        init_kwargs={**kwargs, **(init_kwargs or {})},
        setup_script=setup_script,
        network_hosts=network_hosts,
        compat_version=compat_version,
    )


def run_bundle(bundle: str, env: AnyEnvConfig) -> Validation:
    """Play a few steps in a sandbox and return the result; raise `BundleError` if the bundle cannot be run at all."""
    import cogbox
    from mettagrid.runner.boxed import validate_bundle

    try:
        return validate_bundle(bundle, env)
    except cogbox.LevelMissing as error:
        raise BundleError(str(error), ["cogames validate-policy runs it without a sandbox"]) from error
    except (ValueError, OSError, RuntimeError, ImportError) as error:
        raise BundleError(str(error)) from error


def _with_observations(spec: PolicySpec) -> PolicySpec:
    """Record the observations that a class for BitWorld games asks for: a league does not import the class.

    Only a class whose file names `bitworld_observation` is imported for this.
    """
    if spec.policy_env_interface is not None or not _asks_for_observations(spec.class_path):
        return spec
    from mettagrid.runner.bitworld.interface import recorded_interface

    return spec.model_copy(update={"policy_env_interface": recorded_interface(spec)})


def _asks_for_observations(class_path: str) -> bool:
    try:
        module = importlib.util.find_spec(class_path.rpartition(".")[0])
        return module is not None and "bitworld_observation" in Path(module.origin or "").read_text(encoding="utf-8")
    except (ImportError, ValueError, OSError):
        return False


def _source(policy: str | Path | PolicySpec) -> tuple[PolicySpec | Path, dict[str, Any]]:
    """Return the path of an existing bundle or a policy's description, and the arguments in a bundle's URI."""
    if isinstance(policy, PolicySpecWithProportion):
        return policy.to_policy_spec(), {}
    if not isinstance(policy, str):
        return policy, {}
    uri, _ = split_policy_uri(policy)
    base, _, query = (uri or "").partition("?")
    scheme = parse_uri(base, allow_none=True) if uri is not None else None
    if scheme is None or scheme.scheme not in ("file", "s3"):
        return parse_policy_spec(policy).to_policy_spec(), {}
    bundle = localize_uri(base)
    if bundle is None:
        raise ValueError(f"No bundle at {policy}")
    return bundle, parse_init_kwargs_from_query(query)
