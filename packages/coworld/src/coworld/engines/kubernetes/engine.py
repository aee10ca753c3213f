"""The engine of a worker in a cluster: the game is a container of the worker's own pod, each player is a pod.

The cluster has started the game before the worker runs, so "starting" it means to watch it. A player's pod may exist
already: the init container `launch-players` creates it, and a request whose response was lost has created it too. A pod
counts as this episode's when its owner is the worker's pod; it is never replaced.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from coworld.engines.base import (
    Address,
    EngineError,
    Place,
    Reservation,
    Resolved,
    RunnableSpec,
    Running,
    StartFailed,
)
from coworld.engines.kubernetes.cluster import ApiError, Cluster, Document
from coworld.engines.kubernetes.follower import PodFollower
from coworld.engines.kubernetes.player_pods import (
    GAME_PORT,
    EpisodeObjects,
    PlayerPod,
    game_service,
    player_pod,
    player_policy,
)
from coworld.engines.kubernetes.resources import PlayerDefaults, player_resources
from coworld.engines.kubernetes.running import GameContainer, PlayerPodRunning
from coworld.models.runnables import CoworldRunnableSpec

POLICIES = "networking.k8s.io/v1/networkpolicies"


@dataclass
class GameAddress:
    """The address of a game that runs already."""

    address: Address

    def close(self) -> None:
        return


@dataclass(frozen=True, kw_only=True)
class WorkerPlace:
    """The worker's surroundings in its pod."""

    pod_name: str
    host: str
    """the pod's address"""
    workdir: Path
    """the folder that the game shares with the worker"""
    artifacts: Path
    """the folder of uploaded player artifacts"""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long the engine waits, in seconds."""

    start: float = 180.0
    """for a player's container to start"""
    outage: float = 120.0
    """for an API server that does not answer"""


@dataclass
class KubernetesEngine:
    """Run the players of one episode in a cluster. `open` before the first start; `close` at the end."""

    cluster: Cluster
    episode: EpisodeObjects
    place: WorkerPlace
    players: Mapping[int, CoworldRunnableSpec] = field(default_factory=dict)
    """the players of the request by slot, for their resources"""
    defaults: PlayerDefaults = field(default_factory=PlayerDefaults)
    patience: Patience = field(default_factory=Patience)

    name = "kubernetes"
    level = "pod"

    def __post_init__(self) -> None:
        self._players = PodFollower(self.cluster, self.episode.selector)
        self._game = PodFollower(self.cluster, f"job-id={self.episode.job_id},coworld-component=game")
        self._opened = False

    def open(self) -> None:
        """Begin to follow the episode's pods."""
        if not self._opened:
            self._opened = True
            self._players.start()
            self._game.start()

    def create_network(self) -> None:
        """Create the game's Service and the players' network policy."""
        self._create("services", game_service(self.episode))
        try:
            self._create(POLICIES, player_policy(self.episode))
        except ApiError as error:
            # A platform that sets policies itself need not grant them to its workers.
            if error.status != 403:
                raise

    def stop_following(self) -> None:
        self._players.close()
        self._game.close()

    def close(self) -> None:
        """Delete what the episode has created; raises EngineError for what is left to its owner's end."""
        self.stop_following()
        names = [("pods", self.episode.pod_name(slot)) for slot in self.players]
        names += [(POLICIES, f"{self.episode.service}-players"), ("services", self.episode.service)]
        problems: list[str] = []
        for kind, name in names:
            try:
                self._delete_own(kind, name)
            except EngineError as error:
                problems.append(str(error))
        if problems:
            raise EngineError("; ".join(problems))

    def _delete_own(self, kind: str, name: str) -> None:
        try:
            existing = self.cluster.get(kind, name)
        except ApiError as error:
            if error.status == 403 and kind == POLICIES:
                return
            raise
        if existing is not None and self._is_own(existing):
            self.cluster.delete(kind, name, uid=existing["metadata"]["uid"])

    # The interface of an engine

    def resolve(self, image: str) -> Resolved:
        return Resolved(image, "pulled by the cluster")

    def fingerprint(self, image: str) -> str:
        return hashlib.sha256(f"{self.name}\0{image}".encode()).hexdigest()

    def reserve(self) -> Reservation:
        return GameAddress((self.place.host, GAME_PORT))

    def start(self, spec: RunnableSpec) -> Running:
        self.open()
        # The API returns both streams of a container as one.
        spec = replace(spec, combined_log=True)
        if spec.role == "game":
            address = (self.place.host, GAME_PORT)
            place = Place(folder="/coworld", host="0.0.0.0", port=GAME_PORT, game=("", 0))
            pod = self.place.pod_name
            return GameContainer(
                self.cluster, self._game, pod, spec, place, address, self.place.workdir, self.patience.outage
            )
        if spec.role != "player":
            raise EngineError(f"a cluster's worker starts players only, not a {spec.role}")
        pod = self.create_player(spec)
        place = self._place()
        return PlayerPodRunning(self.cluster, self._players, pod, spec, place, self.place.artifacts, self.patience)

    def create_player(self, spec: RunnableSpec) -> str:
        """Create the pod of a player, or adopt the one that exists; return its name."""
        slot = int(spec.name.rpartition("-")[2])
        runnable = self.players[slot]
        resources = player_resources(runnable.resources, self.defaults)
        document = player_pod(
            self.episode,
            PlayerPod(
                slot=slot,
                image=spec.image,
                run=spec.run,
                env={**spec.env, **spec.secrets, **spec.variables(self._place())},
                requests=resources.requests,
                limits=resources.limits,
                cpu_limit=resources.cpu_limit,
                waits=spec.startup_port is None,
                node_selector=resources.node_selector,
            ),
        )
        try:
            self._create("pods", document)
        except ApiError as error:
            if error.status in (400, 422):
                raise StartFailed(f"the cluster refused its pod: {error}") from None
            raise
        return self.episode.pod_name(slot)

    def _place(self) -> Place:
        return Place(folder="", host="", port=0, game=(self.episode.service, GAME_PORT))

    def _create(self, kind: str, document: Document) -> None:
        try:
            self.cluster.create(kind, document)
        except ApiError as error:
            if error.status != 409:
                raise
            name = document["metadata"]["name"]
            existing = self.cluster.get(kind, name)
            if existing is None or not self._is_own(existing) or existing["metadata"].get("deletionTimestamp"):
                raise EngineError(
                    f"{kind.rpartition('/')[2]} {name} exists and belongs to another run of this episode: "
                    "delete it, or give the Job another name"
                ) from None

    def _is_own(self, existing: Document) -> bool:
        owners = existing["metadata"].get("ownerReferences") or ()
        return any(owner.get("uid") == self.episode.owner["uid"] for owner in owners)
