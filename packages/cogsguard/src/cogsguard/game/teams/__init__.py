"""Teams, their hubs, and the rules between teams and junctions."""

from cogsguard.game.teams.hub import CvCHubConfig, TeamHubVariant
from cogsguard.game.teams.hub_observations import HubObservationsVariant
from cogsguard.game.teams.junction import TeamJunctionVariant
from cogsguard.game.teams.junction_deposit import JunctionDepositVariant
from cogsguard.game.teams.team import TeamConfig, TeamVariant

__all__ = [
    "CvCHubConfig",
    "HubObservationsVariant",
    "JunctionDepositVariant",
    "TeamConfig",
    "TeamHubVariant",
    "TeamJunctionVariant",
    "TeamVariant",
]
