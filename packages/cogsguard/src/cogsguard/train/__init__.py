"""Environments for training: rotations, reward variants, the pace of events."""
