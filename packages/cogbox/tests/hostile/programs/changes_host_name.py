"""The machine's name."""

from kit import attempt, call, done

attempt("host", lambda: call("sethostname", b"owned", 5))
attempt("domain", lambda: call("setdomainname", b"owned", 5))
done()
