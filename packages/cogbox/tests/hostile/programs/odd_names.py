"""Names of 255 bytes, with line breaks, dashes, quotes, no valid UTF-8, and some that look like commands."""

import os

from kit import done

names = [
    b"n" * 255,
    b"line\nbreak",
    b"-rf",
    b"--",
    b"~",
    b"*",
    b"$(reboot)",
    b"`reboot`",
    b"\xff\xfe\x80",
    b" ",
    b"'\"\\",
]
names += [b"\xc3\xa4" * 127, b"\x01\x1b[2J", b"con:aux", b"..."]
for name in names:
    os.mkdir(name)
    for inside in names:
        with open(os.path.join(name, inside), "wb") as file:
            file.write(b"x")
done()
