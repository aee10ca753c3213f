"""Build HTML reports: one self-contained file each."""
