"""Malicious archives, each with its error message."""

import contextlib
import io
import stat
import struct
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mettagrid.policy import archive
from mettagrid.policy.archive import extract_submission_archive, validate_submission_archive_member
from mettagrid.policy.prepare_policy_spec import load_policy_spec_from_path

SPEC = ("policy_spec.json", '{"class_path": "noop"}')


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo("placeholder")
    made.filename = name  # as it is, without the changes that the constructor makes
    made.create_system = 3
    made.external_attr = mode << 16
    return made


def zipped(path: Path, *members: tuple[str | zipfile.ZipInfo, str | bytes]) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names that are there twice
        with zipfile.ZipFile(path, "w") as made:
            for name, content in members:
                made.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ([("/etc/passwd", "x")], "absolute path: /etc/passwd"),
        ([("C:/x", "x")], "absolute path: C:/x"),
        ([("../x", "x")], r"path traversal: \.\./x"),
        ([("a/../../x", "x")], "path traversal"),
        ([(entry("..\\x"), "x")], "backslash or control character"),
        ([(entry("a\nb"), "x")], "backslash or control character"),
        ([(entry("link", stat.S_IFLNK | 0o777), "/etc/passwd")], "symlink entry: link"),
        ([(entry("pipe", stat.S_IFIFO | 0o644), "")], "special file: pipe"),
        ([(entry("disk", stat.S_IFBLK | 0o644), "")], "special file: disk"),
        ([("NUL", "x")], "device name: NUL"),
        ([("deep/com1", "x")], "device name"),
        ([("x" * 300, "x")], "path that is too long"),
        ([("a/" * 600 + "b", "x")], "path that is too long"),
        ([("./", "")], "member without a name"),
        ([("a.txt", "1"), ("a.txt", "2")], r"two members with one name: a\.txt"),
        ([("a.txt", "1"), ("./a.txt", "2")], "two members with one name"),
        ([("a", "1"), ("a/b", "2")], "a file that is also a folder: a"),
        ([("a/", ""), ("a", "1")], "a file that is also a folder: a"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_member_that_could_do_harm_is_refused(
    tmp_path: Path, members: list[tuple[str | zipfile.ZipInfo, str]], says: str
) -> None:
    path = zipped(tmp_path / "bad.zip", SPEC, *members)
    with pytest.raises(ValueError, match=f"Submission archive contains .*{says}"):
        extract_submission_archive(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()  # nothing is written before everything has passed


def test_a_link_in_the_destination_does_not_lead_a_member_outside(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "there").symlink_to(tmp_path)
    with pytest.raises(ValueError, match="escapes its folder: there/x"):
        validate_submission_archive_member(entry("there/x"), tmp_path / "out")


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    made = entry("secret")
    made.flag_bits = 1
    with pytest.raises(ValueError, match="encrypted member: secret"):
        validate_submission_archive_member(made, tmp_path)


def test_an_unknown_compression_is_refused(tmp_path: Path) -> None:
    made = entry("odd")
    made.compress_type = 99
    with pytest.raises(ValueError, match="unknown compression: odd"):
        validate_submission_archive_member(made, tmp_path)


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04 torn"])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    with pytest.raises(ValueError, match=r"Invalid submission archive: .*x\.zip"):
        load_policy_spec_from_path(tmp_path / "x.zip")


def test_a_damaged_member_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", ("data", b"0123456789"))
    path.write_bytes(path.read_bytes().replace(b"0123456789", b"0123456780"))
    with pytest.raises(ValueError, match=r"Invalid submission archive: .*CRC"):
        extract_submission_archive(path, tmp_path / "out")


class TestBombs:
    def test_too_many_members(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
        path = zipped(tmp_path / "x.zip", *((str(number), "") for number in range(4)))
        with pytest.raises(ValueError, match="has 4 members; at most 3 are allowed"):
            extract_submission_archive(path, tmp_path / "out")

    def test_too_much_content(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 9)
        path = zipped(tmp_path / "x.zip", ("a", "12345"), ("b", "12345"))
        with pytest.raises(ValueError, match="unpacks to 10 bytes; at most 9 are allowed"):
            extract_submission_archive(path, tmp_path / "out")

    def test_content_that_is_packed_too_well(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archive, "RATIO_FREE_BYTES", 1000)
        path = tmp_path / "x.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("zeros", bytes(1_000_000))
        with pytest.raises(ValueError, match="more than 200 times its size"):
            extract_submission_archive(path, tmp_path / "out")
        monkeypatch.undo()
        extract_submission_archive(path, tmp_path / "out")  # a megabyte of zeros alone is harmless

    def test_members_that_share_their_content(self, tmp_path: Path) -> None:
        """Two entries of the table of contents that point at the same bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as made:
            made.writestr("a", bytes(5000))
        content = buffer.getvalue()
        start = content.index(b"PK\x01\x02")
        end = content.index(b"PK\x05\x06")
        listed = content[start:end]
        tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2, 2, 2 * len(listed), start, 0)
        (tmp_path / "x.zip").write_bytes(content[:start] + listed + listed + tail)
        with pytest.raises(ValueError, match="overlap"):
            extract_submission_archive(tmp_path / "x.zip", tmp_path / "out")


def test_permissions_of_the_archive_are_not_taken_over(tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "x.zip",
        (entry("run.sh", stat.S_IFREG | 0o6777), "x"),
        (entry("secret", stat.S_IFREG | 0o000), "x"),
        (entry("open", stat.S_IFREG | 0o666), "x"),
        (entry("folder/", stat.S_IFDIR | 0o777), ""),
    )
    extract_submission_archive(path, tmp_path / "out")
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "out").iterdir()}
    assert modes == {"run.sh": 0o755, "secret": 0o644, "open": 0o644, "folder": 0o755}


@given(st.text("/.\\ab:\0 \n", min_size=1, max_size=20))
def test_no_name_leads_out_of_the_folder(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    root = tmp_path_factory.mktemp("names")
    path = zipped(root / "x.zip", (entry(name.rstrip("/") or "a"), "x"))
    with contextlib.suppress(ValueError):
        extract_submission_archive(path, root / "out")
    outside = [each for each in root.rglob("*") if each.is_file() and not each.is_relative_to(root / "out")]
    assert outside == [root / "x.zip"]
