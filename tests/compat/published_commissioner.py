"""A commissioner written with the protocol of a published `coworld`; tests/compat/coworld_commissioners.py runs it.

It uses no name that its release does not have: the first release knows rounds only, and refuses every other message
with code 1008. Two champions meet on both sides; the mean of their scores ranks them. The state counts rounds.
"""

import os
from statistics import fmean

import uvicorn
from fastapi import FastAPI, WebSocket

from coworld.commissioner import protocol

app = FastAPI()


@app.get("/healthz")
def healthz() -> dict:
    return {"status": "ok"}


@app.websocket("/round")
async def round_socket(socket: WebSocket) -> None:
    await socket.accept()
    start, scores, waiting = None, {}, set()
    while True:
        message = await socket.receive_json()
        kind = message.pop("type")
        if kind == "round_start":
            start = protocol.RoundStart.model_validate(message)
            entrants = [row.policy_version_id for row in start.memberships if row.player_id][:2]
            scores = {entrant: [] for entrant in entrants}
            episodes = [
                protocol.EpisodeRequest(request_id=name, variant_id=start.variants[0].id, policy_version_ids=seats)
                for name, seats in (("there", entrants), ("back", entrants[::-1]))
            ]
            waiting = {episode.request_id for episode in episodes}
            await socket.send_json(protocol.ScheduleEpisodes(episodes=episodes).to_json())
        elif kind == "episodes_accepted":
            protocol.EpisodeAccepted.model_validate(message)
        elif kind in ("episode_result", "episode_failed") and start is not None:
            waiting.discard(message["request_id"])
            if kind == "episode_result":
                for row in protocol.EpisodeResult.model_validate(message).scores:
                    scores[row.policy_version_id].append(row.score)
            if not waiting:
                await socket.send_json(completed(start, scores).to_json())
        elif kind == "round_abort":
            protocol.RoundAbort.model_validate(message)
            await socket.close()
            return
        elif kind == "schedule_rounds_request" and hasattr(protocol, "ScheduleRoundsRequest"):
            await socket.send_json(scheduled(protocol.ScheduleRoundsRequest.model_validate(message)).to_json())
        elif kind == "league_migration_config_request" and hasattr(protocol, "LeagueMigrationConfigRequest"):
            protocol.LeagueMigrationConfigRequest.model_validate(message)
            divisions = [
                protocol.DivisionConfig(name="Premier", level=1, previous_name="Competition"),
                protocol.DivisionConfig(name="Second", level=0),
            ]
            await socket.send_json(protocol.LeagueMigrationConfigResponse(divisions=divisions).to_json())
        elif kind == "league_migration_request" and hasattr(protocol, "LeagueMigrationRequest"):
            protocol.LeagueMigrationRequest.model_validate(message)
            await socket.send_json(protocol.LeagueMigrationResponse(policy_membership_events=[]).to_json())
        else:
            await socket.close(code=1008, reason=f"unknown message type: {kind!r}")
            return


def completed(start, scores) -> "protocol.RoundComplete":
    ranked = sorted(scores, key=lambda version: -fmean(scores[version] or [0.0]))
    rankings = [
        protocol.RankingEntry(policy_version_id=version, rank=rank, score=fmean(scores[version] or [0.0]))
        for rank, version in enumerate(ranked, 1)
    ]
    division = next(row for row in start.memberships if row.policy_version_id == ranked[0]).division_id
    rounds = (start.state or {}).get("rounds", 0) + 1
    results = [protocol.DivisionRanking(division_id=division, rankings=rankings)]
    return protocol.RoundComplete(results=results, state={"rounds": rounds}, round_display={"round": rounds})


def scheduled(request) -> "protocol.ScheduleRoundsResponse":
    """One round after the other in the best division."""
    best = max(request.divisions, key=lambda division: division.level)
    spec = protocol.RoundSpec(division_id=best.id, round_config=protocol.RoundConfig())
    return protocol.ScheduleRoundsResponse(rounds=[spec])


if __name__ == "__main__":
    uvicorn.run(app, host=os.environ.get("COGAME_HOST", "0.0.0.0"), port=int(os.environ.get("COGAME_PORT", "8080")))
