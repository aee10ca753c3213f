"""Fleets of workers that an existing engine starts, places and replaces: `observatory workers --ray ADDRESS`."""
