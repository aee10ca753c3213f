"""Into /usr, /etc, /lib and the interpreter, whatever user it has."""

import os
import sys

from kit import attempt, done


def write(path):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
    os.write(fd, b"owned")
    os.close(fd)


places = ["/usr", "/usr/bin", "/usr/lib", "/usr/local/bin", "/lib", "/bin", "/etc", "/etc/ssl", "/dev", "/sys", "/proc"]
places += [sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), os.path.dirname(sys.executable)]
for place in places:
    attempt(place, lambda place=place: write(os.path.join(place, "cogbox-hostile")))
for file in (sys.executable, os.__file__, "/etc/passwd", "/etc/hosts", "/etc/ld.so.cache", "/usr/bin/env"):
    attempt(file, lambda file=file: os.close(os.open(file, os.O_WRONLY)))
    attempt(f"mode of {file}", lambda file=file: os.chmod(file, 0o777))
done()
