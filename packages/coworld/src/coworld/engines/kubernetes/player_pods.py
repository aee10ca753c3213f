"""The objects of an episode besides its Job: the game's Service, the players' pods and their network policy."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from coworld.engines.kubernetes.cluster import Document

GAME_PORT, HEALTH_PORT, ARTIFACT_PORT = 8080, 9090, 9091
PLAYER_CONTAINER, WAIT_CONTAINER = "player", "wait-for-game-service"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
MANAGED_BY = {"app.kubernetes.io/managed-by": "coworld"}


@dataclass(frozen=True, kw_only=True)
class EpisodeObjects:
    """The names and labels that the objects of one episode share."""

    job_id: str
    service: str
    owner: Document
    """the owner reference: when its pod goes, everything goes"""
    runner_image: str
    lifetime_seconds: int
    """active deadline of a player's pod"""
    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: Sequence[Document] = ()

    @property
    def selector(self) -> str:
        """Return the label selector of the players' pods."""
        return f"job-id={self.job_id},coworld-component=player"

    def pod_name(self, slot: int) -> str:
        return f"{self.service}-player-{slot}"

    def labels(self, component: str) -> dict[str, str]:
        return {**MANAGED_BY, "job-id": self.job_id, "coworld-component": component}

    def metadata(self, name: str, labels: Mapping[str, str]) -> Document:
        return {"name": name, "labels": dict(labels), "ownerReferences": [self.owner]}


def game_service(episode: EpisodeObjects) -> Document:
    """Return the Service under which players reach the game and the worker."""
    ports = {"game": GAME_PORT, "worker": HEALTH_PORT, "player-artifact": ARTIFACT_PORT}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": episode.metadata(episode.service, episode.labels("game")),
        "spec": {
            "selector": {"job-id": episode.job_id, "coworld-component": "game"},
            "ports": [{"name": name, "port": port, "targetPort": port} for name, port in ports.items()],
            # Artifacts are uploaded after the game has ended, when its pod is no longer ready.
            "publishNotReadyAddresses": True,
        },
    }


def player_policy(episode: EpisodeObjects) -> Document:
    """Return the network policy that lets the players of this episode reach this game, and nothing else."""
    own = {"job-id": episode.job_id}
    ports = [{"protocol": "TCP", "port": port} for port in (GAME_PORT, HEALTH_PORT, ARTIFACT_PORT)]
    dns = [{"protocol": protocol, "port": 53} for protocol in ("UDP", "TCP")]
    game = {"podSelector": {"matchLabels": {**own, "coworld-component": "game"}}}
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": episode.metadata(f"{episode.service}-players", episode.labels("player")),
        "spec": {
            "podSelector": {"matchLabels": {**own, "coworld-component": "player"}},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [{"from": [game]}],
            "egress": [{"to": [game], "ports": ports}, {"to": [{"namespaceSelector": {}}], "ports": dns}],
        },
    }


@dataclass(frozen=True, kw_only=True)
class PlayerPod:
    """One player, for `player_pod`."""

    slot: int
    image: str
    run: Sequence[str]
    env: Mapping[str, str]
    requests: Mapping[str, str]
    limits: Mapping[str, str]
    cpu_limit: float | None
    waits: bool
    """it starts after the game; a player with a start-up page starts before"""
    node_selector: Mapping[str, str] = field(default_factory=dict)


def player_pod(episode: EpisodeObjects, player: PlayerPod) -> Document:
    """Return the pod of a player: it runs once, without a service account, with dropped capabilities."""
    threads = {} if player.cpu_limit is None else thread_variables(player.cpu_limit)
    env = {**threads, **player.env}
    container = {
        "name": PLAYER_CONTAINER,
        "image": player.image,
        "imagePullPolicy": pull_policy(player.image),
        **command(player.run),
        "env": [{"name": name, "value": value} for name, value in env.items()],
        "resources": {"requests": dict(player.requests), "limits": dict(player.limits)},
        "securityContext": restricted(),
    }
    labels = {**episode.labels("player"), "coworld-player-slot": str(player.slot)}
    selector = {**episode.node_selector, **player.node_selector}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": episode.metadata(episode.pod_name(player.slot), labels),
        "spec": {
            "restartPolicy": "Never",
            "activeDeadlineSeconds": episode.lifetime_seconds,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": 5,
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            **({"nodeSelector": selector} if selector else {}),
            **({"tolerations": list(episode.tolerations)} if episode.tolerations else {}),
            "initContainers": [_wait_container(episode)] if player.waits else [],
            "containers": [container],
        },
    }


def _wait_container(episode: EpisodeObjects) -> Document:
    urls = {
        "COWORLD_GAME_HEALTH_URL": f"http://{episode.service}:{GAME_PORT}/healthz",
        "COWORLD_PLAYERS_READY_URL": f"http://{episode.service}:{HEALTH_PORT}/players-ready",
    }
    return {
        "name": WAIT_CONTAINER,
        "image": episode.runner_image,
        "imagePullPolicy": pull_policy(episode.runner_image),
        "command": ["python", "-m", "coworld.runner.kubernetes_runner", "wait-for-game"],
        "env": [{"name": name, "value": value} for name, value in urls.items()],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
        "securityContext": restricted(),
    }


def restricted() -> Document:
    """Return the security context of an untrusted container."""
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def thread_variables(cpus: float) -> dict[str, str]:
    """Return the sizes of the thread pools of numeric libraries: whole cores, at least one."""
    return dict.fromkeys(THREAD_VARIABLES, str(max(1, math.floor(cpus))))


def command(run: Sequence[str]) -> Document:
    """Return the fields of a container for a command: its first word replaces the entry point."""
    if not run:
        return {}
    return {"command": [run[0]], **({"args": list(run[1:])} if run[1:] else {})}


def pull_policy(image: str) -> str:
    """Return `Always` for a tag that may move, `IfNotPresent` for a digest or another tag."""
    tag = image.rpartition("/")[2].partition("@")
    if tag[1]:
        return "IfNotPresent"
    return "Always" if tag[0].partition(":")[2] in ("", "latest") else "IfNotPresent"
