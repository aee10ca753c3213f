"""Sharing out seats and scoring policies against one another; see `metta_alo.scoring`."""
