"""Keys of the kernel: a way to leave something behind and to talk to other boxes."""

from kit import attempt, call, done

attempt("add", lambda: call("add_key", b"user", b"hostile", b"secret", 6, -5))
attempt("request", lambda: call("request_key", b"user", b"hostile", 0, -3))
attempt("session", lambda: call("keyctl", 1, b"hostile"))
attempt("search", lambda: call("keyctl", 10, -4, b"user", b"hostile", 0))
attempt("persistent", lambda: call("keyctl", 22, -1, -2))
done()
