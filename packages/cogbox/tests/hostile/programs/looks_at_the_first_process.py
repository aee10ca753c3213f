"""The box's first process is the guard: its program, descriptors, memory and limits would be worth having."""

import os

from kit import attempt, done, read

for target in ("1", str(os.getppid())):
    for name in ("environ", "maps", "mem", "io", "stack", "syscall", "auxv"):
        attempt(f"{target} {name}", lambda target=target, name=name: read(f"/proc/{target}/{name}"))
    for name in ("exe", "cwd", "root"):
        attempt(f"{target} {name}", lambda target=target, name=name: os.readlink(f"/proc/{target}/{name}"))
    attempt("descriptors", lambda target=target: os.listdir(f"/proc/{target}/fd"))
    attempt("program", lambda target=target: os.close(os.open(f"/proc/{target}/exe", os.O_WRONLY)))
    for name in ("oom_score_adj", "mem", "uid_map", "setgroups"):
        attempt(
            f"write {name}", lambda target=target, name=name: os.close(os.open(f"/proc/{target}/{name}", os.O_WRONLY))
        )
for path in ("/run/cogbox/guard", "/run/cogbox/socket"):
    attempt(path, lambda path=path: os.close(os.open(path, os.O_WRONLY)))
done()
