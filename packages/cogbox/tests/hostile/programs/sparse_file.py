"""A file that is a terabyte long and holds one byte; left to be collected."""

from kit import attempt, done


def long(size):
    with open("sparse", "wb") as file:
        file.truncate(size)
        file.seek(size - 1)
        file.write(b"x")


attempt("terabyte", lambda: long(1 << 40))
long(2 << 20)
done()
