"""Allocate seats and score policies; see `metta_alo.scoring`."""
