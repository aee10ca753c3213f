"""Files of a box are read and removed without following links, blocking, or leaving its folder."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogbox._folders import read_inside, remove_tree

# Names as a hostile program makes them: any bytes but `/` and zero, up to the 255 that a name may have.
NAMES = st.one_of(
    st.sampled_from([b"a", b"b", b"link", b"-rf", b"line\nbreak", b"\xff\xfe", b"...", b"n" * 255]),
    st.binary(min_size=1, max_size=12).filter(
        lambda name: b"/" not in name and b"\0" not in name and name not in (b".", b"..")
    ),
)
MODES = st.sampled_from([0o700, 0o000, 0o300, 0o500, 0o777, 0o1777])
LEAVES = st.one_of(
    st.tuples(st.just("file"), st.binary(max_size=40), MODES),
    st.tuples(st.just("link"), st.sampled_from([b".", b"..", b"link", b"a", b"../../outside", b"/etc/passwd", b"a/b"])),
    st.tuples(st.just("pipe")),
    st.tuples(st.just("hard link to outside")),
)
TREES = st.recursive(
    LEAVES, lambda below: st.tuples(st.just("folder"), st.dictionaries(NAMES, below, max_size=4), MODES), max_leaves=12
)
FOLDERS = st.dictionaries(NAMES, TREES, max_size=5)


class Place:
    """A folder to fill, beside a file that must stay as it is."""

    def __enter__(self) -> "Place":
        self.above = Path(tempfile.mkdtemp(prefix="cogbox-folders-"))
        self.outside = self.above / "outside"
        self.outside.write_text("stays")
        self.box = self.above / "box"
        self.box.mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.above)

    def fill(self, tree: dict[bytes, tuple]) -> None:
        self._make(os.fsencode(self.box), tree)

    def _make(self, folder: bytes, tree: dict[bytes, tuple]) -> None:
        for name, (kind, *more) in tree.items():
            path = os.path.join(folder, name)
            if kind == "file":
                with open(path, "wb") as file:
                    file.write(more[0])
                os.chmod(path, more[1])
            elif kind == "link":
                os.symlink(more[0], path)
            elif kind == "pipe":
                os.mkfifo(path)
            elif kind == "hard link to outside":
                os.link(self.outside, path)
            else:
                os.mkdir(path)
                self._make(path, more[0])
                os.chmod(path, more[1])


@settings(max_examples=80, deadline=None, database=None)
@given(FOLDERS)
def test_any_tree_is_removed_and_nothing_outside_is_touched(tree: dict[bytes, tuple]) -> None:
    with Place() as place:
        place.fill(tree)
        remove_tree(place.box)
        assert sorted(os.listdir(place.above)) == ["outside"]
        assert place.outside.read_text() == "stays"


def readable(tree: dict[bytes, tuple], parts: list[bytes]) -> bytes | None:
    """Return what may be read at a path: the bytes of a plain file below plain folders."""
    entry = tree.get(parts[0])
    if entry is None:
        return None
    if entry[0] == "folder" and len(parts) > 1:
        found = readable(entry[1], parts[1:])
        return found if os.geteuid() == 0 or entry[2] & 0o500 == 0o500 else None
    if len(parts) > 1:
        return None
    if entry[0] == "hard link to outside":
        return b"stays"
    if entry[0] == "file":
        return bytes(entry[1]) if os.geteuid() == 0 or entry[2] & 0o400 else None
    return None


def paths(tree: dict[bytes, tuple]) -> list[list[bytes]]:
    """Return every path of a tree, and some paths below entries that are not folders."""
    found = []
    for name, (kind, *more) in tree.items():
        found += [[name], [name, b"a"], [name, b"outside"]]
        found += [[name, *path] for path in paths(more[0])] if kind == "folder" else []
    return found


@settings(max_examples=80, deadline=None, database=None)
@given(FOLDERS)
def test_only_plain_files_below_plain_folders_are_read(tree: dict[bytes, tuple]) -> None:
    with Place() as place:
        place.fill(tree)
        for parts in paths(tree):
            name = os.fsdecode(b"/".join(parts))
            assert read_inside(place.box, name, 1000) == readable(tree, parts), name
        remove_tree(place.box)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "/", "/etc/passwd", "a/../../outside", "../outside", "a\0b", "x" * 300]
)
def test_names_that_lead_elsewhere_give_nothing(name: str) -> None:
    with Place() as place:
        (place.box / "a").mkdir()
        assert read_inside(place.box, name, 1000) is None


def test_a_file_is_read_up_to_its_limit_and_not_beyond() -> None:
    with Place() as place:
        (place.box / "file").write_bytes(b"x" * 100)
        assert read_inside(place.box, "file", 100) == b"x" * 100
        assert read_inside(place.box, "file", 99) is None


def test_a_folder_that_is_gone_is_neither_read_nor_removed_twice(tmp_path: Path) -> None:
    assert read_inside(tmp_path / "gone", "file", 100) is None
    remove_tree(tmp_path / "gone")


def test_a_tree_deeper_than_any_path_is_removed() -> None:
    with Place() as place:
        here = os.open(place.box, os.O_RDONLY)
        for _ in range(2_000):
            os.mkdir("d", dir_fd=here)
            deeper = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = deeper
        os.close(here)
        remove_tree(place.box)
        assert not place.box.exists()


def test_a_link_in_the_place_of_the_folder_is_not_followed() -> None:
    with Place() as place:
        (place.above / "target").mkdir()
        (place.above / "target" / "file").write_text("stays")
        place.box.rmdir()
        place.box.symlink_to(place.above / "target")
        with pytest.raises(OSError):
            remove_tree(place.box)
        assert read_inside(place.box, "file", 100) is None
        assert (place.above / "target" / "file").read_text() == "stays"


def test_a_base_folder_of_another_user_is_not_used_and_leaves_nothing(tmp_path: Path) -> None:
    code = "from cogbox import *\nfor _ in range(3): print(Sandbox(Level.NONE).run(['true']).verdict.value)"
    trap = tmp_path / f"cogbox-{os.geteuid()}"
    trap.mkdir()
    trap.chmod(0o777)
    ran = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True
    )
    assert ran.stdout.split() == ["ok"] * 3, ran.stderr
    assert list(trap.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == [trap.name]
