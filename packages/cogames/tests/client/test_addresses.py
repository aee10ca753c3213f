"""The server of a call: from the option, then the environment, then the config file, then this machine."""

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from cogames.client import BadAddress, resolve_addresses
from packages.cogames.tests.client.stub import TOKEN, WHO, Stub, serve_stub
from softmax.client.addresses import home_page, login_page
from softmax.client.credentials import save_user_token, user_token


def test_without_any_name_it_is_this_machine(home: Path) -> None:
    addresses = resolve_addresses()
    assert (addresses.api, addresses.login) == ("http://127.0.0.1:8000", "http://127.0.0.1:8000/api")


def test_option_then_environment_then_config_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".metta").mkdir()
    (home / ".metta" / "config.yaml").write_text("api_url: http://config\nlogin_url: http://config-login/api\n")
    assert resolve_addresses().api == "http://config"
    assert resolve_addresses().login == "http://config-login/api"
    monkeypatch.setenv("COGAMES_API_URL", "http://environment/")
    monkeypatch.setenv("COGAMES_LOGIN_URL", "http://environment-login")
    assert resolve_addresses().api == "http://environment"
    assert resolve_addresses().login == "http://environment-login"
    assert resolve_addresses("https://option", "https://option-login/api").api == "https://option"
    assert resolve_addresses("https://option", "https://option-login/api").login == "https://option-login/api"


def test_one_address_gives_the_other(home: Path) -> None:
    assert resolve_addresses("https://league.example").login == "https://league.example/api"
    assert resolve_addresses(None, "https://league.example/api").api == "https://league.example"
    assert resolve_addresses(None, "https://league.example").api == "https://league.example"


def test_a_token_is_found_under_both_spellings_of_its_server(home: Path) -> None:
    save_user_token("https://league.example", TOKEN)
    assert resolve_addresses("https://league.example").login == "https://league.example"


