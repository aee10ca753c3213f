"""A server that answers with fixed documents of the seasons API and remembers what it was asked."""

from __future__ import annotations

import json
import re
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "user-token"
PLAYER_TOKEN = "ply_token"
SEASON, TEAM_SEASON = "beta-cvc", "beta-teams-small"
POLICY_VERSION = "11111111-1111-4111-8111-111111111111"
OLDER_VERSION = "11111111-1111-4111-8111-111111111110"
OTHER_VERSION = "22222222-2222-4222-8222-222222222222"
POLICY = "33333333-3333-4333-8333-333333333333"
MATCH = "44444444-4444-4444-8444-444444444444"
FAILED_MATCH = "45555555-4444-4444-8444-444444444444"
EPISODE = "55555555-5555-4555-8555-555555555555"
RUN = "66666666-6666-4666-8666-666666666666"
UPLOAD = "77777777-7777-4777-8777-777777777777"
CREDENTIAL = "88888888-8888-4888-8888-888888888888"
TIME = "2026-03-01T12:00:00Z"
REPLAY = zlib.compress(b"{}")

MINE = {"id": POLICY_VERSION, "name": "mine", "version": 2}
THEIRS = {"id": OTHER_VERSION, "name": "theirs", "version": 5}


def uuid(number: int) -> str:
    return f"99999999-9999-4999-8999-{number:012d}"


def season(name: str, kind: str, *, default: bool = False, pools: tuple[str, ...], **changes: Any) -> dict[str, Any]:
    return {
        "id": uuid(len(name)),
        "name": name,
        "display_name": name.title(),
        "version": 1,
        "canonical": True,
        "summary": f"About {name}.",
        "game_description": None,
        "entry_pool": pools[0],
        "leaderboard_pool": pools[-1],
        "is_default": default,
        "status": "in_progress",
        "compat_version": "0.27",
        "created_at": TIME,
        "public": True,
        "tournament_type": kind,
        "auto_roll_hour_utc": None,
        "pools": [
            {"id": uuid(100 + n), "name": pool, "description": "", "config_id": uuid(200 + n)}
            for n, pool in enumerate(pools)
        ],
        **changes,
    }


