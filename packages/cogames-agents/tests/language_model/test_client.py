"""One request: wire forms, retries, budgets and the cache."""

from fractions import Fraction

import pytest

from cogames_agents.language_model.budget import Budget, Cost
from cogames_agents.language_model.client import FRAME_TOKENS, ModelClient
from cogames_agents.language_model.replies import ReplyCache
from cogames_agents.language_model.settings import Settings
from cogames_agents.language_model.stand_in import Response
from cogames_agents.language_model.wire import SYSTEM

NO_USAGE = b'{"choices": [{"message": {"content": "explore"}}]}'


def make_client(server, environment=(), **parameters):
    arguments = {"url": server.url, "model": "m", "backoff_ms": 1} | parameters
    return ModelClient(Settings.parse(arguments, {}), dict(environment))


def ask(client, prompt="what now"):
    with client.connect() as connection:
        return client.ask(prompt, connection)


def most(prompt="what now", reply=400):
    return len((SYSTEM + prompt).encode()) + FRAME_TOKENS + reply


def test_openai_requests_have_its_form(serve):
    server = serve(lambda received: "explore")
    answer = ask(make_client(server, {"OPENAI_API_KEY": " k\n"}, max_tokens=99, temperature="0.5"))
    received = server.received[0]
    assert answer.text == "explore"
    assert (received.path, received.headers["authorization"]) == ("/v1/chat/completions", "Bearer k")
    assert received.body == {
        "model": "m",
        "max_tokens": 99,
        "temperature": 0.5,
        "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "what now"}],
    }


def test_anthropic_requests_have_its_form(serve):
    server = serve(lambda received: "explore")
    answer = ask(make_client(server, {"ANTHROPIC_API_KEY": "k"}, api="anthropic"))
    received = server.received[0]
    assert answer.text == "explore"
    assert (received.path, received.headers["x-api-key"]) == ("/v1/messages", "k")
    assert received.headers["anthropic-version"] == "2023-06-01"
    assert received.body == {
        "model": "m",
        "max_tokens": 400,
        "system": SYSTEM,
        "messages": [{"role": "user", "content": "what now"}],
    }


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_local_endpoints_need_no_key(serve, api):
    server = serve(lambda received: "explore")
    assert ask(make_client(server, api=api)).text == "explore"
    assert not {"authorization", "x-api-key"} & server.received[0].headers.keys()


def test_a_key_that_is_no_header_is_an_error_without_the_key(serve):
    from cogames_agents.language_model.requests import Desk

    server = serve(lambda received: "explore")
    desk = Desk(make_client(server, {"OPENAI_API_KEY": "secret\nsecret"}))
    answer = desk.submit("what now").answer(wait=True)
    desk.close()
    assert answer.text is None and answer.error and "secret" not in answer.error


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_busy_endpoints_are_asked_again(serve, status):
    def busy_twice(received):
        return Response(status, b"", {"retry-after": "0"}) if len(server.received) < 3 else "explore"

    server = serve(busy_twice)
    client = make_client(server)
    assert ask(client).text == "explore"
    assert client.requests == 3
    assert client.budget.tokens == server.tokens  # refused requests cost nothing


def test_retries_end(serve):
    server = serve(lambda received: Response(429))
    answer = ask(make_client(server, retries=2))
    assert (answer.text, answer.error, len(server.received)) == (None, "HTTP 429", 3)


def test_a_wait_beyond_the_deadline_is_not_started(serve):
    server = serve(lambda received: Response(429, b"", {"retry-after": "3600"}))
    assert ask(make_client(server)).error == "HTTP 429"
    assert len(server.received) == 1


def test_newer_endpoints_get_their_own_name_of_the_reply_limit(serve):
    def newer(received):
        if "max_tokens" in received.body:
            return Response(400, b'{"error": {"message": "use max_completion_tokens instead of max_tokens"}}')
        return "explore"

    server = serve(newer)
    client = make_client(server)
    assert ask(client).text == "explore" and ask(client, "and now").text == "explore"
    assert [set(received.body) - {"model", "messages"} for received in server.received] == [
        {"max_tokens"},
        {"max_completion_tokens"},
        {"max_completion_tokens"},
    ]


def test_a_reply_after_the_deadline_counts_with_its_largest_cost(serve):
    import threading

    release = threading.Event()
    server = serve(lambda received: str(release.wait()))
    client = make_client(server, deadline_ms=300)
    answer = ask(client)
    release.set()
    assert (answer.text, answer.error) == (None, "no reply within 300 ms")
    assert client.budget.tokens == most()