def test_a_token_is_kept_by_the_exact_text_of_its_server(
    cogames: Callable, stub: Stub, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    login = f"{stub.address}/api/"
    monkeypatch.setenv("COGAMES_LOGIN_URL", login)
    stub.answer("GET", "/api/whoami", WHO)
    assert cogames("auth", "set-token", TOKEN).code == 0
    assert f"  {login}: {TOKEN}\n" in (home / ".metta" / "cogames.yaml").read_text()
    assert cogames("auth", "get-token").out == f"{TOKEN}\n"
    assert cogames("auth", "login").code == 0
    assert cogames("submissions").code == 0
    assert stub.lines[:2] == ["GET /api/whoami", "GET /whoami"]
    assert cogames("auth", "logout").out == "Logged out.\n"


def test_pages_are_on_the_login_servers_host() -> None:
    assert login_page("https://league.example/api/") == "https://league.example/cli-login"
    assert login_page("https://league.example:99") == "https://league.example:99/cli-login"
    assert home_page("https://api.league.example/api") == "https://league.example/observatory/home"


@pytest.mark.parametrize(
    "text", ["league", "ftp://x", "http://", "http://a b", "http://u:p@h", "http://h:x", "http://h?q"]
)
def test_an_invalid_address_is_refused(home: Path, cogames: Callable, text: str) -> None:
    with pytest.raises(BadAddress):
        resolve_addresses(text)
    ran = cogames("season", "list", "--server", text)
    assert (ran.code, "is not a server address" in ran.error) == (1, True)


def test_a_token_of_one_server_is_not_sent_to_another(cogames: Callable, server: Stub) -> None:
    with serve_stub() as other:
        assert cogames("season", "list", "--server", other.address).code == 0
        assert cogames("matches", "--server", other.address).code == 1
        assert [asked.headers.get("x-auth-token") for asked in other.log] == [None]
        assert TOKEN not in repr(other.log)
    assert server.log == []


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_takes_neither_token_nor_bundle_along(cogames: Callable, server: Stub, status: int) -> None:
    with serve_stub() as other:
        server.answer("GET", "/tournament/seasons", f"{other.address}/tournament/seasons", status)
        ran = cogames("season", "list")
        assert (ran.code, other.address in ran.error) == (1, True)
        server.answers.clear()
        server.answer("PUT", "/uploads/1", f"{other.address}/uploads/1", status)
        ran = cogames("upload", "-n", "mine", "-p", "starter", "--skip-validation", "--no-submit")
        assert (ran.code, other.address in ran.error) == (1, True)
        assert other.log == []
    assert "POST /stats/policies/submit/complete" not in server.lines


def test_a_bundle_is_uploaded_to_another_host_only_if_allowed(cogames: Callable, server: Stub, home: Path) -> None:
    place = {
        "upload_url": "http://files.invalid/1",
        "s3_key": "1.zip",
        "upload_id": "77777777-7777-4777-8777-777777777777",
    }
    server.answer("POST", "/stats/policies/submit/presigned-url", place)
    words = ["upload", "-n", "mine", "-p", "starter", "--skip-validation", "--no-submit"]
    refused = cogames(*words)
    assert (refused.code, "files.invalid, a host you did not allow" in refused.error) == (1, True)
    (home / ".metta" / "config.yaml").write_text("upload_hosts: [files.invalid]\n")
    for more in ([], ["--upload-host", "files.invalid"]):
        assert "Failed to reach server: http://files.invalid" in cogames(*words, *more).error
        (home / ".metta" / "config.yaml").unlink(missing_ok=True)


def test_nothing_is_asked_of_the_published_hosts(
    cogames: Callable, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def refuse(host: str, *words: object, **more: object) -> None:
        asked.append(host)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", lambda address, *words, **more: refuse(address[0]))
    save_user_token("http://127.0.0.1:8000/api", TOKEN)
    for words in (["season", "list"], ["matches"], ["auth", "status"], ["auth", "player", "list"], ["episode", "list"]):
        ran = cogames(*words)
        assert (ran.code, "Failed to reach server: http://127.0.0.1:8000" in ran.error) == (1, True), words
        assert any("observatory serve" in hint for hint in ran.hints)
    assert set(asked) == {"127.0.0.1"}


def test_a_name_of_a_season_cannot_leave_its_place_in_the_address(cogames: Callable, named: Stub) -> None:
    cogames("season", "show", "../../whoami?x=1")
    first, *more = named.lines
    assert first == "GET /tournament/seasons/..%2F..%2Fwhoami%3Fx%3D1"
    assert set(more) == {"GET /tournament/seasons"}  # for names like it


@pytest.fixture
def pretender(stub: Stub, tmp_path: Path) -> Iterator[str]:
    """Serve HTTPS with a self-signed certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    no_password = serialization.NoEncryption()
    file.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, no_password)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    arrived: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as channel:
                    arrived.append(channel.recv(1))

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"https://localhost:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(20)
    assert b"".join(arrived) == b""


def test_a_server_that_cannot_prove_itself_hears_nothing(cogames: Callable, home: Path, pretender: str) -> None:
    save_user_token(f"{pretender}/api", TOKEN)
    ran = cogames("matches", "--server", pretender)
    assert (ran.code, "certificate" in ran.error.lower()) == (1, True)


def test_a_server_has_a_name_and_a_session_of_its_own(cogames: Callable, home: Path, stub: Stub) -> None:
    with serve_stub() as other:
        assert cogames("auth", "add", "work", stub.address).code == 0
        assert cogames("auth", "add", "play", other.address, "--switch").code == 0
        cogames("auth", "set-token", TOKEN, "--server", "work")
        assert user_token(f"{stub.address}/api") == TOKEN and user_token(f"{other.address}/api") is None
        rows = json.loads(cogames("auth", "list", "--json", "name,signed_in,current").out)
        assert rows == [
            {"name": "local", "signed_in": False, "current": False},
            {"name": "play", "signed_in": False, "current": True},
            {"name": "work", "signed_in": True, "current": False},
        ]
        assert cogames("season", "list").code == 0
        assert [line.headers.get("x-auth-token") for line in other.log] == [None]
        assert cogames("season", "list", "--server", "work").code == 0
        assert [line.headers.get("x-auth-token") for line in stub.log] == [TOKEN]
        assert "Authenticated" in cogames("auth", "status", "--server", "work").out
        assert cogames("auth", "switch", "work").code == 0
        # The session of a server is not for another address.
        other.log.clear()
        assert cogames("season", "list", "--server", other.address).code == 0
        assert [line.headers.get("x-auth-token") for line in other.log] == [None]
        assert cogames("auth", "remove", "work").code == 0
        assert resolve_addresses().api == "http://127.0.0.1:8000"
    assert (home / ".metta" / "servers.yaml").stat().st_mode & 0o077 == 0


def test_a_name_of_a_server_is_checked(cogames: Callable, home: Path) -> None:
    assert cogames("auth", "add", "local", "http://other").error.startswith("Error: The name 'local' is taken")
    assert cogames("auth", "add", "a b", "http://other").code == 1
    assert cogames("auth", "add", "work", "other").code == 1
    assert cogames("auth", "add", "work", "http://other").code == 0
    assert cogames("auth", "switch", "wrok").hints == ["did you mean work?"]
    ran = cogames("season", "list", "--server", "127.0.0.1:8000")
    assert ran.hints == ["an address begins with http:// or https://, such as http://127.0.0.1:8000"]
    assert cogames("auth", "remove", "local").code == 1