SEASONS = [
    season(SEASON, "freeplay", default=True, pools=("qualifying", "competition")),
    season(TEAM_SEASON, "team", pools=("stage-1", "team-round-1", "policy-scores-1")),
]
DETAIL = {"started_at": TIME, "entrant_count": 3, "active_entrant_count": 2, "match_count": 7, "stage_count": 2}
TEAM = {
    "id": uuid(1),
    "pool_name": "team-round-1",
    "eliminated": False,
    "score": 1.5,
    "matches": 4,
    "cogs": [{"position": 0, "policy": MINE}, {"position": 1, "policy": THEIRS}],
    "created_at": TIME,
}
STANDINGS = [
    {"rank": 1, "policy": THEIRS, "score": 2.345, "score_stddev": 0.5, "score_percentiles": {"30": 1.0}, "matches": 9},
    {"rank": 2, "policy": MINE, "score": 1.0, "score_stddev": None, "score_percentiles": None, "matches": 8},
]
PLACES = [{"rank": 1, "policy": MINE, "placement_score": 3.0, "team_appearances": 2, "team_ranks": [1, 2]}]
STAGES = [
    {
        "name": "stage-1",
        "policy_count": 3,
        "match_count": 6,
        "completion_pct": 50.0,
        "team_count": None,
        "eliminated_count": None,
    },
    {
        "name": "team-round-1",
        "policy_count": 2,
        "match_count": 0,
        "completion_pct": 0.0,
        "team_count": 4,
        "eliminated_count": 1,
    },
]
PROGRESS = {
    "phase": "policy_eval",
    "phase_detail": {"pool": "stage-1", "stage_index": 1},
    "stages": STAGES,
    "stage_flow": [
        {
            "index": 1,
            "name": "Play-ins: one-player",
            "kind": "policy_eval",
            "description": "",
            "input_pool": "stage-1",
            "output_pool": "sample-1",
            "status": "active",
        },
        {
            "index": 2,
            "name": "Sampling: eight-player",
            "kind": "sample_teams",
            "description": "",
            "input_pool": "sample-1",
            "output_pool": "team-round-1",
            "status": "pending",
        },
    ],
    "started": True,
}
EPISODE_ROW = {
    "id": EPISODE,
    "replay_url": "{base}/replays/1.json.z",
    "thumbnail_url": None,
    "tags": {"game": "cogsguard", "match_type": "self_play"},
    "game_stats": {"tokens_written": 5.0},
    "policy_results": [
        {
            "position": 0,
            "policy": MINE,
            "num_agents": 2,
            "avg_reward": 1.5,
            "avg_metrics": {"heart.gained": 1.0},
            "agents": [
                {"agent_id": 0, "reward": 1.0, "metrics": {"heart.gained": 1.0}},
                {"agent_id": 1, "reward": 2.0, "metrics": {"heart.gained": 1.0}},
            ],
        }
    ],
    "steps": 10,
    "created_at": TIME,
}
MATCH_ROW = {
    "id": MATCH,
    "season_name": SEASON,
    "pool_name": "competition",
    "status": "completed",
    "assignments": [0, 0, 1, 1],
    "players": [
        {"policy": MINE, "num_agents": 2, "score": 1.25},
        {"policy": THEIRS, "num_agents": 2, "score": None},
    ],
    "error": None,
    "error_type": None,
    "episode_id": EPISODE,
    "job_id": uuid(300),
    "episode": None,
    "created_at": TIME,
}
FAILED_ROW = {
    **MATCH_ROW,
    "id": FAILED_MATCH,
    "status": "failed",
    "error": "first line\nit broke",
    "error_type": "policy_error",
    "episode_id": None,
}
VERSION_ROW = {
    "user_id": "usr_1",
    "user": None,
    "id": POLICY_VERSION,
    "policy_id": POLICY,
    "name": "mine",
    "version": 2,
    "created_at": TIME,
    "policy_created_at": TIME,
    "tags": {},
    "attributes": {},
    "internal_id": None,
    "s3_path": None,
    "container_image_id": None,
}
OLDER_ROW = {**VERSION_ROW, "id": OLDER_VERSION, "version": 1}
RUN_ROW = {
    "id": RUN,
    "policy_version_id": POLICY_VERSION,
    "user_id": "usr_1",
    "name": None,
    "compat_version": None,
    "status": "pending",
    "total_jobs": 3,
    "completed_jobs": 1,
    "failed_jobs": 0,
    "error": None,
    "created_at": TIME,
    "started_at": None,
    "completed_at": None,
}
METRICS = {
    "reward_variance": 0.5,
    "non_zero_episode_pct": 50.0,
    "timeout_rate": 0.0,
    "mean_move_success": 0.5,
    "mean_action_failed": 0.1,
    "mean_stuck_steps": 3.0,
}
RESULTS = {
    "status": "completed",
    "missions": {"arena": METRICS},
    "axes": [{"axis": "stability", "score": 71.5, "derived_metrics": METRICS}],
}
PLAYER = {
    "user_id": "usr_1",
    "user": None,
    "id": "ply_1",
    "name": "Ada",
    "is_default": True,
    "avatar_url": None,
    "created_at": TIME,
    "disabled_at": None,
}
CREDENTIAL_ROW = {
    "id": CREDENTIAL,
    "player_id": "ply_1",
    "name": "ci",
    "token_preview": "ply_…abcd",
    "created_at": TIME,
    "expires_at": None,
    "scopes": ["write"],
}
POOL_CONFIG = {"pool_name": "competition", "game_engine": "mettagrid", "config": {"game": {"num_agents": 4}}}
WHO = {
    "user_email": "ada@example.org",
    "is_softmax_team_member": False,
    "is_softmax_admin": False,
    "subject_type": "user",
    "subject_id": "usr_1",
    "owner_user_id": None,
    "scopes": [],
}


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    @property
    def line(self) -> str:
        return f"{self.method} {self.path}"

    def json(self) -> Any:
        return json.loads(self.body)


Answer = tuple[int, Any]
Handler = Callable[[Asked], Any]


@dataclass
class Stub:
    """Answers of the documented shapes; `answers` are tried first, the last added one first."""

    address: str = ""
    log: list[Asked] = field(default_factory=list)
    answers: list[tuple[str, str, Any]] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        return [asked.line for asked in self.log]

    def answer(self, method: str, pattern: str, document: Any, status: int = 200) -> None:
        """From now on `METHOD pattern` (a regular expression for the whole path) gets this, or what it returns."""
        self.answers.insert(0, (method, pattern, document if callable(document) else (status, document)))

    def respond(self, asked: Asked) -> tuple[int, Any]:
        for method, pattern, given in [*self.answers, *ROUTES]:
            if method == asked.method and re.fullmatch(pattern, asked.path):
                if callable(given):
                    given = given(asked)
                return given if isinstance(given, tuple) else (200, given)
        return 404, {"detail": "Not Found"}


def _find_season(asked: Asked) -> Any:
    name = asked.path.split("/")[3].partition(":")[0]
    found = [row for row in SEASONS if row["name"] == name]
    return {**found[0], **DETAIL} if found else (404, {"detail": f"Season {name} not found"})


def _find_versions(asked: Asked) -> Any:
    rows = [VERSION_ROW, OLDER_ROW]
    name, version = asked.query.get("name_exact"), asked.query.get("version")
    rows = [
        row for row in rows if (not name or row["name"] in name) and (not version or str(row["version"]) in version)
    ]
    return {"entries": rows, "total_count": len(rows)}


def _find_match(asked: Asked) -> Any:
    row = {MATCH: MATCH_ROW, FAILED_MATCH: FAILED_ROW}.get(asked.path.split("/")[3])
    if row is None:
        return 404, {"detail": "Match not found"}
    return {**row, "episode": EPISODE_ROW if row["episode_id"] else None}


