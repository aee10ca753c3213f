"""The default supporting roles."""
