"""Games that people and agents join: play sessions, lobbies of leagues, and hosted replays."""
