"""Matches of the seasons, and what their players may see of them."""
