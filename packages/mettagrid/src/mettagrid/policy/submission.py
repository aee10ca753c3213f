"""The manifest of a bundle: `policy_spec.json`, or `cogames.toml` where that is missing."""

from __future__ import annotations

import os
import tempfile
import tomllib
from pathlib import Path

from pydantic import Field, ValidationError

from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.util.uri_resolvers.base import POLICY_MANIFEST_FILENAME, POLICY_SPEC_FILENAME

__all__ = [
    "POLICY_MANIFEST_FILENAME",
    "POLICY_SPEC_FILENAME",
    "SubmissionPolicySpec",
    "load_policy_manifest",
    "read_submission_policy_spec",
    "write_submission_policy_spec",
]


class SubmissionPolicySpec(PolicySpec):
    """The description of a bundle's policy. Paths are relative to the root of the bundle."""

    setup_script: str | None = Field(
        default=None, description="A Python file to run once before the policy is loaded, for example to install things"
    )
    network_hosts: list[str] | None = Field(
        default=None, description="Hosts that the policy asks to connect to; the operator decides"
    )
    compat_version: str | None = Field(
        default=None, description="Version of the game it was built for, such as 0.26; other seasons refuse it"
    )


def read_submission_policy_spec(bundle_root: Path) -> SubmissionPolicySpec:
    """Read the description of the policy from the bundle in the folder `bundle_root`.

    Raises `FileNotFoundError` if it has no manifest, `ValueError` if the manifest is invalid. Unknown keys are ignored.
    """
    path = bundle_root / POLICY_SPEC_FILENAME
    if path.is_file():
        try:
            return SubmissionPolicySpec.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise ValueError(f"{path} describes no policy: {_first_problem(error)}") from error
    manifest = bundle_root / POLICY_MANIFEST_FILENAME
    if manifest.is_file():
        return load_policy_manifest(manifest)
    inside = sorted(path.parent.name for path in bundle_root.glob(f"*/{POLICY_SPEC_FILENAME}"))
    hint = f"; it is in {inside[0]}/, so pack or name that folder" if inside else ""
    raise FileNotFoundError(
        f"Neither {POLICY_SPEC_FILENAME} nor {POLICY_MANIFEST_FILENAME} found in: {bundle_root}{hint}"
    )


def load_policy_manifest(path: Path) -> SubmissionPolicySpec:
    """Read the description of a policy from a `cogames.toml`: the table `[policy]`, with `[policy.init_kwargs]`."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("policy")
    except ValueError as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from error
    if not isinstance(table, dict):
        raise ValueError(f"{path} is missing a [policy] table")
    try:
        return SubmissionPolicySpec.model_validate(table)
    except ValidationError as error:
        raise ValueError(f"{path} describes no policy: {_first_problem(error)}") from error


def write_submission_policy_spec(path: Path, spec: SubmissionPolicySpec) -> None:
    """Write a `policy_spec.json` atomically."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(submission_spec_json(spec))
        os.chmod(name, 0o644)
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def submission_spec_json(spec: SubmissionPolicySpec) -> str:
    """Return the text of a `policy_spec.json`. Fields that older readers do not know are omitted unless set."""
    silent = {name for name in ("network_hosts", "compat_version") if not getattr(spec, name)}
    return spec.model_dump_json(exclude=silent)


def _first_problem(error: ValidationError) -> str:
    detail = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in detail["loc"])
    return f"{place}: {detail['msg']}" if place else str(detail["msg"])
