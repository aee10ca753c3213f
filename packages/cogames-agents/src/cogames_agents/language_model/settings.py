"""The parameters of the language-model player, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlsplit

__all__ = ["Api", "Replies", "Settings"]

Api = Literal["openai", "anthropic"]
Replies = Literal["live", "wait", "cache"]

ENDPOINTS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
URL_VARIABLES = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}


@dataclass(frozen=True)
class Settings:
    """Parameters of the player. `parse` accepts the text and numbers of a policy URI."""

    url: str
    """address of the endpoint, complete"""
    model: str
    """name of the model, as the endpoint knows it"""
    api: Api = "openai"
    """protocol of the endpoint"""
    every: int = 50
    """steps between two requests of a cog"""
    deadline_ms: int = 20_000
    """time for a request with its retries"""
    max_tokens: int = 400
    """largest reply"""
    budget_tokens: int | None = None
    """tokens to spend, of prompts and replies together"""
    budget_usd: Fraction | None = None
    """US dollars to spend"""
    price_in: Fraction = Fraction(0)
    """US dollars for a million tokens of prompts"""
    price_out: Fraction = Fraction(0)
    """US dollars for a million tokens of replies"""
    replies: Replies = "live"
    """live: play on while the model thinks; wait: stop the game until it replies; cache: cached replies only"""
    cache: Path | None = None
    """folder of cached replies"""
    parallel: int = 4
    """requests at the same time"""
    retries: int = 3
    """attempts after the first one"""
    backoff_ms: int = 500
    """wait before the first retry; it doubles with each one"""
    temperature: float | None = None
    """sampling temperature; the default of the endpoint if not given"""

    @property
    def is_local(self) -> bool:
        """Return whether the endpoint is on this machine, which no proxy can reach."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @classmethod
    def parse(cls, arguments: Mapping[str, object], environment: Mapping[str, str]) -> Settings:
        """Return the settings for the arguments of a policy; None values count as not given.

        Raises `ValueError` for values that are not allowed.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        api = cast(Api, _choice(given, "api", tuple(ENDPOINTS), "openai"))
        replies = cast(Replies, _choice(given, "replies", ("live", "wait", "cache"), "live"))
        fields: dict[str, Any] = {"api": api, "replies": replies}
        for name, least in (("every", 1), ("deadline_ms", 1), ("max_tokens", 1), ("parallel", 1)):
            fields |= _whole(given, name, least)
        for name in ("budget_tokens", "retries", "backoff_ms"):
            fields |= _whole(given, name, 0)
        for name in ("budget_usd", "price_in", "price_out"):
            fields |= _amount(given, name)
        if "temperature" in given:
            fields["temperature"] = float(_amount(given, "temperature")["temperature"])
        if "cache" in given:
            fields["cache"] = Path(str(given["cache"])).expanduser()
        if replies == "cache" and "cache" not in fields:
            raise ValueError("replies=cache needs the folder of cached replies; add cache=FOLDER")
        if "budget_usd" in fields and not {"price_in", "price_out"} <= fields.keys():
            raise ValueError("budget_usd needs prices; add price_in and price_out, in US dollars per million tokens")
        model = str(given.get("model", ""))
        if not model:
            raise ValueError("The language-model player needs a model; add model=NAME")
        url = str(given.get("url") or environment.get(URL_VARIABLES[api], ""))
        if not url and replies != "cache":
            raise ValueError(
                f"The language-model player needs an endpoint; add url=ADDRESS or set {URL_VARIABLES[api]}"
            )
        return cls(url=_endpoint(url, api) if url else "", model=model, **fields)


def _endpoint(url: str, api: Api) -> str:
    """Return the complete address; a base address gets the path of the protocol."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("url must be an http or https address, such as http://127.0.0.1:8080")
    if parts.username or parts.password or parts.query or parts.fragment:
        # Policy URIs are part of results and replays.
        raise ValueError(
            "url must not contain a user, a password or a query; keep keys in OPENAI_API_KEY or ANTHROPIC_API_KEY"
        )
    base = url.rstrip("/")
    path = ENDPOINTS[api]
    if base.endswith(path.removeprefix("/v1")):
        return base
    return base + (path.removeprefix("/v1") if base.endswith("/v1") else path)


def _choice(given: Mapping[str, object], name: str, allowed: tuple[str, ...], default: str) -> str:
    value = str(given.get(name, default))
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def _whole(given: Mapping[str, object], name: str, least: int) -> dict[str, int]:
    if name not in given:
        return {}
    text = str(given[name])
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {text!r}")
    return {name: int(text)}


def _amount(given: Mapping[str, object], name: str) -> dict[str, Fraction]:
    if name not in given:
        return {}
    text = str(given[name])
    try:
        amount = Fraction(text)
    except (ValueError, ZeroDivisionError):
        amount = Fraction(-1)
    if amount < 0:
        raise ValueError(f"{name} must be a number of at least 0, such as 0.5, not {text!r}")
    return {name: amount}
