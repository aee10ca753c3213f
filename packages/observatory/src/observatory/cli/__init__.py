"""The commands of `observatory`; the table of them is in `observatory.main`."""
