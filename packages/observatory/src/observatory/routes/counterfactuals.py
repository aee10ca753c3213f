"""Counterfactual evaluations, which this server does not offer: they answer 409 or 404.

The paths exist so that a client gets one clear sentence.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path

from observatory.errors import Conflict, Forbidden, NotFound, Unauthorized, errors
from observatory.http.callers import CurrentPrincipal, Writer
from observatory.http.routing import Router

__all__ = ["router"]

router = Router(prefix="/v2", tags=["hosted-play"])

NO_EVALUATIONS = "This server runs no counterfactual evaluations yet; compare policies with `coworld xp-request create`"

_Id = Annotated[str, Path(max_length=200)]
_REFUSALS = errors(Unauthorized, Forbidden, NotFound, Conflict)


@router.post("/counterfactual-evals", responses=_REFUSALS)
def create_counterfactual_evaluation(body: dict[str, Any], principal: Writer) -> dict[str, Any]:
    """Compare two policy versions on the same episodes; not offered yet."""
    raise Conflict(NO_EVALUATIONS)


@router.get("/counterfactual-evals/{evaluation_id}", responses=errors(Unauthorized, NotFound))
def read_counterfactual_evaluation(evaluation_id: _Id, principal: CurrentPrincipal) -> dict[str, Any]:
    """Return a counterfactual evaluation; none exists yet."""
    raise NotFound(NO_EVALUATIONS)
