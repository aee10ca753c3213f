"""What machines, images and programs do to an episode: the right failure, the right party, nothing left."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from coworld.runner.failures import Party
from coworld.runner.kubernetes import worker
from packages.coworld.tests.kubernetes.conftest import SETTINGS, TestCluster, episode_request
from packages.coworld.tests.kubernetes.kubelet import Fate

BROKEN = "counting/broken:latest"
NO_IMAGE = Fate(waiting=("ErrImagePull", "manifest unknown"))
BACK_OFF = Fate(waiting=("ImagePullBackOff", "Back-off pulling image"))
FULL = Fate(unschedulable="0/3 nodes are available: 3 Insufficient cpu")
IMPATIENT = replace(SETTINGS, start_seconds=0.5)


@dataclass(frozen=True)
class Case:
    """Fates and scripts, and the verdict."""

    name: str
    error: str
    says: str
    party: Party
    slot: int | None = None
    game: str = "good"
    players: tuple[str, str] = ("good", "good")
    broken: Fate | None = None
    """of the image in slot 1"""
    all_broken: bool = False
    """whether slot 0 has that image too"""
    fates: dict[str, Fate] = field(default_factory=dict)
    """by container"""
    config: dict[str, Any] = field(default_factory=dict)
    certifies: bool = False
    options: dict[str, Any] = field(default_factory=dict)


G, P, X = Party.GAME, Party.PLAYER, Party.PLATFORM
SOON = {"player_connect_timeout_seconds": 0.5}
CASES = [
    Case("player image", "player_error", "ErrImagePull: manifest unknown", P, 1, broken=NO_IMAGE),
    Case("player image backs off", "player_error", "ImagePullBackOff", P, 1, broken=BACK_OFF),
    Case("player image name", "player_error", "InvalidImageName", P, 1, broken=Fate(waiting=("InvalidImageName", ""))),
    # The game never ends by itself and no pod can start: nothing races with the short wait.
    Case(
        "player pending",
        "player_never_started",
        "Insufficient cpu",
        X,
        game="never_ends",
        broken=FULL,
        config=SOON,
        all_broken=True,
    ),
    Case("player evicted", "node_disruption", "Evicted", X, broken=Fate(pod_reason="Evicted")),
    Case(
        "player preempted",
        "node_disruption",
        "PreemptionByScheduler",
        X,
        broken=Fate(condition="PreemptionByScheduler"),
    ),
    Case("player pod deleted", "node_disruption", "it was deleted", X, broken=Fate(deleted=True)),
    Case("player not now", "player_never_started", "exit code 75", X, players=("good", "not_now")),
    Case(
        "player memory", "player_error", "OOMKilled", P, 1, broken=Fate(terminated=("OOMKilled", 137)), certifies=True
    ),
    Case(
        "player deadline",
        "player_error",
        "deadline of its pod",
        P,
        1,
        broken=Fate(pod_reason="DeadlineExceeded"),
        certifies=True,
    ),
    Case("player crash", "player_error", "ValueError: no brain", P, 1, players=("good", "crashes"), certifies=True),
    Case(
        "player crash, no end",
        "player_error",
        "exit code 9",
        P,
        0,
        game="never_ends",
        players=("crashes", "good"),
        options={"budget_seconds": 2.0},
    ),
    Case("game image", "game_unhealthy", "ErrImagePull", G, fates={"game": NO_IMAGE}),
    Case("game exits", "game_unhealthy", "exit code 3", G, game="exits_at_once"),
    Case("game exits late", "game_unhealthy", "exit code 4", G, game="exits_non_zero"),
    Case("game memory", "crash", "OOMKilled", G, game="eats_memory"),
    Case(
        "game unhealthy",
        "game_unhealthy",
        "not healthy within",
        G,
        game="never_healthy",
        options={"budget_seconds": 1.0},
    ),
    Case(
        "game deadline", "episode_timeout", "did not end within", G, game="never_ends", options={"budget_seconds": 2.0}
    ),
    Case("game takes any token", "game_contract_violation", "wrong token", G, game="any_token"),
    Case("game without results", "results_missing", "no results", G, game="no_results"),
    Case("game declares", "player_error", "slot 1 cheated", P, 1, game="declares"),
    Case("runner image", "platform_error", "ErrImagePull", X, fates={"coworld-init-config": NO_IMAGE}),
    Case(
        "episode pending",
        "platform_error",
        "Insufficient cpu",
        X,
        fates={"worker": FULL},
        options={"settings": IMPATIENT},
    ),
    Case("episode evicted", "node_disruption", "Evicted", X, fates={"worker": Fate(pod_reason="Evicted")}),
    Case("episode pod deleted", "node_disruption", "it was deleted", X, fates={"worker": Fate(deleted=True)}),
    Case("job deadline", "platform_error", "past its deadline", X, fates={"worker": Fate(job_deadline=True)}),
    Case("worker memory", "worker_error", "OOMKilled", X, fates={"worker": Fate(terminated=("OOMKilled", 137))}),
    Case("request", "config_error", "game_config is invalid at ticks", X, config={"ticks": "many"}),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_failure_has_its_verdict_and_leaves_nothing(case: Case, cluster: TestCluster) -> None:
    request = episode_request(case.game, case.players, certifies=case.certifies, **case.config)
    if case.broken is not None:
        for slot in (0, 1) if case.all_broken else (1,):
            request.players[slot] = request.players[slot].model_copy(update={"image": BROKEN})
        cluster.node.programs[BROKEN] = case.broken
    cluster.node.fates |= case.fates
    outcome = cluster.run(request, **case.options)
    error = outcome.error
    assert error is not None, outcome.results
    assert (error.error_type, error.party, error.slot) == (case.error, case.party, case.slot), error.message
    assert case.says in error.message
    assert cluster.left() == []


def test_a_dead_seat_does_not_end_a_healthy_episode(cluster: TestCluster, make_request: Callable[..., Any]) -> None:
    outcome = cluster.run(make_request(players=("good", "crashes_in_the_middle")))
    assert outcome.error is None and outcome.results == {"scores": [3.0, 0.0]}
    assert [status.exit_code for status in outcome.players] == [0, 9]
    assert cluster.left() == []


def test_a_game_that_does_not_exit_is_ended_with_its_job(
    cluster: TestCluster, make_request: Callable[..., Any]
) -> None:
    outcome = cluster.run(make_request(game="lingers"))
    assert outcome.error is None and outcome.results == {"scores": [3.0, 3.0]}
    assert cluster.left() == []


def test_a_player_that_stays_is_stopped_after_the_results(
    cluster: TestCluster, make_request: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PLAYER_EXIT_SECONDS", 0.2)
    request = make_request(players=("good", "sleeps"), player_connect_timeout_seconds=1)
    outcome = cluster.run(request)
    assert outcome.error is None and outcome.players[1].state == "running"
    assert cluster.left() == []
