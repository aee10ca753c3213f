"""Players, spectators and readers of a match over real sockets."""

import asyncio
import io

from bitworld.picture import unpack
from bitworld.replays import ReplayGame, read_replay
from bitworld.server import GameServer, Match, RealTime, Stepped
from bitworld.server.clients import Player
from bitworld.wire.sprites import SceneReader
from packages.bitworld.tests.server.rooms import client, closed, receive, run, serving, stepped, until
from packages.bitworld.tests.tiny import Tiny

NOTHING, RIGHT, A = b"\x00\x00", b"\x00\x08", b"\x00\x20"


def x_of(picture: bytes) -> int:
    """Return where the player's own square begins."""
    return int((unpack(picture) == 8).any(axis=0).argmax())


def test_a_tick_begins_when_every_player_has_answered() -> None:
    async def scenario() -> None:
        async with (
            stepped(2) as (server, match),
            client(server, "/player?name=a") as a,
            client(server, "/player?name=b") as b,
        ):
            await receive(a)
            await receive(b)
            assert match.game.tick == 1
            await a.send(RIGHT)
            await asyncio.sleep(0)
            assert match.game.tick == 1
            await b.send(NOTHING)
            first, second = x_of(await receive(a)), x_of(await receive(b))
            assert match.game.tick == 2
            for step in range(3, 20):
                await a.send(RIGHT)
                await b.send(NOTHING)
                assert x_of(await receive(a)) == first + step - 2
                assert x_of(await receive(b)) == second

    run(scenario)


def test_packets_that_are_sent_ahead_answer_one_picture_each() -> None:
    async def scenario() -> None:
        async with stepped(1, minPlayers=1) as (server, match), client(server, "/player?name=a") as a:
            await receive(a)
            for packet in (RIGHT, NOTHING, RIGHT, RIGHT):
                await a.send(packet)
            assert [x_of(await receive(a)) for _ in range(4)] == [1, 1, 2, 3]
            assert match.game.tick == 5

    run(scenario)


def test_the_deadline_ends_the_wait_for_a_silent_player() -> None:
    async def scenario() -> None:
        async with (
            stepped(2, deadline=0.02) as (server, match),
            client(server, "/player?name=quiet") as quiet,
            client(server, "/player?name=b") as b,
        ):
            for _ in range(30):
                await receive(b)
                await b.send(RIGHT)
            assert match.game.tick >= 30
            assert next(player for player in match.seated if player.identity == "quiet").is_late
            await quiet.send(NOTHING)
            await until(lambda: not any(player.is_late for player in match.seated) or match.game.tick > 60)

    run(scenario)


def test_in_real_time_a_player_holds_its_buttons() -> None:
    async def scenario() -> None:
        async with serving(Match(Tiny), RealTime(20)) as server, client(server, "/player?name=a") as a:
            await a.send(RIGHT)
            while x_of(await receive(a)) < 8:
                pass  # `run` ends a player who does not move

    run(scenario)


def test_a_tap_between_two_ticks_counts_for_one_tick() -> None:
    match, player = Match(lambda: Tiny({"minPlayers": 1})), Player("a")
    match.add(player)
    match.tick()
    for packet in (RIGHT, NOTHING):
        player.receive(packet)
    places = []
    for _ in range(3):
        match.tick()
        picture = player.outbox[-1]
        assert isinstance(picture, bytes)
        places.append(x_of(picture))
    assert places == [places[0]] * 3
    assert places[0] == 1


def test_late_arrivals_watch_a_static_picture_until_the_next_lobby() -> None:
    async def scenario() -> None:
        room = Match(lambda: Tiny({"minPlayers": 1, "ticks": 30}))
        async with serving(room, RealTime(20)) as server, client(server, "/player?name=a") as a:
            await receive(a)
            await until(lambda: room.game.phase == "playing")
            async with client(server, "/player?name=late") as late, client(server, "/player2?name=later") as later:
                waiting = await receive(late)
                assert set(unpack(waiting).flat) == {5}
                assert await receive(late) == waiting
                reader = SceneReader()
                reader.feed(await receive(later))
                assert reader.scene.sprites[1].label == "waiting"
                await until(lambda: [seat.name for seat in room.game.seats] == ["a", "late", "later"])
                while x_of(picture := await receive(late)) != 8:
                    assert picture == waiting or x_of(picture) == 8

    run(scenario)


def test_a_name_can_be_connected_once() -> None:
    async def scenario() -> None:
        room = Match(Tiny)
        async with serving(room) as server, client(server, "/player?name=a") as a:
            await receive(a)
            async with client(server, "/player?name=%20a%20") as second:
                assert await closed(second) == "A player named 'a' is already connected"
            await receive(a)
        assert [seat.name for seat in room.game.seats] == ["a"]

    run(scenario)


