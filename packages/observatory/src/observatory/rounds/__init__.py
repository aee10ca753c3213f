"""The rounds of the platform ladder: `reading` gives facts, `decisions` says what to do, `applying` writes it.

`loop` repeats this for as long as the server runs. `observatory.ladder` has the rules, without tables.
"""
