"""What the commands share: the frame of the program, its options, and how it prints."""
