"""Removes, renames or replaces its private folder by a link, so that what is collected or removed lies elsewhere."""

import contextlib
import os

from kit import TARGETS, attempt, done

work = os.getcwd()
os.chdir("/")
attempt("remove", lambda: os.rmdir(work))
attempt("rename", lambda: os.rename(work, work + "-moved"))
# Beside it there may be room, in a /tmp of the box's own; from outside nothing must be seen of it.
with contextlib.suppress(OSError):
    os.symlink(TARGETS["outside"], work + "-link")
with contextlib.suppress(OSError):
    os.mkdir(os.path.join(os.path.dirname(work), "beside"))
done()
