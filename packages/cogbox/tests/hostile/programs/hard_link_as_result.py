"""Links a file outside into the private folder, to be read or changed through the new name."""

import os

from kit import TARGETS, attempt, done

for name in ("secret_file", "canary"):
    attempt(name, lambda name=name: os.link(TARGETS[name], "result"))
    attempt(f"{name} moved", lambda name=name: os.rename(TARGETS[name], "result"))
attempt("out", lambda: (open("own", "w").close(), os.link("own", os.path.join(TARGETS["outside"], "linked"))))
done()
