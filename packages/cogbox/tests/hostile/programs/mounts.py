"""Mounts, unmounts, remounts, changes of the root folder; with the old calls and the new."""

import os

from kit import TARGETS, TMP, attempt, call, done

MS_REMOUNT, MS_BIND, MS_MOVE, MNT_DETACH, AT_FDCWD = 32, 4096, 8192, 2, -100

os.makedirs(os.path.join(TMP, "at"), exist_ok=True)
at, outside, bundle = os.path.join(TMP, "at").encode(), TARGETS["outside"].encode(), TARGETS["bundle"].encode()
for kind in (b"tmpfs", b"proc", b"sysfs", b"ext4", b"overlay", b"cgroup", b"cgroup2", b"devtmpfs", b"fuse"):
    attempt(kind, lambda kind=kind: call("mount", kind, at, kind, 0, 0))
attempt("disk", lambda: call("mount", b"/dev/vda", at, b"ext4", 0, 0))
attempt("bind", lambda: call("mount", b"/", at, b"", MS_BIND, 0))
attempt("bind outside", lambda: call("mount", outside, at, b"", MS_BIND, 0))
for path in (b"/", b"/usr", bundle, b"/proc", b"/dev"):
    attempt(b"remount " + path, lambda path=path: call("mount", b"none", path, b"", MS_REMOUNT | MS_BIND, 0))
    attempt(b"unmount " + path, lambda path=path: call("umount2", path, MNT_DETACH))
attempt("move", lambda: call("mount", b"/usr", at, b"", MS_MOVE, 0))
attempt("pivot_root", lambda: call("pivot_root", b".", b"."))
attempt("fsopen", lambda: call("fsopen", b"tmpfs", 0))
attempt("open_tree", lambda: call("open_tree", AT_FDCWD, b"/", 1))
attempt("move_mount", lambda: call("move_mount", AT_FDCWD, b"/usr", AT_FDCWD, at, 0))
attempt("mount_setattr", lambda: call("mount_setattr", AT_FDCWD, b"/", 0, b"\0" * 32, 32))
done()
