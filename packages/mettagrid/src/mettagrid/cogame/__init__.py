"""The core of games: missions, the variants that make their rules, and the games that offer them."""
