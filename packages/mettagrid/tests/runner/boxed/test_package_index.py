"""Setup scripts install from the operator's package index, and never see its credentials."""

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote

import pytest

from mettagrid.config.mettagrid_config import MettaGridConfig
from mettagrid.runner.boxed import BoxedPolicy, material_from_uri, setup
from mettagrid.runner.boxed.index import IndexProxy, PackageIndex
from mettagrid.runner.boxed.index.proxy import INDEX_PORT
from mettagrid.runner.boxed.job import PolicyToPlay, play_job
from mettagrid.runner.episode.errors import MachineFault

from .conftest import Maker
from .local_index import CREDENTIALS, PASSWORD, USER, LocalIndex, Page, write_wheel

EAST = 'return Action(name="move_east")'
INSTALL = "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'pip', 'install', 'smallthing'], check=True)\n"

# Collects everything that a script can read about its surroundings, before pip runs, while it runs and afterwards.
LOOK_AROUND = """
import glob, os, subprocess, sys
found = [repr(dict(os.environ))]
def look():
    for path in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline') + glob.glob('/proc/net/*'):
        try:
            found.append(path + ': ' + open(path, errors='replace').read())
        except OSError:
            pass
look()
pip = subprocess.Popen([sys.executable, '-m', 'pip', 'install', '-vvv', 'smallthing'],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
look()
found.append(pip.communicate()[0])
assert pip.returncode == 0, found[-1]
for words in (['list'], ['debug']):
    done = subprocess.run([sys.executable, '-m', 'pip', 'config', *words], capture_output=True, text=True)
    found.append(done.stdout + done.stderr)
for folder in {os.path.expanduser('~'), os.path.dirname(os.getcwd()), '/etc', '/tmp', '/run', '/home', '/root'}:
    for place, folders, names in os.walk(folder):
        # Neither the interpreter nor the environment of a checkout, which may be below one of these.
        ours = {sys.prefix, sys.base_prefix}
        folders[:] = [name for name in folders if name != '.venv' and os.path.join(place, name) not in ours]
        for name in names:
            path = os.path.join(place, name)
            try:
                found.append(path + ': ' + open(path, errors='replace').read(100_000))
            except OSError:
                pass
look()
open('dump.txt', 'w').write('\\n'.join(found))
print(found[0])
"""


@pytest.fixture
def index() -> Iterator[LocalIndex]:
    with LocalIndex() as made:
        yield made


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """This machine's pip knows one index and nothing else."""
    for name in ("FIND_LINKS", "EXTRA_INDEX_URL", "NO_INDEX", "TRUSTED_HOST", "INDEX_URL"):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    setup.package_index.cache_clear()
    yield monkeypatch
    setup.package_index.cache_clear()


def url_with_credentials(index: LocalIndex) -> str:
    return f"http://{USER}:{quote(PASSWORD, safe='')}@{index.place}/simple/"


