"""The games of this package, one folder each; `shared` has what games written in Python have in common."""
