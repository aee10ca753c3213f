"""A commissioner that follows a configuration: divisions, stages, seating, scoring and what results do to members.

`python -m coworld.roles.ruleset` serves it. `RULESET_STRATEGY_CONFIG_PATH` names a YAML file, or
`RULESET_STRATEGY_CONFIG_NAME` one of the bundled ones (`default`, `among_them`, `cogs_vs_clips`, `four_score`). The
`commissioner_config` of a league may name another bundled one as `ruleset_name`, and change parts of it in `ruleset`.
"""
