"""Checks and traces of scripted policies: rollout, parity, instrumented audit."""
