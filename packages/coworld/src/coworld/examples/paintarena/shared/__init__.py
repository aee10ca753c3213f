"""What games and players in the style of Paint Arena share."""
