"""One full example of every commissioner message, as it is on the wire.

Shared by the tests of our models and by `make compat`, which passes each through the published models and back.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

LEAGUE, DIVISION, ROUND = UUID(int=1), UUID(int=2), UUID(int=3)
POLICIES = [UUID(int=10 + index) for index in range(4)]
MEMBERS = [UUID(int=20 + index) for index in range(4)]

league = {"id": str(LEAGUE), "commissioner_key": "mine", "commissioner_config": {"k": 3}}
division = {"id": str(DIVISION), "name": "Top", "level": 1, "type": "competition"}
member = {
    "id": str(MEMBERS[0]),
    "league_id": str(LEAGUE),
    "division_id": str(DIVISION),
    "policy_version_id": str(POLICIES[0]),
    "player_id": "ann",
    "player_name": "Ann",
    "preferences": {"colour": "red"},
    "status": "competing",
    "substatus": "active",
    "is_champion": True,
}
round_info = {
    "id": str(ROUND),
    "public_id": "r-1",
    "division_id": str(DIVISION),
    "round_number": 1,
    "status": "completed",
    "round_config": {"stages": []},
    "created_at": "2026-01-01T00:00:00Z",
    "started_at": None,
    "completed_at": "2026-01-01T01:00:00Z",
}
recent = {
    "round_id": str(ROUND),
    "division_id": str(DIVISION),
    "round_number": 1,
    "policy_version_id": str(POLICIES[0]),
    "rank": 1,
    "score": 2.5,
    "player_id": "ann",
    "player_name": "Ann",
    "result_metadata": {"wins": 2},
    "completed_at": "2026-01-01T01:00:00Z",
}
result = {"round_id": str(ROUND), "policy_version_id": str(POLICIES[0]), "rank": 1, "score": 2.5, "result_metadata": {}}
score = {
    "policy_version_id": str(POLICIES[0]),
    "player_id": "ann",
    "score": 2.0,
    "scores": {"score": 2.0, "tiles": 9.0},
}
played = {"request_id": "e-1", "scores": [score], "game_results": {"ticks": 20}}
failed = {
    "request_id": "e-2",
    "error": "it crashed",
    "error_type": "player_error",
    "failed_policy_index": 1,
    "failed_policy_version_id": str(POLICIES[1]),
}
start = {
    "round_id": str(ROUND),
    "round_number": 2,
    "league": league,
    "divisions": [division],
    "memberships": [member],
    "recent_results": [recent],
    "variants": [{"id": "small", "name": "Small", "game_config": {"width": 8}, "num_agents": 2}],
    "completed_episodes": [played],
    "state": {"seen": [1, 2]},
}
event = {
    "league_policy_membership_id": str(MEMBERS[0]),
    "from_division_id": str(DIVISION),
    "to_division_id": None,
    "status": "competing",
    "substatus": "benched",
    "reason": "it lost",
    "end_time": None,
    "notes": "again",
    "evidence": [{"type": "round", "public_id": "r-1", "title": "Round 1", "summary": None, "metadata": {"rank": 9}}],
}
change = {
    "membership_id": str(MEMBERS[0]),
    "from_division_id": str(DIVISION),
    "to_division_id": None,
    "is_active": False,
    "reason": "old form",
}
request = {
    "request_id": "e-1",
    "variant_id": "small",
    "policy_version_ids": [str(POLICIES[0]), str(POLICIES[1])],
    "seed": 7,
    "tags": {"stage": "1"},
    "game_config_overrides": {"width": 9},
}
spec = {
    "division_id": str(DIVISION),
    "round_config": {
        "stages": [{"label": "Heats", "num_episodes": 4, "min_episodes_per_entrant": 2, "self_play": True}],
        "entrant_policy_version_ids": [str(POLICIES[0])],
    },
    "execution_backend": "dispatch",
    "notes": "first",
    "idempotency_key": "k-1",
    "recorded_episodes": [
        {
            "source_id": "s-1",
            "policy_version_id": str(POLICIES[0]),
            "player_id": "ann",
            "score": 1.5,
            "scores": {"tiles": 3.0},
            "game_results": {"ticks": 1},
            "replay_url": "https://example.org/r",
            "started_at": "2026-01-01T00:00:00Z",
            "ended_at": "2026-01-01T00:01:00Z",
            "tags": {"a": "b"},
            "realized_config_stamp": {"width": 8},
        }
    ],
}
view = {
    "key": "elo",
    "title": "Elo",
    "description": "By rating.",
    "primary_column": "elo",
    "axis_values": {"season": "1"},
    "columns": [
        {"key": "rank", "label": "Rank", "value_type": "integer", "sort": "asc"},
        {"key": "elo", "label": "Elo", "value_type": "number", "sort": "desc"},
    ],
    "rows": [
        {
            "subject_type": "player",
            "subject_id": "ann",
            "subject_name": "Ann",
            "values": {
                "rank": 1,
                "elo": 1200.5,
                "rounds_played": 3,
                "wins": 2,
                "note": "new",
                "in": True,
                "gone": None,
            },
            "policy_version_ids": [str(POLICIES[1])],
            "recent_rounds": [{"round": 1}],
        }
    ],
}


def rankings() -> list[dict[str, Any]]:
    """Two places of an older table, one with wins."""
    shared = {"rounds_played": 3, "policy_version_ids": [str(POLICIES[0])]}
    wins = {"episode_wins": 1.5, "episodes_played": 4, "win_rate": 0.375}
    return [
        {"player_id": "a", "player_name": "A", "rank": 1, "score": 2.5} | shared,
        {"player_id": "b", "rank": 2, "score": 1.0, "recent_rounds": [{"x": 1}]} | shared | wins,
    ]


observability = {
    "rule_id": "top-half",
    "rule_description": "The better half continues.",
    "division_id": str(DIVISION),
    "entrants": [
        {
            "policy_version_id": str(POLICIES[0]),
            "player_id": "ann",
            "outcome": "stays",
            "score": 2.0,
            "passed": True,
            "steps": [{"label": "mean", "value": 2.0, "inputs": {"n": 3}, "passed": None}],
            "summary": "well done",
        }
    ],
    "notes": ["a note"],
    "extra": {"x": [1]},
    "render_html": "<p>fine</p>",
}

PLATFORM_EXAMPLES: list[dict[str, Any]] = [
    {
        "type": "schedule_rounds_request",
        "league": league,
        "divisions": [division],
        "active_memberships": [member],
        "recent_rounds": [round_info],
    },
    {"type": "league_migration_config_request", "league": league, "divisions": [division]},
    {"type": "league_migration_request", "league": league, "divisions": [division], "memberships": [member]},
    {"type": "round_start", **start},
    {"type": "episodes_accepted", "request_ids": ["e-1"]},
    {"type": "episodes_rejected", "request_ids": ["e-2"], "errors": {"e-2": "no such variant"}},
    {"type": "episode_result", **played},
    {"type": "episode_failed", **failed},
    {"type": "round_abort", "reason": "the league closed"},
    {
        "type": "rank_division_request",
        "league": league,
        "division": division,
        "completed_rounds": [round_info],
        "recent_rounds": [round_info],
        "round_results": [result | {"player_id": "ann", "player_name": "Ann"}],
    },
    {
        "type": "describe_division_request",
        "league": league,
        "division": division,
        "active_memberships": [member],
        "recent_rounds": [round_info],
    },
    {
        "type": "round_completed_request",
        "league": league,
        "division": division,
        "all_divisions": [division],
        "round_config": spec["round_config"],
        "round_results": [result],
        "division_memberships": [member],
        "recent_results": [result],
        "commissioner_config": {"k": 3},
    },
    {
        "type": "episode_completed_request",
        "round_start": start,
        "episode_result": played,
        "completed_episode_results": [played],
        "failed_episodes": [failed],
    },
]
COMMISSIONER_EXAMPLES: list[dict[str, Any]] = [
    {
        "type": "schedule_rounds_response",
        "rounds": [spec],
        "persistent_players": [
            {
                "player_id": "ann",
                "policy_version_id": str(POLICIES[0]),
                "tags": {"a": "b"},
                "game_config_overrides": {"width": 9},
                "config_overlay_secret": "my-secret.1",
            }
        ],
    },
    {
        "type": "league_migration_config_response",
        "divisions": [
            {"name": "Top", "level": 1, "type": "competition", "description": "The best.", "previous_name": "A"}
        ],
    },
    {"type": "league_migration_response", "policy_membership_events": [event]},
    {"type": "schedule_episodes", "episodes": [request]},
    {"type": "episode_cancel", "request_id": "e-1", "reason": "not needed"},
    {
        "type": "round_complete",
        "results": [
            {
                "division_id": str(DIVISION),
                "rankings": [
                    {
                        "policy_version_id": str(POLICIES[0]),
                        "player_id": "ann",
                        "rank": 1,
                        "score": 2.0,
                        "result_metadata": {},
                    }
                ],
            }
        ],
        "leaderboards": [
            {
                "division_id": str(DIVISION),
                "default_view_key": "elo",
                "axes": [{"key": "season", "label": "S"}],
                "views": [view],
            }
        ],
        "policy_membership_events": [event],
        "membership_changes": [change],
        "round_display": {"title": "Round 2"},
        "state": {"seen": [3]},
        "observability": observability,
    },
    {"type": "rank_division_response", "default_view_key": "elo", "axes": [{"key": "season"}], "views": [view]},
    {
        "type": "describe_division_response",
        "description": {
            "round_schedule": "daily",
            "next_round": "tomorrow",
            "round_structure": "heats",
            "leaderboard_rules": "mean",
            "scoring_mechanics": "tiles",
            "changelog": [{"date": "2026-01-01", "title": "Began", "detail": "x", "category": "rules"}],
        },
    },
    {
        "type": "round_completed_response",
        "policy_membership_events": [event],
        "membership_changes": [change],
        "follow_up_rounds": [spec],
    },
    {"type": "episode_completed_response", "episodes": [request], "policy_membership_events": [event]},
]
