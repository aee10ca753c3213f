"""Create policies from short names or descriptions."""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import logging
import pkgutil
from importlib.util import find_spec
from typing import Any

from mettagrid.policy.built_in_names import NEEDS_TORCH
from mettagrid.policy.import_roots import activate_import_roots
from mettagrid.policy.policy import AgentPolicy, MultiAgentPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_registry import find_policy_class_path, get_policy_registry
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.util.module import load_symbol

__all__ = [
    "discover_and_register_policies",
    "get_policy_class_shorthand",
    "initialize_or_load_policy",
    "load_policy_class",
    "resolve_policy_class_path",
]

logger = logging.getLogger(__name__)

# Third-party packages whose policies have short names. Ours are known without importing anything.
_KNOWN_PACKAGES = (
    "metta.agent.policy",
    "metta.rl.training.cuda_teacher",
    "cog_cyborg.policy",
)


def discover_and_register_policies(*packages: str) -> None:
    """Register the short names of known policy packages and of `packages`.

    Each package is imported once, because its classes have the names. Packages that are not installed and modules that
    cannot be imported are skipped. The names of entry points (`installed_policies`) are known without this.
    """
    for package in (*_KNOWN_PACKAGES, *packages):
        _walk_and_import_package(package)


def resolve_policy_class_path(policy: str) -> str:
    """Return the class path for a short name, or any other text unchanged."""
    return find_policy_class_path(policy) or policy


def get_policy_class_shorthand(policy: str) -> str | None:
    """Return the first short name of the class at `policy`, or None if it has none."""
    return next((name for name, class_path in get_policy_registry().items() if class_path == policy), None)


def initialize_or_load_policy(
    policy_env_info: PolicyEnvInterface, policy_spec: PolicySpec, device_override: str | None = None
) -> MultiAgentPolicy:
    """Create the policy: import its class, construct it, and load its weights.

    `device_override` replaces the argument `device` if the description has one. `device` is not passed to a class that
    does not accept it. Raises `ModuleNotFoundError` for an unknown class, `TypeError` for arguments that the class does
    not accept and for a class that is not a `MultiAgentPolicy`; exceptions of the policy's own code propagate.
    """
    policy_class = load_policy_class(policy_spec)
    kwargs = dict(policy_spec.init_kwargs)
    if device_override is not None and "device" in kwargs:
        kwargs["device"] = device_override
    policy = policy_class(policy_env_info, **_accepted(policy_class, kwargs, policy_spec.class_path))
    if isinstance(policy, AgentPolicy):
        raise TypeError(
            f"{policy_spec.class_path} is an AgentPolicy, which decides for one agent; "
            "name a MultiAgentPolicy whose `agent_policy(agent_id)` returns it"
        )
    if not isinstance(policy, MultiAgentPolicy):
        raise TypeError(f"{policy_spec.class_path} is not a MultiAgentPolicy; derive it from that class")
    if policy_spec.data_path is not None:
        policy.load_policy_data(policy_spec.data_path)
    return policy


def load_policy_class(policy_spec: PolicySpec) -> Any:
    """Import the class of a description. Raises `ModuleNotFoundError` for an unknown one."""
    if policy_spec.import_roots:
        # A bundle with modules of the same names may have been loaded since the description was read.
        activate_import_roots(policy_spec.class_path, policy_spec.import_roots)
    return _load_class(policy_spec.class_path)


@functools.cache
def _walk_and_import_package(package_name: str) -> None:
    package = _import_or_pass(package_name)
    for path in getattr(package, "__path__", ()):
        for module in pkgutil.iter_modules([path], prefix=f"{package_name}."):
            # Bindings of native policies may download or build on import.
            if ".bindings" in module.name:
                continue
            if module.ispkg:
                _walk_and_import_package(module.name)
            else:
                _import_or_pass(module.name)


def _import_or_pass(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # third-party code, which may fail in any way
        logger.debug("Skipping the policies of %s: %s: %s", name, type(error).__name__, error)
        return None


def _load_class(name: str) -> Any:
    """Return the class for a short name or class path."""
    class_path = find_policy_class_path(name)
    if class_path is None and "." not in name:
        # The name may belong to a package that has not been imported yet.
        discover_and_register_policies()
        class_path = find_policy_class_path(name)
    if class_path is None and "." not in name:
        raise ModuleNotFoundError(_unknown(name))
    policy_class = load_symbol(class_path or name)
    if not callable(policy_class):
        raise TypeError(f"{name} is not a class; it is of type {type(policy_class).__name__}")
    return policy_class


def _unknown(name: str) -> str:
    if name in NEEDS_TORCH:
        return f"Invalid symbol name: {name}; it needs PyTorch: `pip install cogames[neural]`"
    known = list(get_policy_registry())
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.7)
    hint = f"did you mean {' or '.join(close)}?" if close else "`cogames policies` lists the names."
    text = f"Invalid symbol name: {name}; {hint} A class is written module.Class"
    return text if find_spec("cogames_agents") is not None else f"{text}; `pip install cogames[agents]` adds policies"


def _accepted(policy_class: Any, kwargs: dict[str, Any], class_path: str) -> dict[str, Any]:
    """Return the arguments, without `device` if the class does not take it; raise `TypeError` for unknown ones."""
    try:
        parameters = inspect.signature(policy_class).parameters.values()
    except (TypeError, ValueError):  # it has no signature
        return kwargs
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return kwargs
    named = [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    accepted = {name: value for name, value in kwargs.items() if name in named or name != "device"}
    wrong = [name for name in accepted if name not in named]
    if wrong:
        takes = ", ".join(name for name in named[1:]) or "none"
        raise TypeError(f"{class_path} takes no argument {wrong[0]!r}; it takes {takes}")
    return accepted