def test_replies_without_usage_count_with_their_largest_cost(serve):
    server = serve(lambda received: Response(200, NO_USAGE))
    client = make_client(server)
    assert ask(client).text == "explore"
    assert client.budget.tokens == most()


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ('{"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}', 10),
        ('{"prompt_tokens": 7}', most()),
        ('{"prompt_tokens": "7", "completion_tokens": 3}', most()),
        ('{"prompt_tokens": -7, "completion_tokens": 3}', most()),
        ("null", most()),
        ("[]", most()),
    ],
)
def test_only_complete_usage_counts(serve, usage, tokens):
    body = f'{{"choices": [{{"message": {{"content": "explore"}}}}], "usage": {usage}}}'
    server = serve(lambda received: Response(200, body.encode()))
    client = make_client(server)
    assert ask(client).text == "explore" and client.budget.tokens == tokens


def test_cached_prompt_tokens_of_anthropic_count(serve):
    usage = (
        '{"input_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 4000}'
    )
    body = f'{{"content": [{{"type": "thinking"}}, {{"type": "text", "text": "explore"}}], "usage": {usage}}}'
    client = make_client(serve(lambda received: Response(200, body.encode())), api="anthropic")
    assert ask(client).text == "explore" and client.budget.tokens == 4321


def test_a_closed_connection_may_have_cost_something(serve):
    server = serve(lambda received: Response(0))
    client = make_client(server, retries=1)
    assert ask(client).text is None
    assert client.budget.tokens == 2 * most()


def test_the_token_budget_holds_exactly(serve):
    server = serve(lambda received: Response(200, NO_USAGE))
    enough = make_client(server, budget_tokens=2 * most())
    assert [ask(enough).text for _ in range(3)] == ["explore", "explore", None]
    assert enough.budget.tokens == 2 * most()
    short = make_client(server, budget_tokens=2 * most() - 1)
    assert [ask(short).text for _ in range(2)] == ["explore", None]
    assert ask(short).error == f"the budget is spent: {most()} tokens"
    assert len(server.received) == 3


def test_the_money_budget_holds_exactly(serve):
    server = serve(lambda received: Response(200, NO_USAGE))
    prices = {"price_in": "3", "price_out": "15"}
    cost = (Fraction(3) * most(reply=0) + Fraction(15) * 400) / 1_000_000
    enough = make_client(server, budget_usd=str(2 * cost), **prices)
    assert [ask(enough).text for _ in range(3)] == ["explore", "explore", None]
    assert enough.budget.usd == 2 * cost
    short = make_client(server, budget_usd=str(2 * cost - Fraction(1, 10**9)), **prices)
    assert [ask(short).text for _ in range(2)] == ["explore", None]


def test_true_costs_are_booked_when_they_are_known(serve):
    server = serve(lambda received: "explore the north")
    client = make_client(server, price_in="1", price_out="2", budget_tokens=most() + 4)
    assert ask(client).text and client.budget.tokens == server.tokens == 5
    assert client.budget.usd == Fraction(2 * 1 + 3 * 2, 1_000_000)
    assert ask(client).text is None  # 5 are spent, and the largest cost does not fit any more


def test_reservations_of_requests_under_way_count():
    budget = Budget(tokens=10)
    assert budget.reserve(Cost(4, 2)) and not budget.reserve(Cost(4, 1)) and budget.reserve(Cost(4, 0))
    budget.settle(Cost(4, 2), Cost(1, 1))
    assert budget.tokens == 2 and budget.reserve(Cost(4, 0)) and not budget.reserve(Cost(1, 0))


def test_cached_replies_are_free_and_belong_to_one_prompt_and_model(serve, tmp_path):
    server = serve(lambda received: "explore")
    client = make_client(server, cache=str(tmp_path / "a" / "b"), budget_tokens=most())
    assert not ask(client).cached
    assert ask(client).cached and ask(client, "other prompt").text is None
    assert make_client(server, cache=str(tmp_path / "a" / "b"), model="n").cached("what now") is None
    assert len(server.received) == 1


def test_broken_cache_files_count_as_missing(serve, tmp_path):
    server = serve(lambda received: "explore")
    client = make_client(server, cache=str(tmp_path))
    ask(client)
    (file,) = tmp_path.iterdir()
    for content in (b"", b"{", b"[]", b'{"reply": 3}', b"\xff"):
        file.write_bytes(content)
        assert client.cached("what now") is None
    assert ask(client).text == "explore" and client.cached("what now").text == "explore"


def test_a_cache_that_cannot_be_written_is_no_failure(serve, tmp_path):
    server = serve(lambda received: "explore")
    (tmp_path / "file").write_text("")
    answer = ask(make_client(server, cache=str(tmp_path / "file" / "folder")))
    assert answer.text == "explore" and answer.error.startswith("the reply was not cached")


def test_a_cache_has_one_file_for_each_prompt(tmp_path):
    cache = ReplyCache(tmp_path, Settings(url="http://x", model="m"))
    cache.put("a", "1")
    cache.put("a", "2")
    cache.put("b", "3")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == ("2", "3", None)
    assert len(list(tmp_path.iterdir())) == 2