def test_a_setup_script_installs_from_a_protected_index_and_finds_the_credentials_nowhere(
    index: LocalIndex,
    configure: pytest.MonkeyPatch,
    make_bundle: Maker,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    index.offer(write_wheel(tmp_path / "wheels", "smallthing", "value = 'from the index'"))
    configure.setenv("PIP_INDEX_URL", url_with_credentials(index))
    caplog.set_level("DEBUG")
    material = BoxedPolicy.from_uri(str(make_bundle(EAST, setup=LOOK_AROUND))).material
    assert (Path(material.libraries[0]) / "smallthing.py").exists()
    dump = (Path(material.import_roots[-1]) / "dump.txt").read_text()
    assert "PIP_INDEX_URL" in dump and f"127.0.0.1:{INDEX_PORT}" in dump and "smallthing" in dump
    outside = capfd.readouterr()
    for text in (dump, outside.out, outside.err, caplog.text):
        for secret in (PASSWORD, quote(PASSWORD, safe=""), CREDENTIALS, index.place):
            assert secret not in text
    assert {method for method, _, _ in index.asked} <= {"GET", "HEAD"}


def test_credentials_come_from_netrc_too(
    index: LocalIndex, configure: pytest.MonkeyPatch, make_bundle: Maker, tmp_path: Path
) -> None:
    index.offer(write_wheel(tmp_path / "wheels", "smallthing", "value = 'from the index'"))
    configure.setenv("PIP_INDEX_URL", f"http://{index.place}/simple")
    (tmp_path / "netrc").write_text(f"machine 127.0.0.1 login {USER} password {PASSWORD}\n")
    material = BoxedPolicy.from_uri(str(make_bundle(EAST, setup=INSTALL))).material
    assert (Path(material.libraries[0]) / "smallthing.py").exists()


def test_a_setup_script_without_the_grant_reaches_no_index_and_is_told_why(
    index: LocalIndex, configure: pytest.MonkeyPatch, make_bundle: Maker, game: MettaGridConfig, tmp_path: Path
) -> None:
    index.offer(write_wheel(tmp_path / "wheels", "smallthing", ""))
    configure.setenv("PIP_INDEX_URL", url_with_credentials(index))
    uri = str(make_bundle(EAST, setup=INSTALL))
    # What a policy with the grant has prepared is not for the same bundle without it.
    material_from_uri(uri)
    del index.asked[:]
    with pytest.raises(RuntimeError, match="has no grant for the package index"):
        material_from_uri(uri, may_use_index=False)
    spec = {"policy_uris": ["mine"], "assignments": [0] * 4, "env": game.model_dump(mode="json")}
    folder = tmp_path / "job"
    folder.mkdir()
    error = play_job(folder, spec, [PolicyToPlay("mine", uri, may_use_index=False)])
    assert error is not None and error.error_type == "policy_error" and error.failed_policy_index == 0
    assert "has no grant for the package index" in (folder / "policy_agent_0.txt").read_text()
    assert index.asked == []


def test_a_setup_script_that_needs_no_packages_runs_without_the_grant(make_bundle: Maker) -> None:
    bundle = make_bundle(EAST, setup="open('made.txt', 'w').write('here')")
    material = material_from_uri(str(bundle), may_use_index=False)
    assert (Path(material.import_roots[-1]) / "made.txt").read_text() == "here"


@pytest.mark.parametrize("as_json", [False, True])
def test_files_on_another_host_are_fetched_without_the_credentials(
    as_json: bool, index: LocalIndex, configure: pytest.MonkeyPatch, make_bundle: Maker, tmp_path: Path
) -> None:
    with LocalIndex(protected=False) as files:
        index.offer(write_wheel(tmp_path / "wheels", "smallthing", ""), files=files, as_json=as_json)
        configure.setenv("PIP_INDEX_URL", url_with_credentials(index))
        configure.setenv("PIP_TRUSTED_HOST", files.place)
        material = BoxedPolicy.from_uri(str(make_bundle(EAST, setup=INSTALL))).material
    assert (Path(material.libraries[0]) / "smallthing.py").exists()
    assert files.asked and all(authorization is None for _, _, authorization in files.asked)


def test_a_redirect_to_another_host_does_not_carry_the_credentials(
    index: LocalIndex, configure: pytest.MonkeyPatch, make_bundle: Maker, tmp_path: Path
) -> None:
    with LocalIndex(protected=False) as elsewhere:
        wheel = write_wheel(tmp_path / "wheels", "smallthing", "")
        index.offer(wheel)
        path = f"/files/{wheel.name}"
        elsewhere.pages["/moved"] = index.pages[path]
        index.pages[path] = Page(b"", status=302, location=f"http://{elsewhere.place}/moved")
        configure.setenv("PIP_INDEX_URL", url_with_credentials(index))
        configure.setenv("PIP_TRUSTED_HOST", elsewhere.place)
        BoxedPolicy.from_uri(str(make_bundle(EAST, setup=INSTALL)))
    assert elsewhere.asked == [("GET", "/moved", None)]


def test_a_setup_script_whose_index_does_not_work_is_not_the_policys_failure(
    index: LocalIndex, configure: pytest.MonkeyPatch, make_bundle: Maker
) -> None:
    configure.setenv("PIP_INDEX_URL", f"http://{USER}:wrong@{index.place}/simple/")
    with pytest.raises(MachineFault, match="refuses the credentials of this machine") as caught:
        BoxedPolicy.from_uri(str(make_bundle(EAST, setup=INSTALL)))
    assert "wrong@" not in str(caught.value)


def test_settings_that_the_box_cannot_use_stay_outside(tmp_path: Path) -> None:
    places = (
        f"ftp://{USER}:secret-1@files.example.com/x git+https://{USER}:secret-2@example.com/x {tmp_path} /no/folder"
    )
    found = PackageIndex({"find-links": places, "index-url": f"https://{USER}:secret-3@index.example.com/simple"})
    variables = found.variables("http://127.0.0.1:1/token")
    assert "secret" not in str(variables)
    assert (variables["PIP_FIND_LINKS"], found.folders) == (str(tmp_path), [tmp_path])
    assert variables["PIP_INDEX_URL"] == "http://127.0.0.1:1/token/0/"


def test_an_index_that_is_configured_wrongly_is_a_machine_fault_and_is_not_quoted(
    configure: pytest.MonkeyPatch, make_bundle: Maker
) -> None:
    configure.setenv("PIP_INDEX_URL", f"https://{USER}:slash/in-the-password@index.example.com/simple")
    with pytest.raises(MachineFault, match="cannot be used: ValueError") as caught:
        BoxedPolicy.from_uri(str(make_bundle(EAST, setup=INSTALL)))
    assert "slash" not in str(caught.value) and "in-the-password" not in str(caught.value)


@pytest.fixture
def base(index: LocalIndex, configure: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The address of a proxy as this machine sees it, with a token."""
    index.offer(write_wheel(tmp_path / "wheels", "smallthing", ""))
    with IndexProxy(PackageIndex({"index-url": url_with_credentials(index)})) as proxy:
        host, port = proxy.address
        token = proxy.variables()["PIP_INDEX_URL"].split("/")[3]
        yield f"http://{host}:{port}/{token}"


def status(url: str, method: str = "GET") -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method)) as response:
            return int(response.status)
    except HTTPError as error:
        error.close()
        return error.code


def test_the_proxy_gives_only_pages_and_files_of_the_index_and_only_to_read(base: str, index: LocalIndex) -> None:
    index.pages["/admin"] = Page(b"for operators")
    index.pages["/simple/"] = Page(b"every project")
    assert status(f"{base}/0/smallthing/") == 200
    for path in ("0/", "0/../admin", "0/%2e%2e/admin/", "0//admin/", "1/smallthing/", "file/0/x", "admin", ""):
        assert status(f"{base}/{path}") == 404, path
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert status(f"{base}/0/smallthing/", method) in (405, 501)
    other = "y" if base.endswith("x") else "x"
    assert status(f"{base[:-1]}{other}/0/smallthing/") == 404, "the token is wrong"
    assert [path for _, path, _ in index.asked] == ["/simple/smallthing/"]


def test_links_to_addresses_of_this_machine_and_its_network_are_not_followed(base: str, index: LocalIndex) -> None:
    with LocalIndex(protected=False) as inner:
        inner.pages["/secret.whl"] = Page(b"secret")
        by_name = f"localhost:{inner.place.rpartition(':')[2]}"
        page = {"files": [{"url": f"http://{place}/secret.whl"} for place in (inner.place, by_name)]}
        index.pages["/simple/sly/"] = Page(json.dumps(page).encode(), "application/vnd.pypi.simple.v1+json")
        with urllib.request.urlopen(f"{base}/0/sly/") as response:
            text = response.read().decode()
        links = [part.partition('"')[0] for part in text.split('href="')[1:]]
        origin = base.rpartition("/")[0]
        assert links and all(status(origin + link) in (403, 502) for link in links)
    assert inner.asked == []