S = r"/tournament/seasons/[^/]+"
ROUTES: list[tuple[str, str, Any]] = [
    ("GET", "/whoami", WHO),
    ("GET", "(/api)?/validate", {"valid": True, "user": {"id": "usr_1"}}),
    ("GET", "/tournament/seasons", SEASONS),
    ("GET", S, _find_season),
    (
        "GET",
        f"{S}/versions",
        [{"version": 1, "canonical": True, "disabled_at": None, "created_at": TIME, "compat_version": "0.27"}],
    ),
    ("GET", f"{S}/stages", STAGES),
    ("GET", f"{S}/progress", PROGRESS),
    ("GET", f"{S}/teams", [TEAM]),
    ("GET", f"{S}/leaderboard", STANDINGS),
    ("GET", f"{S}/leaderboard/policy/[^/]+", STANDINGS),
    ("GET", f"{S}/leaderboard/team/[^/]+", [TEAM]),
    ("GET", f"{S}/leaderboard/score-policies/[^/]+", PLACES),
    ("GET", f"{S}/score-policies-leaderboard", PLACES),
    ("GET", f"{S}/matches", [MATCH_ROW, FAILED_ROW]),
    (
        "GET",
        f"{S}/policies",
        [
            {
                "policy": MINE,
                "pools": [
                    {"pool_name": "qualifying", "active": False, "completed": 2, "failed": 0, "pending": 0},
                    {"pool_name": "competition", "active": True, "completed": 3, "failed": 1, "pending": 2},
                ],
                "entered_at": TIME,
            }
        ],
    ),
    ("POST", f"{S}/submissions", {"pools": ["qualifying"]}),
    ("GET", f"{S}/pools/[^/]+/config", POOL_CONFIG),
    ("GET", "/tournament/matches/[^/]+", _find_match),
    ("GET", "/tournament/matches/[^/]+/[^/]+/policy-logs", ["policy_agent_0.txt", "policy_agent_1.txt"]),
    ("GET", r"/tournament/matches/[^/]+/[^/]+/policy-logs/\d+", "hello from the agent\n"),
    ("GET", "/tournament/matches/[^/]+/[^/]+/artifacts/logs", "all of it\n"),
    ("GET", "/tournament/matches/[^/]+/[^/]+/artifacts/error-info", {"error_type": "crash", "message": "it broke"}),
    ("GET", "/tournament/my-memberships", {POLICY_VERSION: [SEASON]}),
    ("GET", "/stats/policy-versions", _find_versions),
    ("GET", "/stats/policy-versions/[^/]+", VERSION_ROW),
    (
        "POST",
        "/stats/policies/submit/presigned-url",
        {"upload_url": "{base}/uploads/1?signature=x", "s3_key": "cogames/1.zip", "upload_id": UPLOAD},
    ),
    ("PUT", "/uploads/1", ""),
    (
        "POST",
        "/stats/policies/submit/complete",
        {"id": POLICY_VERSION, "name": "mine", "version": 2, "pools": None, "submit_error": None},
    ),
    ("GET", "/episodes", [EPISODE_ROW]),
    ("GET", "/episodes/[^/]+", EPISODE_ROW),
    ("GET", "/replays/1.json.z", REPLAY),
    ("POST", "/assay/runs", RUN_ROW),
    ("GET", "/assay/runs", [RUN_ROW]),
    ("GET", "/assay/runs/[^/]+", RUN_ROW),
    ("GET", "/assay/runs/[^/]+/results", RESULTS),
    ("POST", "/assay/runs/[^/]+/finalize", {**RUN_ROW, "status": "completed"}),
    ("GET", "/players", [PLAYER]),
    ("POST", "/players", PLAYER),
    ("POST", "/players/[^/]+/login", {"player_id": "ply_1", "token": PLAYER_TOKEN, "expires_at": TIME}),
    ("GET", "/players/[^/]+/credentials", [CREDENTIAL_ROW]),
    ("POST", "/players/[^/]+/credentials", {**CREDENTIAL_ROW, "token": "ply_secret"}),
    ("DELETE", "/players/[^/]+/credentials/[^/]+", {"id": CREDENTIAL}),
]


@contextmanager
def serve_stub() -> Iterator[Stub]:
    """A stub on a free port of this machine."""
    stub = Stub()

    class Requests(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one(self) -> None:
            parts = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, parts.path, parse_qs(parts.query), headers, body)
            stub.log.append(asked)
            status, document = stub.respond(asked)
            if isinstance(document, bytes):
                content, kind = document, "application/octet-stream"
            elif isinstance(document, str) and not document.startswith("http"):
                content, kind = document.encode(), "text/plain; charset=utf-8"
            else:
                content, kind = json.dumps(document).replace("{base}", stub.address).encode(), "application/json"
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", str(document))
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = handle_one

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    stub.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
