"""Policies that take part in a ladder: their names, and a digest of their code for resuming.

entrants = make_entrants(["starter", "./submission.zip", "class=my_policy.MyPolicy,kw.speed=2"])
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cogames.episodes.settings import PlaySettings, sources, unique_names
from cogames.ladder.errors import LadderError
from cogames.policy.arguments import PolicySpecWithProportion, parse_policy_spec, split_policy_uri
from mettagrid.policy.installed_policies import installed_policy_packages
from mettagrid.policy.loader import discover_and_register_policies, get_policy_class_shorthand
from mettagrid.policy.policy_registry import find_policy_class_path
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.runner.episode.holder import PolicySource

__all__ = ["Entrant", "display_name", "make_entrants", "with_unique_names"]

Parse = Callable[[str], PolicySpecWithProportion]

_METTA = "metta://policy/"


@dataclass(frozen=True)
class Entrant:
    """A policy of a ladder. `policy` is the text that describes it; `digest` changes with its code, weights, arguments.

    It has a `spec`, or the path of a `bundle` of another user, whose code and setup script run only in a sandbox.
    """

    name: str
    policy: str
    digest: str
    spec: PolicySpec | None = field(default=None, repr=False)
    bundle: Path | None = field(default=None, repr=False)

    def source(self, *, isolate: bool) -> PolicySpec | PolicySource:
        """Return the policy for the runner: in the worker's process, or in its own sandbox."""
        if self.spec is not None:
            return sources([self.spec], PlaySettings(isolate=isolate))[0]
        from mettagrid.runner.boxed import BoxedPolicy, BoxPolicyOptions, FailedPolicy

        try:
            return BoxedPolicy.from_uri(str(self.bundle), BoxPolicyOptions(echo=True))
        except (ValueError, RuntimeError, FileNotFoundError) as error:
            return FailedPolicy(self.name, str(error))


def make_entrants(
    policies: Sequence[str], *, parse: Parse = parse_policy_spec, import_code: bool = True
) -> list[Entrant]:
    """Return the policies of `-p` as entrants with unique names.

    Raises `LadderError` for an unknown class. With `import_code` classes are imported to find out; without it, as for
    policies in a sandbox, only the name of the outermost module is looked up.
    """
    specs = [_spec(policy, parse(policy), import_code) for policy in policies]
    names = unique_names([display_name(policy, spec) for policy, spec in zip(policies, specs, strict=True)])
    return [
        Entrant(name, policy, _digest(spec), spec) for name, policy, spec in zip(names, policies, specs, strict=True)
    ]


def with_unique_names(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return entrants from several places with names that differ."""
    names = unique_names([entrant.name for entrant in entrants])
    return [replace(entrant, name=name) for entrant, name in zip(entrants, names, strict=True)]


def _spec(policy: str, parsed: PolicySpecWithProportion, import_code: bool) -> PolicySpec:
    if parsed.proportion != 1:
        raise LadderError(f"The policy {policy!r} has a share of the seats; a ladder gives all policies equal shares")
    spec = parsed.to_policy_spec()
    if not spec.import_roots:
        _check_class(policy, spec.class_path, import_code=import_code)
    return spec


def display_name(policy: str, spec: PolicySpec) -> str:
    """Return a short name: `starter`, `submission` for a bundle, `role?gear=10`, `MyPolicy,speed=2`."""
    uri, _ = split_policy_uri(policy)
    if uri is not None and uri.startswith(_METTA):
        return uri.removeprefix(_METTA)
    if uri is not None:
        base, mark, query = uri.partition("?")
        return Path(base.rstrip("/")).name.removesuffix(".zip") + mark + query
    name = get_policy_class_shorthand(spec.class_path) or spec.name
    arguments = re.findall(r",\s*kw\.([^,]+)", policy)
    return ",".join([name, *arguments])


def _check_class(policy: str, class_path: str, *, import_code: bool) -> None:
    from mettagrid.util.module import load_symbol

    class_path = find_policy_class_path(class_path) or class_path
    if "." not in class_path:
        discover_and_register_policies()
        class_path = find_policy_class_path(class_path) or class_path
    if "." not in class_path:
        raise LadderError(f"Unknown policy {policy!r}", [_names_like(class_path), "a class is written module.Class"])
    try:
        if import_code:
            load_symbol(class_path)
        elif importlib.util.find_spec(class_path.partition(".")[0]) is None:
            raise ModuleNotFoundError(f"no module named {class_path.partition('.')[0]!r}")
    except Exception as error:  # the module is the user's code
        reason = f"{type(error).__name__}: {error}"
        raise LadderError(f"Unknown policy {policy!r}: {reason}", ["`cogames policies` lists short names"]) from error


def _names_like(name: str) -> str:
    import difflib

    from mettagrid.policy.policy_registry import get_policy_registry

    known = list(get_policy_registry())
    close = difflib.get_close_matches(name, known, n=3)
    return f"did you mean {' or '.join(close)}?" if close else f"known names: {', '.join(known)}"


def _digest(spec: PolicySpec) -> str:
    """Return a digest of class, arguments, weights, and the files of the bundle, of the module or of the package."""
    digest = hashlib.sha256()
    digest.update(json.dumps([spec.class_path, spec.init_kwargs], sort_keys=True, default=str).encode())
    files = [] if spec.data_path is None else [("data", Path(spec.data_path))]
    for number, root in enumerate(spec.import_roots):
        paths = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        files += [(f"{number}/{path.relative_to(root)}", path) for path in paths]
    if not spec.import_roots:
        files += _code_files(spec.class_path)
    for name, path in files:
        digest.update(f"\n{name}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _code_files(class_path: str) -> list[tuple[str, Path]]:
    """Return the Python file of the class; for a package that registers policies, all its code, also native code."""
    class_path = find_policy_class_path(class_path) or class_path
    package = class_path.partition(".")[0]
    if package not in installed_policy_packages():
        return [("module", path) for path in _module_file(class_path)]
    found = importlib.util.find_spec(package)
    folders = [] if found is None else [Path(place) for place in found.submodule_search_locations or ()]
    return [
        (str(path.relative_to(folder)), path)
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".so", ".pyd")
    ]


def _module_file(class_path: str) -> list[Path]:
    """Return the Python file of the class, found without importing its module; empty if there is none."""
    module, *inner = class_path.split(".")[:-1]
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        return []
    origin = Path(found.origin)
    path = origin.parent.joinpath(*inner) if inner else origin
    candidates = [path, path.with_suffix(".py"), path / "__init__.py", origin]
    return [next(file for file in candidates if file.is_file())] if origin.is_file() else []
