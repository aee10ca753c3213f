"""The commands of `softmax`."""
