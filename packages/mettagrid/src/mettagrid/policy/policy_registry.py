"""Short names of policies.

A policy class lists its short names in `short_names`, and they are registered when the class is created. Names belong
to packages, so that two packages never break each other's import:

- our own names are known from the start and always mean our policies;
- other installed packages own the names of their entry points (`installed_policies`);
- among the rest, the first package that claims a name owns it;
- a package that claims a name owned by another one can still be imported. Its class is reachable as
  `package.name`, and a warning in the log says so. (A dot and not a colon, because `NAME:N` already means N shares.)
- every name can be written `package.name`, also by its owner;
- within one package a name may be claimed once only, and our own packages count as one: a second class claiming it
  raises `ValueError`.

A package is the outermost part of the module's name that has a file, so parts of a namespace package are packages of
their own.
"""

from __future__ import annotations

import functools
import logging
import sys
from abc import ABCMeta
from collections.abc import Iterable
from typing import Any

from mettagrid.policy.built_in_names import built_in_policies
from mettagrid.policy.installed_policies import installed_policies

__all__ = ["PolicyRegistryABCMeta", "PolicyRegistryMeta", "get_policy_registry"]

logger = logging.getLogger(__name__)

_OURS = "mettagrid"
OUR_PACKAGES = frozenset({_OURS, "cogames", "cogames_agents", "cogsguard", "bitworld", "metta_alo", "cogbox"})

# Name as a user types it -> class path, in the order of registration: bare names, and `package.name` where the bare
# name belongs to another package.
_POLICY_REGISTRY: dict[str, str] = built_in_policies()

# (package, bare name) -> class path.
_CLAIMS: dict[tuple[str, str], str] = {(_OURS, name): path for name, path in _POLICY_REGISTRY.items()}


def get_policy_registry() -> dict[str, str]:
    """Return a copy of the registry: name to class path, in the order of registration."""
    _register_installed_policies()
    return dict(_POLICY_REGISTRY)


def find_policy_class_path(name: str) -> str | None:
    """Return the class path for a short name or `package.name`, or None for any other text."""
    if name not in _POLICY_REGISTRY:
        _register_installed_policies()
    if name in _POLICY_REGISTRY:
        return _POLICY_REGISTRY[name]
    package, _, bare = name.rpartition(".")
    if package not in OUR_PACKAGES:
        return _CLAIMS.get((package, bare))
    # Ours count as one package when names are claimed; a name is written with the one that has the class.
    class_path = _CLAIMS.get((_OURS, bare), "")
    return class_path if class_path.startswith(f"{package}.") else None


def register_policy_class(short_names: Iterable[str] | str, class_path: str, module: str) -> None:
    """Register the short names of the class at `class_path`, defined in `module`.

    Raises `ValueError` if another class of the same package has one of the names.
    """
    if module.partition(".")[0] not in OUR_PACKAGES:
        _register_installed_policies()  # they own their names, whichever code is imported first
    _claim([short_names] if isinstance(short_names, str) else list(short_names), class_path, module)


@functools.cache
def _register_installed_policies() -> None:
    """Register the names of installed packages, ours first."""
    for policy in sorted(installed_policies(), key=lambda policy: policy.package not in OUR_PACKAGES):
        try:
            _claim([policy.name], policy.class_path, policy.module)
        except ValueError as error:
            logger.warning("Skipping the policy %s: %s", policy.name, error)


def _claim(names: Iterable[str], class_path: str, module: str) -> None:
    package = _package_of(module)
    for name in names:
        known = _CLAIMS.setdefault((package, name), class_path)
        if known != class_path:
            raise ValueError(
                f"Policy short name {name!r} is already registered to {known}, cannot register {class_path}; "
                "give one of them another name in `short_names`"
            )
        owner = _POLICY_REGISTRY.setdefault(name, class_path)
        full_name = f"{package}.{name}"
        if owner != class_path and full_name not in _POLICY_REGISTRY:
            _POLICY_REGISTRY[full_name] = class_path
            logger.warning("Policy name %r means %s; %s is reachable as %r", name, owner, class_path, full_name)


def forget_policy_classes(modules: Iterable[str]) -> None:
    """Drop the names of all classes defined in `modules`, whose code is about to be replaced."""
    removed = set(modules)

    def is_removed(class_path: str) -> bool:
        return class_path.rpartition(".")[0] in removed

    for name in [name for name, class_path in _POLICY_REGISTRY.items() if is_removed(class_path)]:
        del _POLICY_REGISTRY[name]
    for claim in [claim for claim, class_path in _CLAIMS.items() if is_removed(class_path)]:
        del _CLAIMS[claim]


def _package_of(module: str) -> str:
    """Return the package whose namespace a module's policies are in."""
    parts = module.split(".")
    if parts[0] in OUR_PACKAGES:
        return _OURS
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        if getattr(sys.modules.get(name), "__file__", None) is not None:
            return name
    return ".".join(parts[:-1]) or module


class PolicyRegistryMeta(type):
    """Registers `short_names` of each class that is created with it."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(name, bases, namespace, **kwargs)
        short_names = namespace.get("short_names")  # inherited names stay with the class that wrote them
        if short_names:
            # A class defined in a function cannot be looked up by its name; it is listed as if the module had it.
            path = cls.__name__ if "<locals>" in cls.__qualname__ else cls.__qualname__
            register_policy_class(short_names, f"{cls.__module__}.{path}", cls.__module__)


class PolicyRegistryABCMeta(PolicyRegistryMeta, ABCMeta):
    """`PolicyRegistryMeta` for abstract base classes."""
