"""The core of games: missions, the variants that define their rules, and the games that offer them."""
