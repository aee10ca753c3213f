"""Episodes that a language model directs, against a real endpoint on this machine."""

import json
import socket
import threading
import zlib

import pytest

from cogames.episodes.single import play_once
from cogames.missions.arguments import choose_mission
from cogames.policy.arguments import parse_policy_spec
from cogames.policy.starter_agent import StarterPolicy
from cogames_agents.language_model.policy import LanguageModelPolicy
from cogames_agents.language_model.stand_in import Response, plan
from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.policy.checks import check_policy
from mettagrid.policy.loader import initialize_or_load_policy
from mettagrid.policy.noop import NoopPolicy
from mettagrid.policy.policy_env_interface import PolicyEnvInterface
from mettagrid.policy.policy_spec import PolicySpec
from mettagrid.simulator import Simulation

KEY = "sk-do-not-show-this-0123456789"


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_a_sensible_model_scores_above_noop(serve, play, api):
    server = serve()
    directed = play(250, url=server.url, api=api, replies="wait")
    assert directed.score > play(250, NoopPolicy).score
    assert {info["planner"] for info in directed.infos} == {"model"}
    assert {info["skill"] for info in directed.infos} == {"align_frontier", "mine_biased_resource"}
    assert all(info["analysis"] and not info["error"] for info in directed.infos)
    assert directed.infos[0]["tokens"] == server.tokens > 0


def test_a_slow_model_never_stalls_an_episode(serve, play):
    episode_over = threading.Event()

    def hold(received):
        episode_over.wait()
        return plan(received.prompt)

    server = serve(hold)
    try:
        episode = play(200, url=server.url, parallel=2)
        assert [info["waiting"] for info in episode.infos] == [True] * 8
        assert episode.actions == play(200, StarterPolicy).actions  # the script plays meanwhile
        assert len(server.received) <= 2
    finally:
        episode_over.set()


