"""The commands of the program, one idea in each module."""
