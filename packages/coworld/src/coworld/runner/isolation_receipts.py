"""Receipts of the isolated mode of the published runner: the inspected network and containers of an episode.

Our own episodes write `isolation.json` with the receipts of their engine. These models read and check receipts that the
published runner wrote.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

__all__ = [
    "DockerContainerReceipt",
    "DockerIsolationSettings",
    "DockerNetworkEndpoint",
    "DockerNetworkReceipt",
    "DockerNetworkSettings",
    "LocalIsolationReceipt",
]

_GATEWAYS = tuple(f"com.docker.network.bridge.gateway_mode_{family}" for family in ("ipv4", "ipv6"))
_NO_FORWARDING = {"net.ipv4.ip_forward": "0", "net.ipv6.conf.all.forwarding": "0"}
_PLAYER_PIDS, _RELAY_PIDS = 128, 32


class DockerNetworkReceipt(BaseModel):
    """The network of one episode."""

    Id: str
    Name: str
    Internal: bool
    Options: dict[str, str]


class DockerNetworkEndpoint(BaseModel):
    """A container's place in one network."""

    NetworkID: str
    IPAddress: str


class DockerNetworkSettings(BaseModel):
    """The networks of a container, by name."""

    Networks: dict[str, DockerNetworkEndpoint]


class DockerIsolationSettings(BaseModel):
    """The settings of a container that decide what its program can do."""

    NetworkMode: str
    Dns: list[str]
    CapDrop: list[str] | None
    SecurityOpt: list[str] | None
    Privileged: bool
    ReadonlyRootfs: bool
    PidsLimit: int | None
    Sysctls: dict[str, str] | None = None


class DockerContainerReceipt(BaseModel):
    """One container of an episode."""

    Id: str
    Name: str
    Image: str
    HostConfig: DockerIsolationSettings
    NetworkSettings: DockerNetworkSettings


class LocalIsolationReceipt(BaseModel):
    """The network of an episode and its containers: the game, the players by slot, then the relays."""

    network: DockerNetworkReceipt
    control_image: str
    containers: list[DockerContainerReceipt]

    def verify(self, *, players: int, controls: int) -> None:
        """Check that the episode was isolated: an internal network, no privileges, no way out but the relays.

        Raises:
            ValueError: it was not; the message lists every violation.
        """
        if violations := list(self._violations(players, controls)):
            raise ValueError(f"the episode was not isolated: {'; '.join(violations)}")

    def _violations(self, players: int, controls: int) -> Iterator[str]:
        if not self.network.Internal:
            yield "its network is not internal"
        for option in _GATEWAYS:
            if self.network.Options.get(option) != "isolated":
                yield f"{option} of its network is not isolated"
        expected = 1 + players + controls
        if controls < 1 or len({container.Id for container in self.containers}) != expected:
            yield f"it has {len(self.containers)} containers in place of {expected} with at least one relay"
        for index, container in enumerate(self.containers):
            relay = index > players
            for violation in self._violations_of(container, relay=relay, player=0 < index <= players):
                yield f"{container.Name} {violation}"

    def _violations_of(self, container: DockerContainerReceipt, *, relay: bool, player: bool) -> Iterator[str]:
        settings, networks = container.HostConfig, container.NetworkSettings.Networks
        own = networks.get(self.network.Name)
        if settings.Privileged:
            yield "is privileged"
        if settings.Dns != ["127.0.0.1"]:
            yield "can look up names outside"
        # A container that is created but not started has an endpoint without an id.
        if own is None or own.NetworkID not in ("", self.network.Id):
            yield "is in another network"
        allowed = {self.network.Name, "bridge"} if relay else {self.network.Name}
        if set(networks) != allowed or settings.NetworkMode != ("bridge" if relay else self.network.Name):
            yield f"is in the networks {', '.join(sorted(networks))}"
        if not (relay or player):
            return
        if settings.CapDrop != ["ALL"] or settings.SecurityOpt != ["no-new-privileges"]:
            yield "has capabilities or may gain privileges"
        if settings.PidsLimit != (_RELAY_PIDS if relay else _PLAYER_PIDS):
            yield f"may start {settings.PidsLimit} processes"
        if relay and not settings.ReadonlyRootfs:
            yield "has a writable root"
        if relay and settings.Sysctls != _NO_FORWARDING:
            yield "may forward packets"
