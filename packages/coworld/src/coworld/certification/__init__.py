"""The steps of a certification and its report."""
