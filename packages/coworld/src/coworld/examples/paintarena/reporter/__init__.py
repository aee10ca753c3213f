"""Reporters for Paint Arena that follow the published container contract (`coworld.models.reporter_request`).

- `paint_arena_summarizer`: a page with the outcome, and the same numbers as JSON
- `stats_reporter`: every frame as an event log
"""
