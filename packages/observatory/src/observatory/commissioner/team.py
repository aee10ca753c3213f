"""Team seasons: stages one after the other, each with an input and an output pool."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from observatory.commissioner.decisions import (
    Complete,
    Decision,
    Decisions,
    EndTeam,
    Join,
    Leave,
    NewMatch,
    NewTeam,
)
from observatory.commissioner.facts import OpenMatch, PoolRecord, SeasonFacts, TeamFact
from observatory.commissioner.order import GamesLeft
from observatory.job_states import Priority
from observatory.scoring.exact import mean
from observatory.scoring.standings import ranked_teams, surviving_teams, survivors_of
from observatory.seasons import seeds
from observatory.seasons.config import PolicyEval, SampleTeams, ScorePolicies, TeamConfig, TeamEval
from observatory.seasons.sampling import draw_teams
from observatory.seasons.stages import PlannedStage, combination_key, combinations_of_stage, members_needed, plan_stages

__all__ = ["decide", "policy_scores", "team_scores"]


def decide(facts: SeasonFacts) -> Decisions:
    """Return the next decisions of a team season: those of the first stage that is not complete."""
    config = facts.config
    assert isinstance(config, TeamConfig)
    if not facts.started:
        return Decisions(why="The season has not started")
    planned = plan_stages(config)
    drawn = any(pool.teams for pool in facts.pools.values())
    for stage in planned:
        match stage.stage:
            case PolicyEval() as rules if not drawn:
                decisions = _evaluate_policies(facts, config, stage, rules)
            case SampleTeams() as rules if not drawn:
                decisions = _draw(facts, planned, stage, rules)
            case TeamEval() as rules if not facts.pools[stage.output_pool].teams:
                decisions = _evaluate_teams(facts, config, stage, rules, is_last=stage.index == len(planned) - 1)
            case ScorePolicies():
                return _score(facts, stage)
            case _:
                continue
        if decisions is not None:
            return decisions
    raise AssertionError("a team season ends with its scoring")


def _evaluate_policies(
    facts: SeasonFacts, config: TeamConfig, stage: PlannedStage, rules: PolicyEval
) -> Decisions | None:
    """Return the next decisions of the stage; None when it is complete."""
    pool, target = facts.pools[stage.input_pool], facts.pools[stage.output_pool]
    active = tuple(member.policy for member in pool.active)
    # Failed policies count as present: a stage that has started does not wait for replacements.
    entered, needed = len(active) + len(_failed_in(pool)), rules.min_policies or 1
    if entered < needed or len(active) < rules.policies_per_team:
        needed = max(needed, rules.policies_per_team)
        return Decisions(why=f"{stage.input_pool} has {len(active)} policies and needs {needed}")
    combinations = combinations_of_stage(stage, active, facts.seed)
    out = [*_failed_out(pool, active, combinations)]
    if out:
        return Decisions(tuple(out), f"{len(out)} policies of {stage.input_pool} used up their failed attempts")
    matches = _games_by_combination(facts, config, stage, rules, combinations)
    if matches:
        return Decisions(tuple(matches), f"{len(matches)} matches of {stage.input_pool} were queued")
    if pool.open or _has_games_left(pool, rules, combinations):
        return Decisions(why=_waiting(facts, stage))
    scores = policy_scores(pool, active, combinations)
    advancing = survivors_of(rules.elim, scores) - _failed_in(target)
    moves = [*_moves(stage, target, advancing, scores)]
    if moves:
        return Decisions(tuple(moves), f"{stage.input_pool} was played; {len(advancing)} policies advance")
    required = members_needed(config, stage)
    if len(advancing) < required:
        return Decisions(why=f"{stage.output_pool} has {len(advancing)} policies and needs {required}: more must enter")
    return None


def _failed_out(
    pool: PoolRecord, active: Sequence[uuid.UUID], combinations: Sequence[tuple[uuid.UUID, ...]]
) -> Iterator[Leave]:
    """Yield the retirement of policies without a completed match that have used up their failed attempts.

    All their combinations must have been tried, so that the result does not depend on the order in which matches end.
    """
    suspects = {p for p in active if not pool.tally.completed[p] and pool.tally.charged[p] >= pool.tally.cap}
    if not suspects:
        return
    unplayed: Counter[uuid.UUID] = Counter()
    for combination in combinations:
        for policy in suspects.intersection(combination):
            unplayed[policy] += combination_key(combination) not in pool.tally.combinations
    for policy in sorted(suspects):
        if not unplayed[policy]:
            yield Leave(pool.name, policy, f"It failed in {pool.tally.charged[policy]} matches and completed none")


def _games_by_combination(
    facts: SeasonFacts,
    config: TeamConfig,
    stage: PlannedStage,
    rules: PolicyEval,
    combinations: Sequence[tuple[uuid.UUID, ...]],
) -> list[NewMatch]:
    """Return the next matches: those of combinations that were tried least."""
    free = facts.free_slots
    if not free:
        return []
    pool = facts.pools[stage.input_pool]
    games = GamesLeft(pool, rules.matches_per_combo)
    keys = [(games.match_count(key), place, key) for place, key in enumerate(map(combination_key, combinations))]
    seats = _blocks(config.game.num_agents, rules.policies_per_team)
    matches: list[NewMatch] = []
    for number, sample, place, key in _fewest_first(games, keys):
        matches.append(
            NewMatch(
                stage.input_pool,
                key,
                number,
                sample,
                combinations[place],
                seats,
                f"{stage.stage.display_name}: game {sample + 1} of {rules.matches_per_combo}",
                "self_play" if rules.policies_per_team == 1 else "pairing",
                priority=Priority.ENTRY if stage.index == 1 else Priority.REST,
            )
        )
        if len(matches) == free:
            break
    return matches


def _fewest_first(games: GamesLeft, keys: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, int, str]]:
    """(repetition, sample, place, key) of games without a match, round after round."""
    waiting = sorted(keys)
    while waiting:
        later: list[tuple[int, int, str]] = []
        lowest = waiting[0][0]
        for position, (number, place, key) in enumerate(waiting):
            if number > lowest:
                later += waiting[position:]
                break
            sample = games.next_sample(key)
            if sample is None:
                continue
            yield number, sample, place, key
            games.count(OpenMatch(key, sample, ()))
            later.append((number + 1, place, key))
        waiting = sorted(later)


def _has_games_left(pool: PoolRecord, rules: PolicyEval, combinations: Sequence[tuple[uuid.UUID, ...]]) -> bool:
    games = GamesLeft(pool, rules.matches_per_combo)
    return any(games.next_sample(combination_key(combination)) is not None for combination in combinations)


def policy_scores(
    pool: PoolRecord, active: Sequence[uuid.UUID], combinations: Sequence[tuple[uuid.UUID, ...]]
) -> dict[uuid.UUID, float]:
    """Return the mean match score of each policy over the combinations of active policies, where it has a match."""
    samples: dict[uuid.UUID, list[float]] = {policy: [] for policy in active}
    for combination in combinations:
        stored = pool.tally.combinations.get(combination_key(combination))
        for scores in () if stored is None else stored.scores:
            assert stored is not None
            for policy, score in zip(stored.policies, scores, strict=True):
                samples[policy].append(score)
    return {policy: mean(scores) for policy, scores in samples.items() if scores}


def _moves(
    stage: PlannedStage, target: PoolRecord, advancing: set[uuid.UUID], scores: Mapping[uuid.UUID, float]
) -> Iterator[Decision]:
    """Yield the moves into and out of the output pool that follow from the current scores."""
    active = {member.policy for member in target.active}
    for policy in sorted(advancing - active):
        yield Join(stage.output_pool, policy, f"{stage.stage.display_name}: advances with {scores[policy]:.4g}")
    for policy in sorted(active - advancing):
        score = scores.get(policy)
        with_score = "without a score" if score is None else f"with {score:.4g}"
        yield Leave(stage.output_pool, policy, f"{stage.stage.display_name}: others are better now; out {with_score}")


def _failed_in(pool: PoolRecord) -> set[uuid.UUID]:
    """Return the policies retired from a pool for their failures, which do not come back."""
    retired = (member.policy for member in pool.members if member.retired)
    return {p for p in retired if not pool.tally.completed[p] and pool.tally.charged[p] >= pool.tally.cap}


def _draw(
    facts: SeasonFacts, planned: Sequence[PlannedStage], stage: PlannedStage, rules: SampleTeams
) -> Decisions | None:
    pool = facts.pools[stage.input_pool]
    last = [entry for entry in planned if isinstance(entry.stage, PolicyEval)][-1]
    evaluated = facts.pools[last.input_pool]
    members = [member.policy for member in evaluated.active]
    scores = policy_scores(evaluated, members, combinations_of_stage(last, members, facts.seed))
    chosen = {member.policy: scores.get(member.policy, 0.0) for member in pool.active}
    teams = draw_teams(
        chosen,
        team_size=rules.team_size,
        num_teams=rules.num_teams,
        min_per_policy=rules.min_per_policy or 0,
        seed=seeds.drawing_seed(facts.seed, stage.output_pool),
    )
    team_counts = Counter(policy for team in teams for policy in set(team))
    joins = [
        Join(stage.output_pool, p, f"Drawn into {team_counts[p]} of {len(teams)} teams") for p in sorted(team_counts)
    ]
    new_teams = [NewTeam(stage.output_pool, position, members) for position, members in enumerate(teams)]
    return Decisions((*joins, *new_teams), f"{len(teams)} teams were drawn from {len(chosen)} policies")


def _evaluate_teams(
    facts: SeasonFacts, config: TeamConfig, stage: PlannedStage, rules: TeamEval, *, is_last: bool
) -> Decisions:
    pool = facts.pools[stage.input_pool]
    live = [team for team in pool.teams if not team.eliminated]
    playing = [team for team in live if _failures(pool, team) < config.max_failed_attempts]
    games = GamesLeft(pool, rules.matches_per_team)
    keys = [(games.match_count(str(team.id)), place, str(team.id)) for place, team in enumerate(playing)]
    matches: list[NewMatch] = []
    for number, sample, place, key in _fewest_first(games, keys) if facts.free_slots else ():
        team = playing[place]
        matches.append(
            NewMatch(
                stage.input_pool,
                key,
                number,
                sample,
                team.members,
                _blocks(config.game.num_agents, len(team.members)),
                f"{stage.stage.display_name}: game {sample + 1} of {rules.matches_per_team}",
                "team",
                team=team.id,
            )
        )
        if len(matches) == facts.free_slots:
            break
    if matches:
        return Decisions(tuple(matches), f"{len(matches)} matches of {stage.input_pool} were queued")
    left = GamesLeft(pool, rules.matches_per_team)
    if pool.open or any(left.next_sample(str(team.id)) is not None for team in playing):
        return Decisions(why=_waiting(facts, stage))
    return _cull(facts, config, stage, rules, live, is_last=is_last)


def _cull(
    facts: SeasonFacts,
    config: TeamConfig,
    stage: PlannedStage,
    rules: TeamEval,
    live: Sequence[TeamFact],
    *,
    is_last: bool,
) -> Decisions:
    """Eliminate the worst teams and copy the others into the next pool, best first."""
    pool = facts.pools[stage.input_pool]
    failed = {team.id for team in live if _failures(pool, team) >= config.max_failed_attempts}
    scores = {team: score for team, score in team_scores(pool, live).items() if team not in failed}
    if not scores:
        return Decisions(why=f"Every team of {stage.input_pool} failed: the season cannot continue")
    ranked, survivors = ranked_teams(scores), surviving_teams(scores, rules.cull_fraction)
    places = {team: place for place, team in enumerate(ranked, 1)}
    ends = []
    for team in live:
        if team.id in failed:
            why = f"Failed in {_failures(pool, team)} matches"
        elif team.id not in scores:
            why = "None of its matches could be played"
        else:
            why = f"Place {places[team.id]} of {len(ranked)}; the best {len(survivors)} advance"
        out = team.id not in survivors
        ends.append(EndTeam(team.id, scores.get(team.id), out, why if out else None))
    by_id = {team.id: team for team in live}
    copies = [
        NewTeam(stage.output_pool, position, by_id[team].members, team, scores[team] if is_last else None)
        for position, team in enumerate(survivors)
    ]
    seated = Counter(policy for copy in copies for policy in set(copy.members))
    joins = [
        Join(stage.output_pool, p, f"In {seated[p]} of the {len(copies)} teams that advance") for p in sorted(seated)
    ]
    return Decisions((*ends, *joins, *copies), f"{len(copies)} of {len(live)} teams of {stage.input_pool} advance")


def team_scores(pool: PoolRecord, teams: Sequence[TeamFact]) -> dict[uuid.UUID, float]:
    """Return the mean of all player scores of each team with a match."""
    means = {}
    for team in teams:
        played = pool.tally.combinations.get(str(team.id))
        scores = [] if played is None else [score for match in played.scores for score in match]
        if scores:
            means[team.id] = mean(scores)
    return means


def _failures(pool: PoolRecord, team: TeamFact) -> int:
    """Return matches of a team in which one of its policies failed."""
    played = pool.tally.combinations.get(str(team.id))
    return 0 if played is None else sum(charged for charged, _ in (played.failures or {}).values())


def _score(facts: SeasonFacts, stage: PlannedStage) -> Decisions:
    source, target = facts.pools[stage.input_pool], facts.pools[stage.output_pool]
    if target.members:
        return Decisions((Complete("Every stage was played"),), "The season is complete")
    final = [team for team in source.teams if not team.eliminated]
    seated = Counter(policy for team in final for policy in set(team.members))
    joins = [Join(stage.output_pool, p, f"In {seated[p]} of {len(final)} final teams") for p in sorted(seated)]
    return Decisions((*joins, Complete("Every stage was played")), "The season is complete")


def _blocks(agents: int, policies: int) -> tuple[int, ...]:
    """Return seats in contiguous blocks, as equal as can be."""
    return tuple(agent * policies // agents for agent in range(agents))


def _waiting(facts: SeasonFacts, stage: PlannedStage) -> str:
    if not facts.free_slots:
        return f"{facts.outstanding} matches are queued or running, which is the maximum"
    return f"Every match of {stage.input_pool} is queued or running"
