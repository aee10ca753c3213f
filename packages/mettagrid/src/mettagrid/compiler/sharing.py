"""Share values and query results that need not be computed twice while the state does not change.

Several agents can share a value if it reads nothing about them, or only some of their tags (usually those of a team),
and draws no random numbers. The result of a query is cached if it depends only on the state of the world, and for
the values of one agent also if it reads tags of that agent. Both are determined from the code of the routines.
"""

from collections.abc import Iterable, Iterator

from mettagrid.compiler.code import ACTOR, ELEMENT, FRONTIER, OPS, TARGET
from mettagrid.compiler.context import Context
from mettagrid.compiler.stats import GAME_STATS
from mettagrid.compiler.tables import CONSTANTS

CACHED_RESULTS = CONSTANTS["kept_results"]

_NAMES = {code: name for name, code in OPS.items()}

# Instructions that read neither actor nor target.
_IMPERSONAL = frozenset(
    "Return Jump TestConst TestAtLeast TestPeriodic PushConst PushGameStat PushCount PushTagCount PushSumHeld "
    "ScaleBy LogPlusOne Add Ratio Max Min FlagPush FlagSet FlagPop ScanNext ScanKeep ScanLimit ClosureNext "
    "ClosureAdd".split()
)
# Inside these loops the target is an element of the query.
_OPENING = frozenset(("ScanTag", "ScanResult", "ClosureOpen"))
_CLOSING = frozenset(("ScanClose", "ClosureClose"))
# Instructions whose operand `a` is the entity they read, and nothing else.
_READS_ONE = frozenset(
    "TestVibe TestResource TestTag TestTagMask TestNearResult TestNearTag TestPresent PushInventory".split()
)

_UNREPEATABLE = frozenset(("ScanShuffle", "PushAgentStat", "PushGameStat"))


def add_value(c: Context, entry: int) -> int:
    """Return the row of `values` for a routine, created on first use."""
    if entry not in c.values:
        tags = _tags_read(c, entry)
        mask = c.tables.add_mask(tags) if tags else -1
        c.values[entry] = c.tables.add("values", entry=entry, is_shared=int(tags is not None), mask=mask)
    return c.values[entry]


def tags_read_by_all(c: Context, entries: Iterable[int]) -> set[int] | None:
    """Return the agent's tags that these values read together; None if agents cannot share one of them."""
    tags = [_tags_read(c, entry) for entry in entries]
    return None if None in tags else set().union(*filter(None, tags))


def cache_slot(c: Context, entry: int, *, for_agent: bool = False) -> int | None:
    """Return the cache slot of a query's result; None if it cannot be cached or is just as fast to compute.

    `for_agent`: the cache is for one agent, whose tags the query may read.
    """
    names = [op for op, _, _ in _instructions(c, entry)]
    is_plain = len(names) <= len(("ScanTag", "ScanNext", "ScanKeep", "ScanClose", "Return"))
    tags = _tags_read(c, entry)
    if is_plain or tags is None or _reads_loops_around(c, entry) or (tags and not for_agent):
        return None
    return c.cache_slots.setdefault(entry, len(c.cache_slots) % CACHED_RESULTS)


def depends_on_state_alone(c: Context, entry: int) -> bool:
    """Return whether a query finds the same for every actor and target, and in every loop."""
    return _tags_read(c, entry) == set() and not _reads_loops_around(c, entry)


def is_repeatable(c: Context, entry: int) -> bool:
    """Return whether a routine draws no random numbers and reads no stats (reading a stat creates it)."""
    return not any(op in _UNREPEATABLE for op, _, _ in _instructions(c, entry))


def _reads_loops_around(c: Context, entry: int) -> bool:
    """Return whether a query reads the frontier or the element of an enclosing loop."""
    depth = 0
    for op, a, b in _instructions(c, entry):
        if op in _OPENING:
            depth += 1
        elif op in _CLOSING:
            depth -= 1
        entities = (a, b) if op == "TestDistance" else (a,) if op in _READS_ONE else ()
        if ELEMENT in entities or (FRONTIER in entities and not depth):
            return True
    return False


def _tags_read(c: Context, entry: int) -> set[int] | None:
    """Return the agent's tags that a value reads; None if it reads anything else of it or draws random numbers."""
    tags: set[int] = set()
    depth = 0
    for op, a, b in _instructions(c, entry):
        if op == "PushGameStat" and a < len(GAME_STATS):
            return None  # the observation of each agent changes the stats of tokens
        if op in _IMPERSONAL:
            continue
        if op in _OPENING:
            depth += 1
        elif op in _CLOSING:
            depth -= 1
        elif op == "TestSharedMask" and depth:
            tags |= c.tables.mask(a)
        elif op in _READS_ONE and _is_agent(a, depth):
            if op == "TestTag":
                tags.add(b)
            elif op == "TestTagMask":
                tags |= c.tables.mask(b)
            else:
                return None
        elif op == "TestDistance" and not _is_agent(a, depth) and not _is_agent(b, depth):
            continue
        elif op not in _READS_ONE:
            return None
    return tags


def _is_agent(entity: int, depth: int) -> bool:
    return entity == ACTOR or (entity == TARGET and not depth)


def _instructions(c: Context, entry: int) -> Iterator[tuple[str, int, int]]:
    """Yield (name, a, b) of the instructions of a routine and those it calls, in order."""
    for op, _, _, a, b, _ in c.code.routine(entry):
        if _NAMES[op] in ("Call", "CallShared"):
            yield from _instructions(c, a)
        else:
            yield _NAMES[op], a, b
