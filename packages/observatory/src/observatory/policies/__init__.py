"""Policies: uploads, versions, secrets and network grants."""