def test_a_player_can_come_in_the_tick_in_which_another_leaves() -> None:
    async def scenario() -> None:
        async with stepped(2, minPlayers=3) as (server, match), client(server, "/player?name=a") as a:
            async with client(server, "/player?name=b") as b:
                await receive(a)
                await receive(b)
            await until(lambda: len(match.players) == 1)
            async with client(server, "/player?name=b") as again:
                await until(lambda: len(match.players) == 2)
                await a.send(NOTHING)
                await receive(a)
                assert [seat.name for seat in match.game.seats] == ["a", "b"]
                assert x_of(await receive(again)) == 8

    run(scenario)


def test_a_player_without_a_name_is_known_by_its_address() -> None:
    async def scenario() -> None:
        room = Match(Tiny)
        async with serving(room) as server, client(server, "/player") as a:
            await receive(a)
            assert room.game.seats[0].name == f"127.0.0.1:{a.local_address[1]}"

    run(scenario)


def test_rewards_come_once_per_tick() -> None:
    async def scenario() -> None:
        async with (
            stepped(1, minPlayers=1) as (server, _),
            client(server, "/reward") as rewards,
            client(server, "/player?name=a") as a,
        ):
            for _ in range(2):
                await receive(a)
                await a.send(A)
                await receive(a)
                await a.send(NOTHING)
            texts = [await receive(rewards) for _ in range(4)]
            assert texts == [f"reward a {reward}\ngames a 0\n" for reward in (0, 1, 1, 2)]

    run(scenario)


def test_nobody_plays_so_rewards_are_empty() -> None:
    async def scenario() -> None:
        async with serving(Match(Tiny)) as server, client(server, "/reward") as rewards:
            assert await receive(rewards) == ""

    run(scenario)


def test_only_a_player_alone_can_reset_the_match() -> None:
    async def scenario() -> None:
        async with stepped(1, minPlayers=1) as (server, match), client(server, "/player?name=a") as a:
            await receive(a)
            await a.send(RIGHT)
            await receive(a)
            await a.send(b"\x00\xff")
            assert x_of(await receive(a)) == 1  # a new match; the button is still held
            assert match.game.tick == 1
        async with (
            stepped(2) as (server, match),
            client(server, "/player?name=a") as a,
            client(server, "/player?name=b") as b,
        ):
            for _ in range(3):
                await receive(a)
                await receive(b)
                await a.send(b"\x00\xff")
                await b.send(NOTHING)
            await receive(a)
            assert match.game.tick == 4

    run(scenario)


def test_players_are_seated_again_when_a_game_returns_to_the_lobby_and_all_games_are_recorded() -> None:
    file = io.BytesIO()
    match = Match(lambda: Tiny({"ticks": 5, "maxGames": 3}), replay_file=file, is_stepped=True)

    async def scenario() -> None:
        async with GameServer(match, clock=Stepped(players=2)) as server:
            running = asyncio.ensure_future(server.run())
            async with client(server, "/player?name=a") as a, client(server, "/player?name=b") as b:
                while not match.is_over:
                    for connection, answers in ((a, (b"\x01hello", NOTHING)), (b, (b"\x00\x22",))):
                        await receive(connection)
                        for answer in answers:
                            await connection.send(answer)
                assert set(await asyncio.gather(closed(a), closed(b))) == {"The game is over"}
                await running

    run(scenario)
    assert match.is_over
    replay = read_replay(file.getvalue())
    assert replay.version == 4  # because of the chat
    playback = ReplayGame(replay, Tiny(replay.config))
    playback.seek(playback.length)
    assert playback.game.state_hash() == match.game.state_hash()


def test_many_games_run_in_one_process() -> None:
    async def scenario() -> None:
        async with (
            stepped(1, minPlayers=1) as (one, first),
            stepped(1, minPlayers=1) as (two, second),
            client(one, "/player?name=a") as a,
            client(two, "/player?name=a") as b,
        ):
            for _ in range(5):
                await receive(a)
                await a.send(RIGHT)
            await receive(b)
            assert first.game.tick >= 5
            assert second.game.tick == 1

    run(scenario)


def test_a_late_viewer_has_the_same_scene_as_an_early_one() -> None:
    async def scenario() -> None:
        async with (
            stepped(1, minPlayers=1) as (server, match),
            client(server, "/global") as early,
            client(server, "/sprite_player?name=a") as a,
        ):
            for _ in range(6):
                await receive(a)
                await a.send(b"\x84\x08")
            await until(lambda: match.game.tick == 7)
            async with client(server, "/global") as late:
                await a.send(b"\x84\x00")
                readers = [SceneReader(), SceneReader()]
                for _ in range(9):
                    readers[0].feed(await receive(early))
                for _ in range(2):
                    readers[1].feed(await receive(late))
                assert readers[0].scene == readers[1].scene
                assert readers[1].scene.objects[1000].x == 6

    run(scenario)
