"""Make a version canonical: the one that leagues play.

A version becomes canonical in the transaction in which the last of its smoke episodes and its certification has passed.
The previous one stays until then. A version that was uploaded before the canonical one does not replace it.
"""

from __future__ import annotations

import uuid

from sqlalchemy.orm import Session

from observatory import events
from observatory.coworlds import repository, smoke
from observatory.database.tables.coworlds import CertificationState, Coworld
from observatory.events import Change, ChangeKind

__all__ = ["promote_if_ready"]


def promote_if_ready(session: Session, coworld_id: uuid.UUID) -> bool:
    """Make a version canonical if nothing is missing; return whether it became so now."""
    coworld = session.get_one(Coworld, coworld_id)
    certification = coworld.certification
    if certification is None or certification.state is not CertificationState.CERTIFIED:
        return False
    if coworld.canonical or not smoke.have_passed(session, coworld):
        return False
    previous = repository.canonical(session, coworld.name)
    if previous is not None:
        if (previous.created_at, previous.id) > (coworld.created_at, coworld.id):
            return False
        previous.canonical = False
        session.flush()  # at most one version of a name is canonical at any time
    coworld.canonical = True
    session.flush()
    ids = {coworld.id} if previous is None else {coworld.id, previous.id}
    events.note(session, Change(ChangeKind.COWORLD, ids=frozenset(ids)))
    events.note(session, Change(ChangeKind.LEAGUE))
    return True
