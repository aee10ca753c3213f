"""Two boxes at once: the other one's folder, /tmp, memory, environment, sockets, processes."""

import os
import signal
import socket

from kit import TARGETS, TMP, attempt, done, read, show

folder, pid = TARGETS["neighbour_folder"], TARGETS["neighbour_pid"]
attempt("folder", lambda: os.listdir(folder))
attempt("file", lambda: read(os.path.join(folder, "secret")))
attempt("write", lambda: open(os.path.join(folder, "owned"), "w").close())
above = os.path.dirname(os.path.dirname(folder))
show("boxes", lambda: [name for name in os.listdir(above) if name not in os.getcwd()])
for path in (os.path.join(TMP, "neighbour-secret"), "/tmp/neighbour-secret", "/dev/shm/neighbour-secret"):
    attempt(path, lambda path=path: read(path))
attempt("logs", lambda: os.listdir(os.path.join(os.path.dirname(folder), "keep")))
for target in (pid - 1, pid, pid + 1, pid + 2):
    show("environment", lambda target=target: read(f"/proc/{target}/environ"))
    show("root", lambda target=target: read(f"/proc/{target}/root{folder}/secret"))
    if target not in (os.getpid(), os.getppid()):
        for number in (signal.SIGUSR1, signal.SIGKILL):
            try:
                os.kill(target, number)
            except OSError as error:
                print("refused", error)


def abstract():
    with socket.socket(socket.AF_UNIX) as end:
        end.connect("\0cogbox-neighbour")


attempt("abstract", abstract)
attempt("port", lambda: socket.create_connection(("127.0.0.1", 47811), timeout=1))
done()
