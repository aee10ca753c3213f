"""The policies of this package, under the names that documents use."""
