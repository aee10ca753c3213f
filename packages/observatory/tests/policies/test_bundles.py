"""Bundles that were made to do harm, and what is said about them."""

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from observatory.errors import BadRequest
from observatory.policies.bundles import inspect_bundle
from packages.observatory.tests.world import bundle

ZIP = {"Content-Type": "application/zip"}
MANIFEST = ("policy_spec.json", '{"class_path": "my_policy.Mine"}')


def archive(*members: tuple[str | zipfile.ZipInfo, bytes | str], manifest: bool = True) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for name, content in ([MANIFEST] if manifest else []) + list(members):
            zip_file.writestr(name, content)
    return data.getvalue()


def link(name: str, target: str) -> tuple[zipfile.ZipInfo, str]:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry, target


def bomb() -> bytes:
    """300 MB of zeros in 300 KB: more than 200 times its size."""
    return archive(("zeros", bytes(300 * 2**20)))


def lying() -> bytes:
    """A member that says it is small and is not."""
    data = bytearray(archive(("big", b"x" * 100_000)))
    # The size before compression, in the local header and in the directory.
    real = struct.pack("<I", 100_000)
    return bytes(data.replace(real, struct.pack("<I", 10)))


ATTACKS = {
    "no zip archive": b"hello",
    "empty": b"",
    "truncated": bundle({"code.py": "x = 1\n" * 1000})[:-40],
    "traversal": archive(("../../etc/passwd", "x")),
    "absolute path": archive(("/etc/passwd", "x")),
    "symlink": archive(link("weights", "/etc/passwd")),
    "bomb": bomb,
    "lying about sizes": lying(),
    "two members with one name": lambda: archive(("a.py", "1"), ("a.py", "2")),
    "no manifest": archive(("code.py", "x"), manifest=False),
    "manifest in a folder": archive(("inner/policy_spec.json", "{}"), manifest=False),
    "manifest that is no JSON": archive(("policy_spec.json", "{"), manifest=False),
    "manifest without a class": archive(("policy_spec.json", "{}"), manifest=False),
    "manifest nested too deeply": archive(
        ("policy_spec.json", '{"class_path": "a.B", "init_kwargs": ' + '{"a":' * 100_000 + "1" + "}" * 100_001),
        manifest=False,
    ),
    "manifest that cannot be kept": bundle(init_kwargs={"a": "zero \x00 byte"}),
    "manifest of another encoding": archive(("policy_spec.json", "{}".encode("utf-16")), manifest=False),
    "manifest that is a list": archive(("policy_spec.json", "[]"), manifest=False),
    "TOML without a policy": archive(("cogames.toml", "x = 1"), manifest=False),
    "hosts that are none": bundle(network_hosts=["http://x/"]),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ATTACKS)
def test_a_bad_bundle_is_refused_with_a_sentence(tmp_path: Path, name: str) -> None:
    attack = ATTACKS[name]
    path = tmp_path / "bundle.zip"
    path.write_bytes(attack() if callable(attack) else attack)
    with pytest.raises(BadRequest, match=r"^The bundle was refused: ") as refused:
        inspect_bundle(path)
    assert "Traceback" not in str(refused.value) and "could not be read within the limits" not in str(refused.value)


def test_a_bundle_with_a_toml_manifest_is_accepted(tmp_path: Path) -> None:
    toml = '[policy]\nclass_path = "my_policy.Mine"\nnetwork_hosts = ["b.example", "a.example:8443"]\n'
    path = tmp_path / "bundle.zip"
    path.write_bytes(archive(("cogames.toml", toml), manifest=False))
    facts = inspect_bundle(path)
    assert facts.spec["class_path"] == "my_policy.Mine"
    assert facts.network_hosts == ["a.example:8443", "b.example"]
    assert facts.size == path.stat().st_size


def test_inspecting_a_bundle_runs_no_code_from_it(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    code = f"open({str(mark)!r}, 'w').write('x')"
    path = tmp_path / "bundle.zip"
    members = {"my_policy.py": code, "setup.py": code, "sitecustomize.py": code}
    path.write_bytes(bundle(members, setup_script="setup.py"))
    assert inspect_bundle(path).spec["setup_script"] == "setup.py"
    assert not mark.exists()


def test_a_refused_bundle_is_deleted_and_leaves_no_version(client: TestClient, app, ada) -> None:
    begun = client.post("/stats/policies/submit/presigned-url", headers=ada.headers).json()
    client.put(begun["upload_url"], content=b"hello", headers=ZIP)
    refused = client.post(
        "/stats/policies/submit/complete", json={"upload_id": begun["upload_id"], "name": "bad"}, headers=ada.headers
    )
    assert refused.status_code == 400 and "not a readable zip archive" in refused.json()["detail"]
    assert str(app.state.settings.data_dir) not in refused.text
    assert app.state.store.size(f"policies/{begun['upload_id']}.zip") is None
    assert client.get("/stats/policy-versions").json()["total_count"] == 0
