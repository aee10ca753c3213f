"""The parameters of the player: text and numbers in, settings or a helpful error out."""

import re
from fractions import Fraction

import pytest

from cogames_agents.language_model.settings import Settings

URL = "http://127.0.0.1:8080"


def parse(environment=(), **arguments):
    return Settings.parse({"url": URL, "model": "m"} | arguments, dict(environment))


@pytest.mark.parametrize(
    ("api", "given", "complete"),
    [
        ("openai", URL, f"{URL}/v1/chat/completions"),
        ("openai", f"{URL}/", f"{URL}/v1/chat/completions"),
        ("openai", f"{URL}/v1", f"{URL}/v1/chat/completions"),
        ("openai", f"{URL}/api/v1/", f"{URL}/api/v1/chat/completions"),
        ("openai", f"{URL}/v1/chat/completions", f"{URL}/v1/chat/completions"),
        ("anthropic", URL, f"{URL}/v1/messages"),
        ("anthropic", f"{URL}/v1", f"{URL}/v1/messages"),
        ("anthropic", f"{URL}/v1/messages", f"{URL}/v1/messages"),
    ],
)
def test_addresses_are_completed(api, given, complete):
    assert parse(api=api, url=given).url == complete


def test_the_address_can_come_from_the_environment():
    environment = {"OPENAI_BASE_URL": f"{URL}/v1", "ANTHROPIC_BASE_URL": "http://other"}
    assert parse(environment, url=None).url == f"{URL}/v1/chat/completions"
    assert parse(environment, url=None, api="anthropic").url == "http://other/v1/messages"


def test_text_and_numbers_mean_the_same():
    as_text = parse(every="7", budget_usd="0.50", price_in="3", price_out="1e1", temperature="0", cache="~/x")
    as_numbers = parse(every=7, budget_usd=0.5, price_in=3, price_out=10.0, temperature=0, cache="~/x")
    assert as_text == as_numbers
    assert as_text.budget_usd == Fraction(1, 2) and as_text.cache.is_absolute()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": None}, "needs a model; add model=NAME"),
        ({"url": None}, "add url=ADDRESS or set OPENAI_BASE_URL"),
        ({"url": "localhost:8080"}, "must be an http or https address"),
        ({"url": "http://me:secret@host"}, "must not contain a user"),
        ({"url": "http://host/v1?key=secret"}, "must not contain a user"),
        ({"api": "smoke"}, "api must be one of openai, anthropic, not 'smoke'"),
        ({"replies": "later"}, "replies must be one of live, wait, cache"),
        ({"replies": "cache"}, "add cache=FOLDER"),
        ({"every": 0}, "every must be a whole number of at least 1, not '0'"),
        ({"budget_tokens": "many"}, "budget_tokens must be a whole number"),
        ({"budget_usd": 1}, "add price_in and price_out"),
        ({"price_in": "cheap"}, "price_in must be a number of at least 0"),
        ({"price_in": "1/0"}, "price_in must be a number"),
        ({"temperature": -1}, "temperature must be a number"),
    ],
)
def test_wrong_values_are_refused(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)) as refusal:
        parse(**arguments)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "local"),
    [(URL, True), ("http://localhost", True), ("http://[::1]:1", True), ("https://host.example", False)],
)
def test_proxies_are_for_other_machines(url, local):
    assert parse(url=url).is_local is local
