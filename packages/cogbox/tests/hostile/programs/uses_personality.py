"""Old personalities switch protections off."""

from kit import attempt, call, done

attempt("no randomness", lambda: call("personality", 0x0040000))
attempt("read implies exec", lambda: call("personality", 0x0400000))
attempt("32 bits", lambda: call("personality", 8))
done()
