"""Policies: uploads, versions, their secrets and what they may reach."""
