"""Fills /dev/shm."""

from kit import done

written = 0
try:
    with open("/dev/shm/big", "wb", buffering=0) as file:
        while written < 96 << 20:
            written += file.write(b"x" * (1 << 20))
    print("ESCAPED wrote", written)
except OSError as error:
    print("refused", error, written)
done()
