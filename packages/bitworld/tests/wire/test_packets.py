"""Packets of players and viewers, and the text of rewards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitworld.errors import BadMessage
from bitworld.game import Account
from bitworld.wire.player import Buttons, Chat, decode_packet
from bitworld.wire.rewards import encode_rewards, reward_text
from bitworld.wire.viewers import (
    ClientMessage,
    Mouse,
    MouseButton,
    PlayerButtons,
    Text,
    decode_client,
    encode_client,
)
from packages.bitworld.tests.tiny import Tiny


@pytest.mark.parametrize("data", [b"", b"\x00", b"\x00\x01\x02", b"\x07\x01", b"\x02"])
def test_other_bytes_are_no_packet(data: bytes) -> None:
    assert decode_packet(data) is None


def test_a_player_sends_buttons_and_chat() -> None:
    assert decode_packet(b"\x00\xff") == Buttons(255)
    assert decode_packet(b"\x01hi\n\x00\xff there\x7f") == Chat("hi there")
    assert decode_packet(b"\x01") == Chat("")
    assert decode_packet(Buttons(33).encode()) == Buttons(33)
    assert decode_packet(Chat("hi").encode()) == Chat("hi")


MESSAGES = st.one_of(
    st.builds(Text, st.text(st.characters(max_codepoint=255), max_size=9)),
    st.builds(Mouse, st.integers(-32768, 32767), st.integers(-32768, 32767), st.integers(0, 255)),
    st.builds(MouseButton, st.integers(1, 3), st.booleans()),
    st.builds(PlayerButtons, st.integers(0, 255)),
)


@given(st.lists(MESSAGES))
def test_messages_of_a_viewer_survive_the_wire(messages: list[ClientMessage]) -> None:
    assert decode_client(b"".join(map(encode_client, messages))) == messages


@pytest.mark.parametrize(
    "data",
    [b"\x99", b"\x82\x01", b"\x83\x01\x07", b"\x83\x00\x01", b"\x82\x01\x00\x02\x00", b"\x81\x05\x00ab", b"\x84"],
)
def test_damaged_messages_of_a_viewer_are_refused(data: bytes) -> None:
    with pytest.raises(BadMessage, match="byte"):
        decode_client(data)


def test_rewards_come_before_the_counts_of_each_player() -> None:
    accounts = [Account("p0", 130, {"kills": 3}), Account("127.0.0.1 9", -2)]
    assert encode_rewards(accounts) == "reward p0 130\nkills p0 3\nreward 127.0.0.1:9 -2\n"


def test_rewards_are_of_the_players_in_the_game() -> None:
    game = Tiny()
    assert reward_text(game) == ""
    game.join("a")
    game.join("b")
    game.leave(0)
    assert reward_text(game) == "reward b 0\ngames b 0\n"
