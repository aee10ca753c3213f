"""Scripted and language-model players for Cogs vs Clips, and tools to audit them."""
