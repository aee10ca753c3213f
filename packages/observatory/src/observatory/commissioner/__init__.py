"""What is played next: pure functions from what is stored to what is decided, and a loop that asks them.

`facts` is what they know, `decisions` what they answer. `freeplay` and `team` decide, with `order`, `sampling` and
`seeds`; `reading`, `applying` and `loop` know the database.
"""
