"""Network as a grant: a link leads to one address, an egress grant to the named hosts through a proxy with a log."""

import contextlib
import hashlib
import json
import os
import resource
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cogbox import BadRequest, Door, Egress, Level, Link, Sandbox, Verdict
from cogbox._guard import guard_path
from packages.cogbox.tests.conftest import python

PORT = 7001


@contextlib.contextmanager
def served(answer: Callable[[socket.socket], None], server: socket.socket) -> Iterator[socket.socket]:
    """A server whose every connection is handed to `answer` in a thread."""

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=one, args=(server.accept()[0],), daemon=True).start()

    def one(end: socket.socket) -> None:
        with end, contextlib.suppress(OSError):
            answer(end)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server
    finally:
        server.close()


def echo(end: socket.socket) -> None:
    while block := end.recv(65536):
        end.sendall(block)


def test_a_link_leads_from_the_loopback_inside_to_one_port_outside(sandbox: Sandbox, state: Path) -> None:
    code = f"""
import hashlib, socket, threading
data = bytes(range(256)) * 8192
with socket.create_connection(("127.0.0.1", {PORT})) as link:
    def send():
        link.sendall(data)
        link.shutdown(socket.SHUT_WR)
    threading.Thread(target=send).start()
    got = hashlib.sha256()
    while block := link.recv(65536):
        got.update(block)
print(got.hexdigest())
"""
    with served(echo, socket.create_server(("127.0.0.1", 0))) as server:
        result = sandbox.run(python(code), links=[Link(PORT, server.getsockname())])
    assert result.stdout.decode().strip() == hashlib.sha256(bytes(range(256)) * 8192).hexdigest(), result.stderr


def test_a_link_leads_to_a_unix_socket_too(sandbox: Sandbox, state: Path, tmp_path: Path) -> None:
    path = tmp_path / "server"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    code = f"import socket; s = socket.create_connection(('localhost', {PORT})); s.send(b'hi'); print(s.recv(10))"
    with served(echo, listener):
        assert sandbox.run(python(code), links=[Link(PORT, path)]).stdout == b"b'hi'\n"


def test_several_links_lead_to_several_places_and_may_have_low_ports(sandbox: Sandbox, state: Path) -> None:
    code = "import socket\nfor port in (80, 7002): print(socket.create_connection(('127.0.0.1', port)).recv(10))"
    with (
        served(lambda end: end.sendall(b"one"), socket.create_server(("127.0.0.1", 0))) as one,
        served(lambda end: end.sendall(b"two"), socket.create_server(("127.0.0.1", 0))) as two,
    ):
        links = [Link(80, one.getsockname()), Link(7002, ("localhost", two.getsockname()[1]))]
        assert sandbox.run(python(code), links=links).stdout == b"b'one'\nb'two'\n"


def test_more_connections_than_are_carried_at_once_are_all_served(quick: Sandbox, state: Path) -> None:
    code = f"""
import socket, threading
def one(number):
    with socket.create_connection(("127.0.0.1", {PORT})) as link:
        link.sendall(b"%d" % number)
        assert link.recv(10) == b"%d" % number
threads = [threading.Thread(target=one, args=(number,)) for number in range(40)]
for _ in range(5):
    threads = [threading.Thread(target=one, args=(number,)) for number in range(40)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
print("served")
"""
    with served(echo, socket.create_server(("127.0.0.1", 0))) as server:
        assert quick.run(python(code), links=[Link(PORT, server.getsockname())]).stdout == b"served\n"


