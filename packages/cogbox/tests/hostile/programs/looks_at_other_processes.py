"""Reads everything in /proc about all processes: environment, memory, descriptors, root and working folder."""

import os

from kit import TARGETS, done, read, show

own = {str(os.getpid()), "self", "thread-self"}
try:
    processes = {entry for entry in os.listdir("/proc") if entry.isdigit()}
except OSError as error:
    print("refused", error)
    processes = set()
processes |= {str(TARGETS[name] + step) for name in ("victim", "caller") for step in range(-2, 3)}
processes |= {str(os.getppid()), "1"}
for process in sorted(processes - own):
    for name in ("environ", "cmdline", "maps", "auxv", "root/etc/shadow", "cwd/canary"):
        show(f"/proc/{process}/{name}", lambda process=process, name=name: read(f"/proc/{process}/{name}"))
    show("root", lambda process=process: os.listdir(f"/proc/{process}/root" + TARGETS["outside"]))
    show("descriptors", lambda process=process: os.listdir(f"/proc/{process}/fd"))

    def memory(process=process):
        maps = read(f"/proc/{process}/maps").decode()
        place = next(line for line in maps.splitlines() if "[stack]" in line).split("-")[0]
        with open(f"/proc/{process}/mem", "rb", buffering=0) as file:
            file.seek(int(place, 16))
            return file.read(1 << 20)

    show("memory", memory)
done()
