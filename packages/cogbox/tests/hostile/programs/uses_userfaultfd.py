"""Page faults handled by the program: the tool of many attacks on the kernel."""

from kit import attempt, call, done

attempt("open", lambda: call("userfaultfd", 1))
attempt("open for all", lambda: call("userfaultfd", 0))
done()
