"""The results of an episode: the model behind `results_schema`."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bitworld.coworld.episode import EpisodeMatch

__all__ = ["Results", "results_of", "results_schema"]


class Results(BaseModel):
    """The results of an episode. Lists have one entry per slot, in order."""

    model_config = ConfigDict(extra="forbid")

    scores: list[float] = Field(description="The reward of each player")
    names: list[str] = Field(description="The name of each player in the game")
    ticks: int = Field(ge=0, description="Number of played ticks")
    late_ticks: list[int] = Field(description="Ticks for which a connected player sent no answer in time")
    absent_ticks: list[int] = Field(description="Ticks without a connected player")
    counts: list[dict[str, int]] = Field(description="Further numbers of each player, by name")


def results_of(match: EpisodeMatch, names: list[str]) -> Results:
    """Return the results of a finished match."""
    accounts = {account.name: account for account in match.game.accounts()}
    return Results(
        scores=[float(accounts[name].reward) for name in names],
        names=names,
        ticks=match.ticks,
        late_ticks=match.late_ticks,
        absent_ticks=match.absent_ticks,
        counts=[dict(accounts[name].counts) for name in names],
    )


def results_schema(slots: int) -> dict[str, Any]:
    """Return the JSON Schema of results with a number of slots."""
    schema = Results.model_json_schema()
    for values in schema["properties"].values():
        values.pop("title")
        if values["type"] == "array":
            values["minItems"] = values["maxItems"] = slots
    schema.pop("title")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
