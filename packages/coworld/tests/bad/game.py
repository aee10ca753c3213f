"""A tiny game that does everything right, except for the one thing that SCRIPT names.

Two seats count to `ticks`; the score of a seat is how many numbers it has sent. Run as `python game.py`.
"""

import asyncio
import json
import os
import signal
import sys
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from websockets.asyncio.server import serve

SCRIPT = os.environ.get("SCRIPT", "good")
OLD = SCRIPT == "old_generation"
PAGES = "/clients" if OLD else "/client"


def path_of(variable):
    return Path(unquote(urlsplit(os.environ[variable]).path))


def write(variable, data):
    path = path_of(variable)
    beside = path.with_name(path.name + ".part")
    beside.write_text(data if isinstance(data, str) else json.dumps(data))
    beside.replace(path)


class Game:
    def __init__(self):
        self.replay = "COGAME_CONFIG_URI" not in os.environ
        if self.replay:
            self.config = json.loads(path_of("COGAME_LOAD_REPLAY_URI").read_text())["config"]
        else:
            self.config = json.loads(path_of("COGAME_CONFIG_URI").read_text())
        self.tokens = self.config["tokens"]
        self.ticks = self.config.get("ticks", 3)
        self.counts = [0] * len(self.tokens)
        self.connected = {}
        self.gone = [False] * len(self.tokens)
        self.started = asyncio.Event()
        self.done = asyncio.Event()

    # HTTP

    def answer(self, connection, request):
        path = urlsplit(request.path).path
        query = {key: values[0] for key, values in parse_qs(urlsplit(request.path).query).items()}
        if path == "/healthz":
            if SCRIPT == "never_healthy":
                return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, "no\n")
            return connection.respond(HTTPStatus.OK, '{"ok": true}\n')
        pages = [] if SCRIPT == "no_player_page" else [f"{PAGES}/player"]
        pages += [] if SCRIPT == "no_global_page" else [f"{PAGES}/global"]
        pages += [] if SCRIPT == "no_replay_page" else [f"{PAGES}/replay"]
        if path in pages:
            if SCRIPT == "exits_at_first_page":
                os._exit(4)
            return connection.respond(HTTPStatus.OK, "<!doctype html><title>page</title>\n")
        if path == "/player":
            return self.admit(connection, query)
        if SCRIPT == "open_admin" and "admin" in unquote(unquote(request.path.partition("?")[0])).lower():
            print("ADMINISTERED", request.path, flush=True)
            return connection.respond(HTTPStatus.OK, "yes\n")
        if path in ("/global", "/replay"):
            return None
        return connection.respond(HTTPStatus.NOT_FOUND, "no such page\n")

    def admit(self, connection, query):
        slot = int(query.get("slot", -1))
        good = 0 <= slot < len(self.tokens) and query.get("token") == self.tokens[slot]
        if SCRIPT in ("bad_token_answered", "bad_token_left_open", "bad_token_closed") or good:
            if good and SCRIPT == "refuses_reconnect" and slot in self.connected:
                return connection.respond(HTTPStatus.CONFLICT, "taken\n")
            return None
        if SCRIPT == "bad_token_in_slot_1_answered" and slot == 1:
            return None
        if SCRIPT == "bad_token_wrong_status":
            return connection.respond(HTTPStatus.NOT_FOUND, "no\n")
        return connection.respond(HTTPStatus.FORBIDDEN, "no\n")

    # Sockets

    async def serve(self, socket):
        parts = urlsplit(socket.request.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if parts.path == "/global":
            await self.show(socket)
        elif parts.path == "/replay":
            await self.show_replay(socket)
        else:
            await self.seat(socket, int(query["slot"]), query["token"])

    async def show(self, socket):
        self.viewers = getattr(self, "viewers", 0) + 1
        late = SCRIPT == "late_viewer_sees_nothing" and self.viewers > 1
        if SCRIPT == "no_global_message" or late:
            await asyncio.sleep(3600)
        await socket.send("" if SCRIPT == "empty_global_message" else json.dumps({"counts": self.counts}))
        await self.done.wait()

    async def show_replay(self, socket):
        if SCRIPT == "empty_replay_message":
            await socket.send("")
        elif SCRIPT != "silent_replay":
            await socket.send(json.dumps({"type": "replay", "counts": self.config.get("counts", [])}))
        await asyncio.sleep(3600)

    async def seat(self, socket, slot, token):
        if token != self.tokens[slot]:
            if SCRIPT == "bad_token_closed":
                return
            if SCRIPT == "bad_token_left_open":
                await asyncio.sleep(3600)
            await socket.send("welcome")
            return
        self.connected[slot] = socket
        if len(self.connected) == len(self.tokens):
            self.started.set()
        try:
            await self.started.wait()
            while self.counts[slot] < self.ticks:
                await socket.send(json.dumps({"type": "observation", "slot": slot, "tick": self.counts[slot]}))
                await socket.recv()
                self.counts[slot] += 1
            await socket.send(json.dumps({"type": "final", "done": True}))
        finally:
            if self.connected.get(slot) is socket:
                self.gone[slot] = True

    # The episode

    async def play(self):
        if self.replay:
            await asyncio.sleep(3600)
        try:
            timeout = self.config.get("player_connect_timeout_seconds", 30)
            await asyncio.wait_for(self.started.wait(), timeout)
        except TimeoutError:
            self.started.set()
        if SCRIPT == "never_ends":
            await asyncio.sleep(3600)
        waits = SCRIPT in ("waits_for_the_dead", "open_admin")
        while not all(n >= self.ticks or (gone and not waits) for n, gone in zip(self.counts, self.gone, strict=True)):
            await asyncio.sleep(0.005)
        self.finish()
        self.done.set()

    def post_log(self):
        from urllib.error import HTTPError
        from urllib.request import Request, urlopen

        address = os.environ["COGAME_LOG_URI"]
        for line in ("round over", f"token {self.tokens[0]}"):
            with urlopen(Request(address, data=line.encode(), method="POST")) as answer:
                assert answer.status == 200
        for path, method in (("/_coworld/log", "GET"), ("/healthz", "GET"), ("/admin", "POST")):
            try:
                urlopen(Request(address.removesuffix("/_coworld/log") + path, method=method)).close()
            except HTTPError as error:
                print(method, path, error.code, flush=True)
                error.close()

    def finish(self):
        if SCRIPT == "posts_its_log":
            self.post_log()
        if SCRIPT == "remembers" and "COGAME_MEMORY_INPUT_URI" in os.environ:
            memory = json.loads(path_of("COGAME_MEMORY_INPUT_URI").read_text())
            write("COGAME_MEMORY_OUTPUT_URI", {"protocol": memory["protocol"], "notes": memory["policies"]})
        scores = [float(count) for count in self.counts]
        if SCRIPT == "declares_player_failure":
            write("COGAME_PLAYER_FAILURE_URI", {"message": "slot 1 cheated", "failed_policy_index": 1})
        elif SCRIPT == "declares_inconclusive":
            failure = {"message": "nobody moved", "failed_policy_index": 0, "kind": "episode_inconclusive"}
            write("COGAME_PLAYER_FAILURE_URI", failure)
        elif SCRIPT == "declares_unknown_slot":
            write("COGAME_PLAYER_FAILURE_URI", {"message": "who?", "failed_policy_index": 7})
        elif SCRIPT == "declares_nonsense":
            write("COGAME_PLAYER_FAILURE_URI", {"message": "", "failed_policy_index": 0})
        elif SCRIPT == "results_not_json":
            write("COGAME_RESULTS_URI", "{scores: [1, 2]}")
        elif SCRIPT == "results_off_schema":
            write("COGAME_RESULTS_URI", {"scores": "many"})
        elif SCRIPT == "results_without_a_score_each":
            write("COGAME_RESULTS_URI", {"scores": [1.0]})
        elif SCRIPT == "results_behind_a_link":
            path_of("COGAME_RESULTS_URI").symlink_to("/etc/hosts")
        elif SCRIPT != "no_results":
            write("COGAME_RESULTS_URI", {"scores": scores})
        if SCRIPT != "no_replay":
            write("COGAME_SAVE_REPLAY_URI", {"config": self.config, "counts": self.counts})
        write("COGAME_EVENTS_URI", [{"tick": 1, "kind": "start"}])
        write("COGAME_SAVE_TRAJECTORY_URI", '{"tick": 1}\n')


async def main():
    if SCRIPT == "exits_at_once":
        sys.exit("cannot find my own head")
    game = Game()
    if game.replay and SCRIPT == "crashes_on_replay":
        sys.exit(5)
    print("config tokens", game.tokens)
    options = {"process_request": game.answer, "compression": None}
    if SCRIPT == "no_pong":
        options["create_connection"] = deaf()
    host, port = os.environ["COGAME_HOST"], int(os.environ["COGAME_PORT"])
    async with (
        serve(game.serve, host, port, ping_interval=None, close_timeout=0.2, **options),
        serve(game.serve, host, side_port(), ping_interval=None),  # not reachable from outside
    ):
        await game.play()
        await asyncio.sleep(0.05)
    if SCRIPT == "exits_non_zero":
        sys.exit(3)
    if SCRIPT == "dies_by_signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    if SCRIPT == "leaves_a_child":
        os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "3599")


def side_port():
    """Without walls there is no port that others could not have."""
    return 0 if os.environ.get("COGBOX_LEVEL") == "none" else 9999


def deaf():
    """A connection that never answers a Ping."""
    from websockets.asyncio.server import ServerConnection
    from websockets.frames import Opcode
    from websockets.server import ServerProtocol

    class DeafProtocol(ServerProtocol):
        def recv_frame(self, frame):
            if frame.opcode is not Opcode.PING:
                super().recv_frame(frame)

    class Deaf(ServerConnection):
        def __init__(self, protocol, *arguments, **options):
            protocol.__class__ = DeafProtocol
            super().__init__(protocol, *arguments, **options)

    return Deaf


if __name__ == "__main__":
    asyncio.run(main())
