"""Cogs vs Clips in words: state, events, skills and prompts for language-model players."""
