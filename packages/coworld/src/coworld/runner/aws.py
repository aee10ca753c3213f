"""Give players access to Bedrock with the user's AWS keys, from variables or from a profile of the standard files."""

from __future__ import annotations

import configparser
import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["BedrockAccess", "aws_keys", "aws_region", "bedrock_access", "missing_keys"]

_NAMES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
DEFAULT_REGION = "us-east-1"


@dataclass(frozen=True)
class BedrockAccess:
    """The variables of a player that uses Bedrock, and the host that it connects to."""

    env: dict[str, str]
    host: str


def bedrock_access(profile: str | None, region: str | None) -> BedrockAccess | None:
    """Return the access with the keys of a profile or of the environment; None when there are no keys."""
    keys = aws_keys(profile)
    if keys is None:
        return None
    name = region or aws_region(profile)
    env = {**keys, "AWS_REGION": name, "AWS_DEFAULT_REGION": name, "USE_BEDROCK": "true"}
    return BedrockAccess(env, f"bedrock-runtime.{name}.amazonaws.com:443")


def missing_keys(profile: str | None) -> str:
    """Say where keys were looked for and not found."""
    return f"the profile {profile!r} has none" if profile else "none are in the environment"


def aws_keys(profile: str | None) -> dict[str, str] | None:
    """Return the keys of a profile, or those in variables; None when one of the two required keys is missing."""
    if profile is None:
        keys = {name: os.environ[name] for name in _NAMES if os.environ.get(name)}
    else:
        section = _section("AWS_SHARED_CREDENTIALS_FILE", "credentials", profile)
        keys = {name: section[name.lower()] for name in _NAMES if section.get(name.lower())}
    return keys if all(name in keys for name in _NAMES[:2]) else None


def aws_region(profile: str | None) -> str:
    """Return the region of a profile, else the one in variables, else Bedrock's first."""
    if profile is not None:
        name = profile if profile == "default" else f"profile {profile}"
        if region := _section("AWS_CONFIG_FILE", "config", name).get("region"):
            return region
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or DEFAULT_REGION


def _section(variable: str, name: str, section: str) -> dict[str, str]:
    path = Path(os.environ.get(variable) or Path.home() / ".aws" / name)
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, configparser.Error):
        return {}
    return dict(parser[section]) if parser.has_section(section) else {}
