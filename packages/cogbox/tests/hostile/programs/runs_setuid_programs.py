"""Programs of root's with the setuid bit, with and without LD_PRELOAD, and one of its own making."""

import os
import stat
import subprocess

from kit import TMP, done

found = []
for folder in ("/usr/bin", "/usr/sbin", "/usr/lib/openssh", "/usr/lib/dbus-1.0"):
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        try:
            if os.stat(path).st_mode & (stat.S_ISUID | stat.S_ISGID):
                found.append(path)
        except OSError:
            pass
print(len(found), "programs")
preload = os.path.join(TMP, "preload.so")
with open(preload, "w") as file:
    file.write("no library")
for words in (["su", "-c", "id -u"], ["sudo", "-n", "id", "-u"], ["mount"], ["pkexec", "id"], ["newgrp", "-c", "id"]):
    for extra in ({}, {"LD_PRELOAD": preload, "LD_LIBRARY_PATH": TMP, "LD_AUDIT": preload}):
        try:
            environment = {**os.environ, **extra}
            said = subprocess.run(words, env=environment, input=b"\n", capture_output=True, timeout=10).stdout
            if said.strip() == b"0":
                print("ESCAPED", words)
        except (OSError, subprocess.TimeoutExpired) as error:
            print("refused", error)
own = os.path.join(TMP, "own")
with open("/usr/bin/id", "rb") as source, open(own, "wb") as copy:
    copy.write(source.read())
for fd in (os.open(own, os.O_RDONLY),):
    try:
        os.fchmod(fd, 0o6755)
        said = subprocess.run([own, "-u"], capture_output=True).stdout
        if said.strip() == b"0":
            print("ESCAPED own setuid program")
    except OSError as error:
        print("refused", error)
done()
