"""Read the user's AWS keys from environment variables or from a profile of the standard files."""

from __future__ import annotations

import configparser
import os
from pathlib import Path

__all__ = ["aws_keys", "aws_region"]

_NAMES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
DEFAULT_REGION = "us-east-1"


def aws_keys(profile: str | None) -> dict[str, str] | None:
    """Return the keys of a profile, or those in variables; None when one of the two required keys is missing."""
    if profile is None:
        found = {name: os.environ[name] for name in _NAMES if os.environ.get(name)}
    else:
        section = _section("AWS_SHARED_CREDENTIALS_FILE", "credentials", profile)
        found = {name: section[name.lower()] for name in _NAMES if section.get(name.lower())}
    return found if all(name in found for name in _NAMES[:2]) else None


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
