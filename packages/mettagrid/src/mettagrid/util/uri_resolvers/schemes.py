"""URIs of policies and checkpoints.

`policy_spec_from_uri` loads the policy of a URI. The other functions are its steps: `parse_uri` parses a URI without
reading files, `resolve_uri` also selects the checkpoint (`:latest`, a folder of checkpoints), `localize_uri` also
downloads it.

    file:///runs/my_run:v5   ./runs/my_run:latest   ~/bundle.zip     a bundle on this machine
    s3://bucket/bundle.zip   https://bucket.s3.amazonaws.com/b.zip   a bundle in a bucket
    mock://noop              mock://my_module.MyPolicy               a class
    metta://policy/noop      metta://policy/my_module.MyPolicy       a class
    metta://policy/NAME      metta://policy/NAME:v3                  a policy on a server, with a plug-in
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload
from urllib.parse import parse_qs, unquote

from mettagrid.util.uri_resolvers.base import (
    POLICY_SPEC_FILENAME,
    CheckpointMetadata,
    FileParsedScheme,
    MettaParsedScheme,
    MockParsedScheme,
    ParsedScheme,
    S3ParsedScheme,
    SchemeResolver,
)
from mettagrid.util.uri_resolvers.built_in import (
    LATEST,
    FileSchemeResolver,
    HttpSchemeResolver,
    MockSchemeResolver,
    S3SchemeResolver,
)
from mettagrid.util.uri_resolvers.checkpoints import versions_near

if TYPE_CHECKING:
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.policy.setup_script import SetupRunner

__all__ = [
    "POLICY_SPEC_FILENAME",
    "CheckpointMetadata",
    "FileParsedScheme",
    "FileSchemeResolver",
    "HttpSchemeResolver",
    "MettaParsedScheme",
    "MockParsedScheme",
    "MockSchemeResolver",
    "ParsedScheme",
    "S3ParsedScheme",
    "S3SchemeResolver",
    "SchemeResolver",
    "checkpoint_filename",
    "checkpoint_uri_for_epoch",
    "get_checkpoint_metadata",
    "localize_uri",
    "parse_init_kwargs_from_query",
    "parse_uri",
    "policy_spec_from_uri",
    "register_scheme_resolver",
    "resolve_uri",
]

ENTRY_POINT_GROUP = "mettagrid.uri_resolvers"

_METTA_POLICY = "metta://policy/"
_INTEGER = re.compile(r"[+-]?[0-9]+")


_BUILT_IN = (FileSchemeResolver(), S3SchemeResolver(), HttpSchemeResolver(), MockSchemeResolver())
_registered: list[SchemeResolver] = []


def register_scheme_resolver(resolver: SchemeResolver) -> None:
    """Add a scheme, or replace an added one. The built-in schemes cannot be replaced."""
    _registered[:] = [known for known in _registered if known.scheme != resolver.scheme]
    _registered.append(resolver)


def _get_resolver(uri: str, default_scheme: str | None = "file") -> SchemeResolver | None:
    """Return the resolver for `uri`: built-in ones first, then registered ones, then those of installed packages."""
    if not uri:
        raise ValueError("URI cannot be empty")
    for resolver in (*_BUILT_IN, *_registered):
        if resolver.matches_scheme(uri):
            return resolver
    if "://" in uri:
        return next((resolver for resolver in _installed_resolvers() if resolver.matches_scheme(uri)), None)
    return next((resolver for resolver in _BUILT_IN if resolver.scheme == default_scheme), None)


def _installed_resolvers() -> list[SchemeResolver]:
    """Return the resolvers of installed packages; packages that fail to import are skipped."""
    from importlib.metadata import entry_points

    resolvers = []
    for entry_point in entry_points(group=ENTRY_POINT_GROUP):
        try:
            resolvers.append(entry_point.load()())
        except ImportError:
            continue
    return resolvers


@overload
def parse_uri(uri: str, allow_none: Literal[False] = False, default_scheme: str | None = "file") -> ParsedScheme: ...
@overload
def parse_uri(uri: str, allow_none: bool, default_scheme: str | None = "file") -> ParsedScheme | None: ...
def parse_uri(uri: str, allow_none: bool = False, default_scheme: str | None = "file") -> ParsedScheme | None:
    """Parse a URI.

    Text without a scheme is a path, or None for `default_scheme=None`. Raises `ValueError` for an unknown scheme,
    unless `allow_none`, and for a malformed URI.
    """
    resolver = _get_resolver(uri, default_scheme)
    if resolver is not None:
        return resolver.parse(uri)
    if allow_none:
        return None
    raise ValueError(f"Invalid URI: no resolver supports {uri!r}")


def resolve_uri(uri: str) -> ParsedScheme:
    """Parse a URI and select the checkpoint it means; see `checkpoints` for paths."""
    resolver = _get_resolver(uri)
    if resolver is None:
        raise ValueError(_unsupported(uri))
    target = resolver.get_path_to_policy_spec(uri)
    return resolver.parse(target) if resolver.matches_scheme(target) else parse_uri(target)


def localize_uri(uri: str, *, allowed_schemes: set[str] | None = None) -> Path | None:
    """Return the bundle that `uri` means as a local path, or None for `mock://`, which has no file.

    Objects in a bucket are downloaded. Raises `FileNotFoundError` if there is no such path, `ValueError` if the scheme
    is not one of `allowed_schemes`.
    """
    parsed = resolve_uri(uri)
    if allowed_schemes is not None and parsed.scheme not in allowed_schemes:
        raise ValueError(f"Unsupported URI scheme {parsed.scheme!r} for: {uri}")
    if parsed.scheme == "file":
        if not parsed.local_path.exists():
            raise FileNotFoundError(_not_found(uri, parsed.local_path))
        return parsed.local_path
    if parsed.scheme == "s3":
        from mettagrid.policy.prepare_policy_spec import download_policy_spec_from_s3_as_zip

        return download_policy_spec_from_s3_as_zip(parsed.canonical)
    if parsed.scheme == "mock":
        return None
    raise ValueError(_unsupported(uri))


def get_checkpoint_metadata(uri: str) -> CheckpointMetadata:
    """Return the run and epoch of the checkpoint that `uri` means; raises `ValueError` if its name has none."""
    parsed = resolve_uri(uri)
    info = parsed.checkpoint_info
    if info is None:
        raise ValueError(f"Could not extract checkpoint metadata from {uri}")
    return CheckpointMetadata(run_name=info[0], epoch=info[1], uri=parsed.canonical)


def checkpoint_filename(run_name: str, epoch: int) -> str:
    """Return the name of a checkpoint: `run:v5`."""
    return f"{run_name}:v{epoch}"


def checkpoint_uri_for_epoch(base_uri: str, epoch: int) -> str:
    """Return the URI of another checkpoint of the run that `base_uri` means, whether it exists or not."""
    metadata = get_checkpoint_metadata(base_uri)
    parsed = resolve_uri(base_uri)
    if parsed.scheme == "file":
        place = f"file://{parsed.local_path.parent}"
    elif parsed.scheme == "s3":
        place = parsed.canonical.rpartition("/")[0]
    else:
        raise ValueError(f"Unsupported URI scheme for checkpoint reloading: {parsed.scheme}")
    ending = ".zip" if parsed.canonical.endswith(".zip") else ""
    return f"{place}/{checkpoint_filename(metadata.run_name, epoch)}{ending}"


def parse_init_kwargs_from_query(query: str) -> dict[str, object]:
    """Parse arguments from the query of a URI: digits become int, true and false bool, everything else stays text.

    The last value of a key wins; keys without a value are dropped.
    """
    return {key: _typed(values[-1]) for key, values in parse_qs(query).items()}


def policy_spec_from_uri(
    uri: str,
    *,
    device: str = "cpu",
    remove_downloaded_copy_on_exit: bool = False,
    setup_runner: SetupRunner | None = None,
) -> PolicySpec:
    """Return the policy of a URI. Arguments in the query override those in the bundle.

    `device` replaces the argument of that name, if there is one. The setup script of a bundle is run, by
    `setup_runner` if given.
    """
    base, _, query = uri.partition("?")
    spec = _load_policy_spec_from_uri(base, device, remove_downloaded_copy_on_exit, setup_runner)
    spec.init_kwargs.update(parse_init_kwargs_from_query(query))
    if "device" in spec.init_kwargs:
        spec.init_kwargs["device"] = device
    return spec


def _load_policy_spec_from_uri(
    base_uri: str, device: str, remove_downloaded_copy_on_exit: bool, setup_runner: SetupRunner | None
) -> PolicySpec:
    from mettagrid.policy.loader import discover_and_register_policies, resolve_policy_class_path
    from mettagrid.policy.policy_registry import find_policy_class_path
    from mettagrid.policy.policy_spec import PolicySpec
    from mettagrid.policy.prepare_policy_spec import download_policy_spec_from_s3_as_zip, load_policy_spec_from_path
    from mettagrid.util.module import load_symbol

    if base_uri.startswith(_METTA_POLICY):
        name = unquote(base_uri.removeprefix(_METTA_POLICY))
        class_path = find_policy_class_path(name)
        if class_path is None and not {".", ":"} & set(name):
            discover_and_register_policies()
            class_path = find_policy_class_path(name)
        if class_path is None and "." in name and ":v" not in name and not name.endswith(LATEST):
            class_path = name if load_symbol(name, strict=False) is not None else None
        if class_path is not None:
            return PolicySpec(class_path=class_path)
    parsed = resolve_uri(base_uri)
    if parsed.scheme == "mock":
        return PolicySpec(class_path=resolve_policy_class_path(parsed.path))
    if parsed.scheme == "s3":
        if not parsed.key.endswith(".zip"):
            raise ValueError(f"Only .zip bundles can be loaded from S3, not {base_uri}")
        path = download_policy_spec_from_s3_as_zip(
            parsed.canonical, remove_downloaded_copy_on_exit=remove_downloaded_copy_on_exit
        )
    elif parsed.scheme == "file":
        path = parsed.local_path
        if path.suffix == ".mpt":
            raise ValueError(f"Legacy .mpt policies are no longer supported; {path} must be packed as a bundle")
        if not path.exists():
            raise FileNotFoundError(_not_found(base_uri, path))
    else:
        raise ValueError(_unsupported(base_uri))
    return load_policy_spec_from_path(
        path,
        device=device,
        remove_downloaded_copy_on_exit=remove_downloaded_copy_on_exit,
        setup_runner=setup_runner,
    )


def _typed(text: str) -> object:
    stripped = text.strip()
    if _INTEGER.fullmatch(stripped):
        return int(stripped)
    return {"true": True, "false": False}.get(stripped.lower(), text)


def _not_found(uri: str, path: Path) -> str:
    near = versions_near(path)
    hint = f"; there are {', '.join(near[-3:])}" if near else ""
    return f"Policy path does not exist: {uri}{hint}"


def _unsupported(uri: str) -> str:
    if not uri.startswith("metta://"):
        return f"Unsupported URI: {uri}"
    return (
        f"Unsupported URI: {uri}; it is not the name of a class, so it must be a policy on a server, "
        "but no client for a server is installed"
    )
