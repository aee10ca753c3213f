"""Changes that know nothing of the game: keys, numbers, types, names, parts of other configs."""

from __future__ import annotations

import math

from .editor import Editor, Place, places

NUMBERS = [0, 1, 2, 3, 7, 10, 100]
EDGES = [-1, 127, 128, 254, 255, 256, 1000, 65535, 65536, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63, 2**64]
FLOATS = [0.5, -0.0, 1e-30, 1e30, 3.5e38, 1e300, math.inf, -math.inf, math.nan]
OTHER_TYPES = [None, True, False, "", "text", "7", 1.5, [], {}, [[]], {"": ""}, [None], 3]
STRANGE_NAMES = [
    "",
    " ",
    "nobody",
    "type:nothing",
    "пила",
    "🦊",
    "a" * 3000,
    "new\nline",
    "nul\0",
    "\ud800",
    "../..",
    "{0}%s",
]
LONG = [20, 100, 300, 2000]


def is_number(place: Place) -> bool:
    return isinstance(place.value, (int, float)) and not isinstance(place.value, bool)


def is_text(place: Place) -> bool:
    return isinstance(place.value, str) and not (isinstance(place.box, list) and len(place.value) > 30)


def small_number(e: Editor) -> None:
    if place := e.place(is_number):
        place.put(e.pick(NUMBERS))


def edge_number(e: Editor) -> None:
    if place := e.place(is_number):
        place.put(e.pick(EDGES + FLOATS if e.chance(0.3) else EDGES))


def same_sign_number(e: Editor) -> None:
    """A number near the old one, or a multiple of it: what stays plausible."""
    if place := e.place(is_number):
        place.put(e.pick([place.value + 1, place.value * 2, place.value * 10, place.value * 1000, -place.value]))


def change_type(e: Editor) -> None:
    if place := e.place():
        value = e.copy(e.pick(OTHER_TYPES))
        place.put([place.value] if e.chance(0.2) else value)


def delete(e: Editor) -> None:
    if place := e.place():
        del place.box[place.key]


def delete_item(e: Editor) -> None:
    if place := e.place(lambda place: isinstance(place.box, list)):
        del place.box[place.key]


def duplicate(e: Editor) -> None:
    """An item or a named entry a second time."""
    if place := e.place():
        copy = e.copy(place.value)
        if isinstance(place.box, list):
            place.box.insert(e.rng.randrange(len(place.box) + 1), copy)
        else:
            place.box[f"{place.key}{e.pick(['2', '_copy', ''])}"] = copy


def unknown_key(e: Editor) -> None:
    if place := e.place(lambda place: isinstance(place.value, dict)):
        place.value[e.pick(STRANGE_NAMES)] = e.pick(NUMBERS)


def empty(e: Editor) -> None:
    if place := e.place(lambda place: isinstance(place.value, (list, dict)) and len(place.value) > 0):
        place.put(type(place.value)())


def long_list(e: Editor) -> None:
    """A list with its items over and over, bounded in size."""
    if place := e.place(lambda place: isinstance(place.value, list) and 0 < len(place.value) < 100):
        items = place.value
        size = max(1, len(str(items)))
        place.put([e.copy(e.pick(items)) for _ in range(min(e.pick(LONG), 2_000_000 // size))])


def reorder(e: Editor) -> None:
    if place := e.place(lambda place: isinstance(place.value, list) and len(place.value) > 1):
        e.rng.shuffle(place.value)


def strange_name(e: Editor) -> None:
    if place := e.place(is_text):
        place.put(e.pick(STRANGE_NAMES))


def strange_key(e: Editor) -> None:
    """An entry under another name: references to it lead nowhere, unless it is a known one."""
    if place := e.place(lambda place: isinstance(place.box, dict)):
        place.box[e.pick(STRANGE_NAMES)] = place.box.pop(place.key)


def other_name(e: Editor) -> None:
    """A string of this config in the place of another, mostly one that stands under the same key somewhere."""
    texts = [place for place in places(e.config) if is_text(place)]
    if texts:
        place = e.pick(texts)
        like = [other for other in texts if other.key == place.key] if e.chance(0.8) else texts
        place.put(e.pick(like).value)


def swap(e: Editor) -> None:
    """Two values under the same key change places."""
    first = e.place(lambda place: isinstance(place.key, str))
    if first is None:
        return
    second = e.place(lambda place: place.key == first.key)
    if second is None or is_inside(first.value, second.box) or is_inside(second.value, first.box):
        return
    first_value, second_value = first.value, second.value
    first.put(second_value)
    second.put(first_value)


def is_inside(outer: object, box: object) -> bool:
    """Return whether a box lies below a value; swapping those would tie a knot."""
    return outer is box or (isinstance(outer, (dict, list)) and any(place.value is box for place in places(outer)))


def graft(e: Editor) -> None:
    """A part of another config, put where the same key stands here."""
    theirs: dict[str, list[Place]] = {}
    for place in places(e.donor()):
        if isinstance(place.key, str):
            theirs.setdefault(place.key, []).append(place)
    ours = e.place(lambda place: place.key in theirs)
    if ours:
        ours.put(e.copy(e.pick(theirs[ours.key]).value))


def insert_rule(e: Editor) -> None:
    """One more filter, mutation or handler, taken from this config or another one."""
    field = e.pick(["filters", "mutations", "mutations", "handlers"])
    source = e.config if e.chance(0.4) else e.donor()
    rules = [
        rule
        for place in places(source)
        if place.key == field and isinstance(place.value, list)
        for rule in place.value
        if isinstance(rule, dict)
    ]
    target = e.place(lambda place: place.key == field and isinstance(place.value, list))
    if rules and target:
        target.value.insert(e.rng.randrange(len(target.value) + 1), e.copy(e.pick(rules)))


WEIGHTS = {
    small_number: 9,
    edge_number: 5,
    same_sign_number: 9,
    change_type: 1,
    delete: 1.5,
    delete_item: 5,
    duplicate: 2,
    unknown_key: 0.3,
    empty: 3,
    long_list: 1.5,
    reorder: 4,
    strange_name: 1,
    strange_key: 0.7,
    other_name: 7,
    swap: 5,
    graft: 4,
    insert_rule: 16,
}
WEIGHTS = {change.__name__: (change, weight) for change, weight in WEIGHTS.items()}
