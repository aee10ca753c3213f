"""Models of what league servers and their clients exchange; both sides use these classes."""
