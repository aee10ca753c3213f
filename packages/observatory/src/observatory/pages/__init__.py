"""What only the pages ask for: `/observatory/api`. Everything else they take from the API of the commands."""