def test_a_link_whose_target_is_gone_ends_the_connection(sandbox: Sandbox, state: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
    code = f"""
import socket
try:
    print(socket.create_connection(("127.0.0.1", {PORT})).recv(10))
except OSError:
    print(b"")
"""
    assert sandbox.run(python(code), links=[Link(PORT, address)]).stdout == b"b''\n"


def test_a_connection_that_is_reset_does_not_keep_the_guard_busy(quick: Sandbox, state: Path) -> None:
    code = f"""
import socket, struct, time
for _ in range(20):
    link = socket.create_connection(("127.0.0.1", {PORT}))
    link.sendall(b"hi")
    link.recv(10)
    link.shutdown(socket.SHUT_WR)
    time.sleep(0.01)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    link.close()
time.sleep(1)
"""
    release = threading.Event()

    def silent(end: socket.socket) -> None:
        end.sendall(end.recv(10))
        release.wait(60)

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    with served(silent, socket.create_server(("127.0.0.1", 0))) as server:
        before = used()
        result = quick.run(python(code), links=[Link(PORT, server.getsockname())])
        release.set()
    assert result.ok, result.stderr
    assert used() - before < 0.6  # of the guard and the program; a guard that spins uses more than a second


ECHO_SERVER = f"""
import socket, threading
server = socket.create_server(("0.0.0.0", {PORT}), backlog=64)
def echo(end):
    while block := end.recv(65536):
        end.sendall(block)
    end.close()
while True:
    threading.Thread(target=echo, args=(server.accept()[0],)).start()
"""


def test_a_door_leads_from_one_address_outside_to_a_port_inside(sandbox: Sandbox, state: Path) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()
    data = bytes(range(256)) * 4096
    with sandbox.start(python(ECHO_SERVER), doors=[Door(PORT, listener)]) as box:
        first = knock(address)
        with contextlib.ExitStack() as stack:
            ends = [first, *(stack.enter_context(socket.create_connection(address, timeout=20)) for _ in range(20))]
            for number, end in enumerate(ends):
                end.sendall(b"%d" % number)
            assert [end.recv(10) for end in ends] == [b"%d" % number for number in range(21)]
        sender = threading.Thread(target=first.sendall, args=(data,))
        sender.start()
        got = b""
        while len(got) < len(data):
            got += first.recv(65536)
        sender.join()
        first.close()
        assert got == data
        box.end()
        box.wait()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)


def test_the_last_words_of_a_program_come_through_its_door_and_its_link(sandbox: Sandbox, state: Path) -> None:
    """Also when it ends without reading what was sent to it, which resets the connection.

    What the system had not yet taken over then is lost, here as on any network, so the words fit into its buffers.
    """
    serve = f"""
import socket
server = socket.create_server(("0.0.0.0", {PORT}))
end = server.accept()[0]
end.recv(1)
end.sendall(b"x" * 20_000 + b"the end")
"""
    for _ in range(5):
        listener = socket.create_server(("127.0.0.1", 0))
        address = listener.getsockname()
        with sandbox.start(python(serve), doors=[Door(PORT, listener)]) as box:
            read = """
import socket, time
while True:
    try:
        end = socket.create_connection(("127.0.0.1", 7005))
        end.sendall(b"!" * 1000)
        got = end.recv(65536)
        if got:
            break
    except OSError:
        pass
    end.close()
try:
    while block := end.recv(65536):
        got += block
except ConnectionError:
    pass
print(len(got), got[-7:])
"""
            result = sandbox.run(python(read), links=[Link(7005, address)])
            assert box.wait(20).ok
        assert result.stdout == b"20007 b'the end'\n", result.stderr


def knock(address: tuple[str, int]) -> socket.socket:
    """Return a connection that is answered; one to a port on which nothing listens yet is closed at once."""
    while True:
        end = socket.create_connection(address, timeout=20)
        with contextlib.suppress(ConnectionError):
            end.sendall(b"!")
            if end.recv(1):
                return end
        end.close()


def test_a_door_leads_to_its_own_port_and_a_link_of_another_box_to_the_door(quick: Sandbox, state: Path) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()
    code = f"""
import socket
print(socket.create_connection(("127.0.0.1", 7005)).recv(10))
try:
    socket.create_connection(("127.0.0.1", {PORT}))
except OSError:
    print("only the link")
"""
    serve = f"""
import socket
server, other = socket.create_server(("127.0.0.1", {PORT})), socket.create_server(("127.0.0.1", 7002))
while True:
    server.accept()[0].send(b"hello")
"""
    with quick.start(python(serve), doors=[Door(PORT, listener)]):
        while True:
            with socket.create_connection(address, timeout=20) as end, contextlib.suppress(ConnectionError):
                if end.recv(10) == b"hello":
                    break
        result = quick.run(python(code), links=[Link(7005, address)])
    assert result.stdout == b"b'hello'\nonly the link\n", result.stderr


def test_the_private_folder_can_have_a_second_path(sandbox: Sandbox, state: Path) -> None:
    code = "open('/coworld/out', 'w').write(open('/coworld/in').read() + '!')"
    files, place = {"in": b"hi"}, Path("/coworld")
    assert sandbox.run(python(code), files=files, work_at=place, collect=["out"]).files == {"out": b"hi!"}


def test_a_level_without_a_network_of_its_own_has_no_doors() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(BadRequest, match="network namespace"):
        Sandbox(Level.NONE).start(["true"], doors=[Door(80, listener)])
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(BadRequest, match="port must be"):
        Door(0, listener)


