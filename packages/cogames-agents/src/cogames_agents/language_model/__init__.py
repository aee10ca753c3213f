"""Players that ask a language model what to do."""
