"""Catalogues of role implementations: `CATALOG.yaml` files in folders, and the reporters of a server."""
