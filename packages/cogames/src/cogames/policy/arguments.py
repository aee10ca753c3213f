"""Parse the values of `-p`.

    NAME                                   a short name or a class: starter, my_module.MyPolicy
    NAME:N                                 the same, N shares of the seats
    class=NAME,data=FILE,proportion=F,kw.KEY=VALUE
    PATH or URI                            a bundle: ./bundle.zip, ./train_dir/my_run:v5, s3://bucket/bundle.zip
    metta://policy/NAME?key=value          a name, a class, or a policy on a server

Paths and URIs may be followed by `,proportion=F`. Invalid text raises `PolicyArgumentError`; a path or a file of
weights that does not exist raises `FileNotFoundError`.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from pydantic import Field

from mettagrid.policy.loader import resolve_policy_class_path
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.util.uri_resolvers.schemes import policy_spec_from_uri

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "PolicyArgumentError",
    "PolicySpecWithProportion",
    "list_checkpoints",
    "parse_init_kwargs",
    "parse_policy_spec",
    "policy_error_hints",
    "split_policy_uri",
]

DEFAULT_CHECKPOINT_DIR = Path("train_dir")

policy_arg_example = "URI (bundle dir or .zip) or NAME or class=NAME[,data=FILE][,kw.x=val]"
policy_arg_w_proportion_example = "URI[,proportion=N] or NAME or class=NAME[,data=FILE][,proportion=N]"

_PROPORTION = ",proportion="
_METTA = "metta://"
_SCHEMES = ("file://", "s3://", "mock://", "http://", "https://")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_SHARES = re.compile(r"(?P<name>[^:]+):(?P<count>0*[1-9][0-9]*)")
_CLASS_NAME = re.compile(r"[\w.-]+")
_NEURAL_MODULES = ("torch", "pufferlib", "cortex")


class PolicyArgumentError(ValueError):
    """The value of `-p` does not describe a policy; the message says how to write it."""


class PolicySpecWithProportion(PolicySpec):
    """A policy with its share of the seats."""

    proportion: float = Field(default=1.0, description="Shares of the seats")

    def to_policy_spec(self) -> PolicySpec:
        """Return the policy without its share."""
        spec = PolicySpec(**{name: getattr(self, name) for name in PolicySpec.model_fields})
        spec.import_roots = self.import_roots
        return spec


def parse_policy_spec(spec: str, device: str | None = None) -> PolicySpecWithProportion:
    """Parse a policy.

    Bundles are read. Other classes are not imported, so an unknown name raises only when the policy is loaded. With
    `device` the class receives an argument of that name, unless it takes none.
    """
    uri, proportion = split_policy_uri(spec)
    if uri is not None:
        spec_of_uri = policy_spec_from_uri(uri) if device is None else policy_spec_from_uri(uri, device=device)
        parsed = _with_proportion(spec_of_uri, proportion)
    else:
        parsed = _parse_fields(spec)
    if device is not None:
        parsed.init_kwargs["device"] = device
    return parsed


def split_policy_uri(spec: str) -> tuple[str | None, float]:
    """Return the URI or path in `spec` and its share; (None, 1.0) when `spec` names a class."""
    text = spec.strip()
    if text.startswith(_METTA):
        # Split off only the share: a query may contain commas.
        uri, comma, number = text.partition(_PROPORTION)
        return uri, _proportion(number) if comma else 1.0
    parts = _parts(text)
    if not _is_uri_or_path(parts[0]):
        return None, 1.0
    share = 1.0
    for name, value in map(_field, parts[1:]):
        if name != "proportion":
            raise PolicyArgumentError(f"Only proportion is supported after a checkpoint URI, not {name!r}.")
        share = _proportion(value)
    return parts[0], share


def parse_init_kwargs(items: Iterable[str]) -> dict[str, str]:
    """Parse `KEY=VALUE` arguments; dashes in keys become underscores. The last value of a key wins."""
    kwargs = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise PolicyArgumentError(f"Expected key=value format, got: {item}")
        kwargs[_keyword(key)] = value
    return kwargs


def list_checkpoints(folder: Path = DEFAULT_CHECKPOINT_DIR) -> list[tuple[str, datetime]]:
    """Return the bundles of training runs under `folder`, in the form of `-p`, with their times; newest first."""
    from datetime import datetime

    from mettagrid.policy.submission import POLICY_SPEC_FILENAME

    specs = [(path.parent, path) for path in folder.rglob(POLICY_SPEC_FILENAME)] if folder.is_dir() else []
    rows = [(f"./{bundle.as_posix()}", datetime.fromtimestamp(spec.stat().st_mtime)) for bundle, spec in specs]
    return sorted(rows, key=lambda row: (-row[1].timestamp(), row[0]))


def policy_error_hints(error: Exception) -> list[str]:
    """Return hints for a policy that could not be loaded; empty if there are none."""
    if not isinstance(error, ModuleNotFoundError):
        return []
    missing = (error.name or "").partition(".")[0]
    if missing in _NEURAL_MODULES:
        return ["pip install cogames[neural]"]
    hints = ["write a class as module.Class, with dots and not with a colon"]
    if missing:
        hints.insert(0, f"if {missing!r} is your own code, include it in the bundle with -f PATH")
    return hints


def _parse_fields(text: str) -> PolicySpecWithProportion:
    """Parse `NAME` or fields separated by commas."""
    parts = _parts(text)
    fields: list[tuple[str, str]] = []
    shares: float | None = None
    if "=" not in parts[0]:
        match = _SHARES.fullmatch(parts[0])
        shares = None if match is None else float(match["count"])
        fields.append(("class", parts.pop(0) if match is None else match["name"]))
        if match is not None:
            parts.pop(0)
    fields += map(_field, parts)
    class_path, data, proportion = None, None, 1.0
    kwargs: dict[str, object] = {}
    for name, value in fields:
        if name == "class":
            class_path = _class_path(value)
        elif name == "data":
            data = value
        elif name == "proportion":
            proportion = _proportion(value)
        elif name.startswith("kw."):
            kwargs[_keyword(name.removeprefix("kw."))] = value
        else:
            raise PolicyArgumentError(
                f"Unsupported policy field {name!r}. To pass it to the policy, use 'kw.{name}={value}'."
            )
    if class_path is None:
        raise PolicyArgumentError("Policy specification must include class=, such as class=starter.")
    return PolicySpecWithProportion(
        class_path=class_path,
        data_path=None if data is None else _data_path(data),
        init_kwargs=kwargs,
        proportion=proportion if shares is None else shares,
    )


def _parts(text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise PolicyArgumentError("Policy specification cannot be empty.")
    return parts


def _field(part: str) -> tuple[str, str]:
    name, equals, value = part.partition("=")
    if not equals:
        raise PolicyArgumentError(
            f"Policy entries must be key=value pairs, not {part!r}; for example class=starter,proportion=0.5."
        )
    if not name.strip():
        raise PolicyArgumentError("Policy field name cannot be empty.")
    return name.strip(), value.strip()


def _is_uri_or_path(text: str) -> bool:
    """Return whether `text` locates a bundle. Names never contain a slash or end in `.zip`."""
    before_query = text.partition("?")[0]
    if text.startswith(_SCHEMES):
        return True
    if "=" in before_query:
        return False
    if "://" in before_query:
        raise PolicyArgumentError(
            f"Unsupported URI {text!r}; use a path, file://, s3://, mock:// or metta://policy/NAME."
        )
    head, colon, _ = before_query.partition(":")
    if colon and re.fullmatch(r"\w[\w.-]+", head) and not os.path.exists(before_query):
        return False  # NAME:FILE, which older versions parsed as a name with weights
    return (
        before_query.startswith((".", "/", "~"))
        or _DRIVE.match(before_query) is not None
        or "/" in before_query
        or before_query.endswith(".zip")
    )


def _class_path(value: str) -> str:
    """Return a class path or short name, without checking that it exists."""
    if not value:
        raise PolicyArgumentError("Policy class cannot be empty.")
    name, mark, query = value.partition("?")
    if mark:
        kwargs = "".join(f",kw.{key}={text}" for key, text in parse_qsl(query, keep_blank_values=True))
        raise PolicyArgumentError(
            f"Query string syntax (?key=val) is not supported in policy specs; write 'class={name}{kwargs}'."
        )
    if ":" in value and "/" in value:
        name, _, file = value.partition(":")
        raise PolicyArgumentError(f"Policy name {value!r} cannot include ':'. Use 'class={name},data={file}'.")
    if ":" in value:
        raise PolicyArgumentError(
            f"Policy name {value!r} cannot include ':'. Did you mean 'class={value.replace(':', '.')}'? "
            "NAME:N with a whole number sets the shares of the seats."
        )
    if not _CLASS_NAME.fullmatch(value):
        raise PolicyArgumentError(f"{value!r} is not a policy name; write a short name or module.Class.")
    return resolve_policy_class_path(value)


def _data_path(value: str) -> str:
    if not value:
        raise PolicyArgumentError("Policy data path cannot be empty.")
    path = Path(os.path.expanduser(value)).resolve()
    if path.is_dir():
        raise PolicyArgumentError(f"Policy data path must be a file, and {value} is a folder.")
    if not path.exists():
        raise FileNotFoundError(f"Policy data path does not exist: {value}")
    return str(path)


def _proportion(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise PolicyArgumentError(f"Invalid proportion value {text!r}.") from None
    if not (number > 0 and math.isfinite(number)):
        raise PolicyArgumentError(f"Policy proportion must be a positive number, not {text}.")
    return number


def _keyword(key: str) -> str:
    name = key.strip().replace("-", "_")
    if not name:
        raise PolicyArgumentError("Policy kw field name cannot be empty.")
    return name


def _with_proportion(spec: PolicySpec, proportion: float) -> PolicySpecWithProportion:
    fields = {name: getattr(spec, name) for name in PolicySpec.model_fields}
    parsed = PolicySpecWithProportion(**fields, proportion=proportion)
    parsed.import_roots = spec.import_roots
    return parsed
