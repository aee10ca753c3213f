"""Train policies: `trainer` has the loop, `args` its settings, `runs` what it leaves on disk."""