def test_a_link_carries_no_more_connections_at_once_than_it_may(quick: Sandbox, state: Path) -> None:
    arrived: list[socket.socket] = []
    both, more = threading.Event(), threading.Event()

    def hold(end: socket.socket) -> None:
        arrived.append(end)
        (both if len(arrived) == 2 else more if len(arrived) == 3 else threading.Event()).set()
        end.recv(10)

    code = f"""
import socket, sys
ends = [socket.create_connection(("127.0.0.1", {PORT})) for _ in range(5)]
sys.stdin.read(1)
ends[0].close()
sys.stdin.read(1)
"""
    reading, writing = os.pipe()
    with served(hold, socket.create_server(("127.0.0.1", 0))) as server, open(reading, "rb") as stdin:
        link = Link(PORT, server.getsockname(), max_connections=2)
        with quick.start(python(code), links=[link], stdin=stdin):
            assert both.wait(20)
            assert not more.wait(0.3)
            os.write(writing, b"x")
            assert more.wait(20)
            os.close(writing)
    with pytest.raises(BadRequest, match="1 to 128"):
        Link(PORT, ("127.0.0.1", 80), max_connections=0)


@pytest.mark.parametrize("port", [0, 65536, -1])
def test_a_port_that_cannot_be_is_refused(port: int) -> None:
    with pytest.raises(BadRequest):
        Link(port, ("127.0.0.1", 80))
    with pytest.raises(BadRequest):
        Link(80, ("127.0.0.1", port))


def test_a_target_that_cannot_be_is_refused(quick: Sandbox, state: Path) -> None:
    with pytest.raises(BadRequest, match="no-such-host"):
        quick.start(["true"], links=[Link(80, ("no-such-host.invalid", 80))])


def test_a_socket_path_up_to_the_limit_is_accepted_and_a_longer_one_is_refused() -> None:
    Link(80, Path("/" + "x" * 106))
    with pytest.raises(BadRequest, match=r"^the socket path /x+ has 108 bytes; the limit is 107: move the socket"):
        Link(80, Path("/" + "x" * 107))


class UncheckedLink(Link):
    """A link to a path that the package itself refuses: the guard must not cut it off either."""

    def fields(self) -> list[str]:
        return [str(self.port), "unix", "/" + "x" * 107]


def test_the_guard_refuses_a_socket_path_that_would_be_cut_off(sandbox: Sandbox, state: Path) -> None:
    result = sandbox.run(["true"], links=[UncheckedLink(PORT, ("127.0.0.1", 80))])
    assert result.verdict is Verdict.START_FAILURE
    assert "x has 108 bytes, a Unix socket address holds 107: use a shorter path" in result.detail


def test_the_guard_in_a_container_refuses_a_socket_path_that_would_be_cut_off() -> None:
    path = "/" + "x" * 107
    ran = subprocess.run([guard_path(), "connect", path], capture_output=True, text=True)
    told = f"guard: the socket path {path} has 108 bytes, a Unix socket address holds 107: use a shorter path\n"
    assert (ran.returncode, ran.stderr) == (1, told)


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = f"page {self.path}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        digest = hashlib.sha256(self.rfile.read(length)).hexdigest().encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(digest)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[int]:
    """The port of a local web server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()


FETCH = """
import sys, urllib.error, urllib.request
for address in sys.argv[1:]:
    try:
        print(urllib.request.urlopen(address, timeout=20).read().decode())
    except urllib.error.HTTPError as error:
        print(error.code, error.read().decode().strip())
    except OSError as error:
        print("failed", error)