def test_a_cog_keeps_its_directive_until_the_next_reply(serve):
    episode_over = threading.Event()

    def only_the_first(received):
        if len(server.received) > 1:
            episode_over.wait()
        return '{"mode":"frontier_expand","skill":"explore"}'

    server = serve(only_the_first)
    env = choose_mission("arena", map_seed=3).env
    simulation = Simulation(env, seed=5)
    policy = LanguageModelPolicy(PolicyEnvInterface.from_mg_cfg(env), url=server.url, model="m", every=20)
    agent = policy.agent_policy(0)

    def step():
        simulation.agent(0).set_action(agent.step(simulation.observations()[0]).name)
        simulation.step()

    try:
        step()
        assert (agent.infos["planner"], agent.infos["waiting"]) == ("script", True)
        agent._ticket.answer(wait=True)
        step()
        assert (agent.infos["skill"], agent.infos["waiting"]) == ("explore", False)
        for _ in range(80):
            step()
        assert (agent.infos["skill"], agent.infos["waiting"]) == ("explore", True)
    finally:
        episode_over.set()
        policy.close()


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Response(500, b"overloaded"), "HTTP 500"),
        (Response(401, b"who are you"), "HTTP 401"),
        (Response(307, b"", {"location": "http://127.0.0.1:9/v1/chat/completions"}), "HTTP 307"),
        (Response(0), "the connection failed (RemoteProtocolError)"),
        (Response(200, b"<html>hello</html>"), "the reply is not JSON"),
        (Response(200, b'\xff\xfe{"choices": 1}'), "the reply is not JSON"),
        (Response(200, b"[" * 100_000), "the reply is not JSON"),
        (Response(200, b'{"choices": []}'), "the reply has no text in the form of openai"),
        (Response(200, b" " * 3_000_000), "the reply is larger than 1000000 bytes"),
        ("I like turtles.", "the reply names no mode and no skill"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_the_script_plays_when_replies_are_useless(serve, play, answer, error):
    server = serve(lambda received: answer)
    episode = play(12, url=server.url, replies="wait", every=5, retries=1)
    assert episode.actions == play(12, StarterPolicy).actions
    assert {info["error"] for info in episode.infos} == {error}
    assert {info["mode"] for info in episode.infos} == {"scripted"}


def test_the_script_plays_when_the_endpoint_is_down(play):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # without listen: connections are refused
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        episode = play(12, url=url, replies="wait", retries=1)
    assert episode.actions == play(12, StarterPolicy).actions
    assert {info["error"] for info in episode.infos} == {"no connection to the endpoint"}
    assert episode.infos[0]["tokens"] == 0


@pytest.mark.parametrize("replies", ["wait", "live"])
def test_budgets_hold_for_all_cogs_together(serve, play, replies):
    server = serve()
    episode = play(40, url=server.url, replies=replies, every=1, budget_tokens=20_000)
    for agent in episode.agents:
        if agent._ticket is not None:
            agent._ticket.answer(wait=True)
    episode.policy.close()
    assert 0 < episode.policy.client.budget.tokens == server.tokens <= 20_000
    if replies == "wait":
        assert {info["planner"] for info in episode.infos} == {"script"}
        assert all(info["error"].startswith("the budget is spent: ") for info in episode.infos)


def test_waiting_and_cached_runs_repeat_each_other(serve, play, tmp_path):
    server = serve()
    folder = str(tmp_path / "replies")
    waited = play(120, url=server.url, replies="wait", every=20, cache=folder)
    again = play(120, url=server.url, replies="wait", every=20, cache=folder)
    assert again.actions == waited.actions
    assert again.infos[0]["requests"] == 0  # every reply came from the cache
    requests = len(server.received)
    cached = play(120, replies="cache", every=20, cache=folder)
    assert cached.actions == waited.actions
    assert len(server.received) == requests
    assert {info["planner"] for info in cached.infos} == {"model"}


def test_a_prompt_without_a_cached_reply_leaves_the_script(play, tmp_path):
    episode = play(12, replies="cache", cache=str(tmp_path))
    assert episode.actions == play(12, StarterPolicy).actions
    assert {info["error"] for info in episode.infos} == {"no cached reply to this prompt"}


def test_an_agent_starts_each_episode_afresh(serve, play):
    server = serve()
    episode = play(30, url=server.url, replies="wait")
    agent = episode.agents[0]
    agent.reset()
    env = choose_mission("arena", map_seed=3).env
    agent.step(Simulation(env, seed=5).observations()[0])
    assert "step 0 " in server.received[-1].prompt.splitlines()[0]


def test_a_talking_game_gets_the_messages(serve):
    server = serve(lambda received: '{"mode":"frontier_expand","skill":"explore","talk":"  I go   east "}')
    env = choose_mission("arena", map_seed=3).env
    env.game.talk.enabled, env.game.talk.max_length, env.game.talk.cooldown_steps = True, 6, 3
    info = PolicyEnvInterface.from_mg_cfg(env)
    policy = LanguageModelPolicy(info, url=server.url, model="m", replies="wait", every=2)
    agent, simulation = policy.agent_policy(0), Simulation(env, seed=5)
    said = [agent.step(simulation.observations()[0]).talk for _ in range(6)]
    policy.close()
    assert said == ["I go e", None, None, "I go e", None, None]
    assert "Talk enabled: True, talk cooldown steps: 1" in server.received[1].prompt
    quiet = LanguageModelPolicy(
        PolicyEnvInterface.from_mg_cfg(choose_mission("arena", map_seed=3).env),
        url=server.url,
        model="m",
        replies="wait",
    )
    assert quiet.agent_policy(0).step(simulation.observations()[0]).talk is None
    quiet.close()


def test_games_without_teams_are_played_too(serve):
    server = serve()
    env = MettaGridConfig.EmptyRoom(2, with_walls=True)
    info = PolicyEnvInterface.from_mg_cfg(env)
    policy = LanguageModelPolicy(info, url=server.url, model="m", replies="wait")
    action = policy.agent_policy(1).step(Simulation(env, seed=1).observations()[1])
    policy.close()
    assert action.name in info.action_names and len(server.received) == 1


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_keys_are_sent_and_never_shown(serve, tmp_path, monkeypatch, caplog, capfd, api):
    caplog.set_level("DEBUG")
    monkeypatch.setenv("OPENAI_API_KEY" if api == "openai" else "ANTHROPIC_API_KEY", KEY)

    def echo(received):
        if len(server.received) % 4 == 0:
            return Response(401, f"bad key {KEY}".encode(), {"x-echo": KEY})
        text = {"mode": "frontier_expand", "skill": "explore", "talk": KEY, "analysis": f"your key is {KEY}"}
        return json.dumps(text)

    server = serve(echo)
    mission = choose_mission("arena", map_seed=3)
    mission.env.game.max_steps = 60
    uri = f"metta://policy/language_model?url={server.url}&model=m&api={api}&replies=wait&every=10&cache={tmp_path}/replies"
    replay = tmp_path / "replay.json.z"
    outcome = play_once(mission, [parse_policy_spec(uri)], replay_path=replay)
    header = "authorization" if api == "openai" else "x-api-key"
    assert all(KEY in received.headers[header] for received in server.received)
    shown = [repr(outcome), caplog.text, *capfd.readouterr()]
    shown += [path.read_text() for path in (tmp_path / "replies").iterdir()]
    recorded = zlib.decompress(replay.read_bytes()).decode()
    assert "your key is [key]" in recorded  # infos of the policy are in the replay
    assert not any(KEY in text for text in (*shown, recorded))


@pytest.mark.parametrize("mission", [None, "arena"])
def test_the_player_passes_the_policy_checks(serve, mission):
    server = serve()
    env = None if mission is None else choose_mission(mission, map_seed=3).env
    assert check_policy(f"metta://policy/language_model?url={server.url}&model=m&replies=wait", env) == []


def test_the_short_name_takes_text_and_numbers(serve):
    server = serve()
    env = choose_mission("arena", map_seed=3).env
    spec = parse_policy_spec(
        f"class=language_model,kw.url={server.url},kw.model=m,kw.every=7,kw.budget_usd=0.5,kw.price_in=1,kw.price_out=2.5"
    )
    policy = initialize_or_load_policy(
        PolicyEnvInterface.from_mg_cfg(env), PolicySpec(**spec.to_policy_spec().model_dump())
    )
    assert isinstance(policy, LanguageModelPolicy)
    assert (policy.settings.every, float(policy.settings.price_out)) == (7, 2.5)
