"""Renderers and symbols under their published names."""

import pytest

from mettagrid.renderer.common import METTASCOPE_REPLAY_URL_PREFIX
from mettagrid.renderer.mettascope import MettascopeRenderer, _resolve_nim_root
from mettagrid.renderer.miniscope.miniscope import MiniscopeRenderer
from mettagrid.renderer.miniscope.symbol import AGENT_SQUARES, DEFAULT_SYMBOL_MAP, get_symbol_for_object
from mettagrid.renderer.renderer import create_renderer


def test_renderers_are_those_of_the_render_modes() -> None:
    assert issubclass(MiniscopeRenderer, type(create_renderer("unicode")))
    assert issubclass(MettascopeRenderer, type(create_renderer("gui")))
    assert MettascopeRenderer(autostart=True).server is None
    assert _resolve_nim_root() is None
    assert METTASCOPE_REPLAY_URL_PREFIX.endswith("?replay=")


@pytest.mark.parametrize(
    "state, symbol",
    [
        ({"type_name": "agent", "agent_id": 3}, AGENT_SQUARES[3]),
        ({"type_name": "agent.team_1", "agent_id": 2}, AGENT_SQUARES[2]),
        ({"type_name": "agent", "agent_id": 10}, DEFAULT_SYMBOL_MAP["agent"]),
        ({"type_name": "agent.prey"}, DEFAULT_SYMBOL_MAP["agent.prey"]),
        ({"type_name": "hub.red"}, "H "),
        ({"type_name": "wall", "agent_id": 1}, DEFAULT_SYMBOL_MAP["wall"]),
        ({"type_name": "unheard of"}, DEFAULT_SYMBOL_MAP["?"]),
    ],
)
def test_symbols_of_objects(state: dict[str, object], symbol: str) -> None:
    assert get_symbol_for_object(state, {**DEFAULT_SYMBOL_MAP, "hub": "H "}) == symbol


def test_an_object_without_a_type_is_refused() -> None:
    with pytest.raises(KeyError, match="type_name"):
        get_symbol_for_object({"agent_id": 1}, DEFAULT_SYMBOL_MAP)
