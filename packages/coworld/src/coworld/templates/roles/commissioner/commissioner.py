"""A commissioner: the default one with a custom rule. Change `Mine`; every other message is answered by default."""

from coworld.commissioner.protocol import ScheduleRoundsRequest, ScheduleRoundsResponse
from coworld.commissioner.server import serve_commissioner
from coworld.roles.commissioner import DefaultCommissioner

SMALLEST_ROUND = 2


class Mine(DefaultCommissioner):
    """Start a round only when there are enough champions."""

    def schedule(self, request: ScheduleRoundsRequest) -> ScheduleRoundsResponse:
        response = super().schedule(request)
        entrants = [entry.round_config.entrant_policy_version_ids or [] for entry in response.rounds]
        large = [len(policies) >= SMALLEST_ROUND for policies in entrants]
        return ScheduleRoundsResponse(
            rounds=[entry for entry, keep in zip(response.rounds, large, strict=True) if keep]
        )


if __name__ == "__main__":
    serve_commissioner(Mine)