"""


def log_lines(path: Path) -> list[tuple[str, int, str]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(line["host"], line["port"], line["outcome"].split(":")[0]) for line in lines]


def test_an_egress_grant_reaches_the_named_host_and_logs_it(
    sandbox: Sandbox, state: Path, site: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    command = [*python(FETCH), f"http://127.0.0.1:{site}/one?two=3", f"http://127.0.0.1:{site}/four"]
    # Clients usually bypass a proxy for local addresses; an empty NO_PROXY makes this program use it.
    result = sandbox.run(command, egress=Egress([f"127.0.0.1:{site}"], log=log), env={"NO_PROXY": "", "no_proxy": ""})
    assert result.stdout == b"page /one?two=3\npage /four\n", result.stderr
    assert log_lines(log) == [("127.0.0.1", site, "done")] * 2
    assert log.stat().st_mode & 0o077 == 0


def test_another_host_is_refused_and_the_refusal_logged(
    sandbox: Sandbox, state: Path, site: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    command = [*python(FETCH), f"http://127.0.0.1:{site}/", "http://example.com/", "https://example.com/"]
    result = sandbox.run(command, egress=Egress(["example.org"], log=log), env={"NO_PROXY": "", "no_proxy": ""})
    words = result.stdout.decode().splitlines()
    assert words[0].startswith("403 127.0.0.1") and words[1].startswith("403 example.com"), result.stderr
    assert words[2].startswith("failed") and "403" in words[2]
    assert log_lines(log) == [
        ("127.0.0.1", site, "refused"),
        ("example.com", 80, "refused"),
        ("example.com", 443, "refused"),
    ]


def test_a_name_that_leads_to_this_machine_is_not_followed(
    quick: Sandbox, state: Path, site: int, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    command = [*python(FETCH), f"http://localhost:{site}/"]
    options = {"env": {"NO_PROXY": "", "no_proxy": ""}}
    result = quick.run(command, egress=Egress([f"localhost:{site}"], log=log), **options)
    assert b"502" in result.stdout
    assert log_lines(log) == [("localhost", site, "failed")]
    result = quick.run(command, egress=Egress([f"localhost:{site}"], log=log, private=True), **options)
    assert result.stdout == b"page /\n"


def test_a_tunnel_carries_bytes_both_ways(quick: Sandbox, state: Path, tmp_path: Path) -> None:
    code = """
import socket, sys
port = int(sys.argv[1])
with socket.create_connection(("127.0.0.1", 3128)) as tunnel:
    tunnel.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n".encode())
    print(tunnel.recv(100).split()[1])
    tunnel.sendall(b"over the tunnel")
    tunnel.shutdown(socket.SHUT_WR)
    got = b""
    while block := tunnel.recv(100):
        got += block
    print(got)
"""
    with served(echo, socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
        egress = Egress([f"127.0.0.1:{port}"], log=tmp_path / "log")
        result = quick.run([*python(code), str(port)], egress=egress)
    assert result.stdout == b"b'200'\nb'over the tunnel'\n", result.stderr


def test_a_body_is_sent_whole(quick: Sandbox, state: Path, site: int, tmp_path: Path) -> None:
    code = f"""
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:{site}/", data=bytes(range(256)) * 4096, timeout=20).read())
"""
    egress = Egress([f"127.0.0.1:{site}"], log=tmp_path / "log")
    result = quick.run(python(code), egress=egress, env={"NO_PROXY": "", "no_proxy": ""})
    assert hashlib.sha256(bytes(range(256)) * 4096).hexdigest().encode() in result.stdout, result.stderr


def test_an_open_tunnel_does_not_outlive_the_box(quick: Sandbox, state: Path, tmp_path: Path) -> None:
    code = """
import socket, sys
tunnel = socket.create_connection(("127.0.0.1", 3128))
tunnel.sendall(f"CONNECT 127.0.0.1:{sys.argv[1]} HTTP/1.1\\r\\n\\r\\n".encode())
print(tunnel.recv(100).split()[1])
"""
    reached, release = threading.Event(), threading.Event()

    def silent(end: socket.socket) -> None:
        reached.set()
        release.wait(60)

    with served(silent, socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
        before = set(threading.enumerate())
        egress = Egress([f"127.0.0.1:{port}"], log=tmp_path / "log")
        assert quick.run([*python(code), str(port)], egress=egress).stdout == b"b'200'\n"
        assert reached.wait(10)
        left = [thread for thread in threading.enumerate() if thread not in before and "process_request" in thread.name]
        for thread in left:
            thread.join(5)
        assert not any(thread.is_alive() for thread in left)
        release.set()


@pytest.mark.parametrize("host", ["", "http://example.com", "example.com:port", "example.com/path", ":80"])
def test_a_host_that_cannot_be_granted_is_refused(quick: Sandbox, state: Path, host: str) -> None:
    with pytest.raises(BadRequest):
        quick.start(["true"], egress=Egress([host]))


def test_without_a_grant_there_is_a_loopback_and_nothing_else(sandbox: Sandbox, state: Path) -> None:
    code = """
import os, socket
with open("/proc/net/dev") as file:
    print([line.split(":")[0].strip() for line in file if ":" in line])
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
print("PROXY" in " ".join(os.environ))
"""
    assert sandbox.run(python(code)).stdout == b"['lo']\nFalse\n"
