"""The platform ladder as pure functions: no tables, no clock, no global randomness.

- `plans`: a round before it is played: entrants, seats, seeds
- `seating`: draw the seats of a round
- `scoring`: turn the episodes of a round into scores and sides
- `rating`, `plackett_luce`: rate a round
- `moves`: promote, relegate and disqualify
"""
