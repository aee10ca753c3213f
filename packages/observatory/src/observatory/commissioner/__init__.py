"""Schedule matches: pure functions from stored facts to decisions, and a loop that calls them.

`facts` defines their input, `decisions` their output. `freeplay` and `team` decide, with `order`, `sampling` and
`seeds`; `reading`, `applying` and `loop` use the database.
"""
