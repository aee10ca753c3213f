"""Environments for training: rotations and changes of pace."""
