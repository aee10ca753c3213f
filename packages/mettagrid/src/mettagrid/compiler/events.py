"""Compile events to routines, and the schedule that fires them (rules, section 9)."""

from mettagrid.compiler.chains import MAX_RINGS, find_chains
from mettagrid.compiler.code import Routine
from mettagrid.compiler.context import Context
from mettagrid.compiler.filters import emit_filters
from mettagrid.compiler.mutations import emit_mutations
from mettagrid.compiler.nearest import NearestSearch
from mettagrid.compiler.queries import call_query
from mettagrid.config.event_config import EventConfig, check_chains, lower_events


def add_events(c: Context) -> None:
    """Place all events and fill the schedule: by timestep, then priority, then key."""
    entries: dict[str, int] = {}
    searches: dict[str, NearestSearch] = {}
    events = _lowered(c, searches)
    for name in events:
        for item in reversed(_fallback_chain(c, events, name, entries)):
            with c.at("game", "events", item):
                entries[item] = _place_event(c, item, events[item], entries, searches.get(item))
    for name, event in events.items():
        for step in (min(event.timesteps), max(event.timesteps)) if event.timesteps else ():
            c.number(step, "game", "events", name, "timesteps")
    due = sorted((t, event.priority, name) for name, event in events.items() for t in event.timesteps)
    c.tables.add_rows("schedule", ([t, entries[name]] for t, _, name in due))


def _lowered(c: Context, searches: dict[str, NearestSearch]) -> dict[str, EventConfig]:
    """Return the events as the engine has them, and fill in the searches of those that are one.

    An event with `nearest` becomes a search, and otherwise a chain of events. A chain of the config becomes a search if
    it can.
    """
    events = dict(c.game.events)
    chains = find_chains(events)
    for name, event in c.game.events.items():
        chain = chains.get(name)
        if event.nearest is None and chain is None:
            continue
        joined = event if chain is None else chain.event
        search = _search(c, name, joined)
        if search is None:
            continue
        searches[name] = search
        events[name] = joined.model_copy(update={"nearest": None})
        for link in chain.links if chain else ():
            del events[link]
    try:
        check_chains(c.game.events)
        return lower_events(events)
    except ValueError as error:
        with c.at("game", "events"):
            c.error(str(error))


def _search(c: Context, name: str, event: EventConfig) -> NearestSearch | None:
    """Return the search of an event with `nearest`, if it can be compiled as one."""
    assert event.nearest is not None
    with c.at("game", "events", name):
        c.number(event.nearest.within, "nearest", "within", low=1, high=MAX_RINGS)
        search = NearestSearch(c, event)
        return search if search.is_exact else None


def _fallback_chain(c: Context, events: dict[str, EventConfig], name: str, placed: dict[str, int]) -> list[str]:
    """Return the event and its fallbacks, up to one that is already placed or has none."""
    chain: dict[str, None] = {}
    following: str | None = name
    while following is not None and following in events and following not in placed:
        if following in chain:
            with c.at("game", "events", name, "fallback"):
                c.error(f"the fallbacks form a cycle: {' > '.join([*chain, following])}")
        chain[following] = None
        following = events[following].fallback
    return list(chain)


def _place_event(
    c: Context, name: str, event: EventConfig, entries: dict[str, int], search: NearestSearch | None
) -> int:
    fallback = -1
    if event.fallback is not None:
        fallback = entries.get(event.fallback, -1)
        if fallback < 0:
            c.warn(f"the fallback {event.fallback!r} is not an event; it is ignored")
    r = Routine()
    if search is not None:
        search.emit(r)
    else:
        with c.at("target_query"):
            call_query(c, r, event.target_query)
    r.emit("EachOpen", 1, -1 if event.max_targets is None else c.number(event.max_targets, "max_targets", low=1))
    done = r.label()
    loop = r.here()
    r.emit("EachNext", 1, jump=done)
    emit_filters(c, r, event.filters, loop)
    emit_mutations(c, r, event.mutations, None)
    r.emit("EachCount", jump=loop)
    r.mark(done)
    r.emit("EachClose", fallback)
    r.emit("Return", 1)
    return c.place(r, name)
