"""The published helpers for BitWorld players: buttons, actions, packets, pictures, rewards, replay checks.

A player receives pictures of 128 x 128 pixels and sends the buttons that it holds. `docs/concepts/bitworld.md`
describes the protocol. The games themselves are in the package `bitworld`, which these helpers do not need.
"""

from mettagrid.bitworld._actions import (
    ACTION_BUTTONS,
    BITWORLD_ACTION_COUNT,
    BITWORLD_ACTION_MASKS,
    BITWORLD_ACTION_NAMES,
    BITWORLD_INPUT_MASK_COUNT,
    BUTTON_NAMES,
    BUTTON_TO_MASK,
    DIRECTION_BUTTONS,
    Button,
    bitworld_action_index,
    bitworld_action_mask,
    bitworld_action_name,
    bitworld_action_names,
    bitworld_input_mask_name,
    decode_buttons,
    dpad_action_indices,
    dpad_action_masks,
    encode_buttons,
)
from mettagrid.bitworld._endpoint import GLOBAL_PATH, PLAYER_PATH, REWARD_PATH, BitWorldEndpoint
from mettagrid.bitworld._packets import (
    CHAT_PACKET_HEADER_BYTES,
    INPUT_PACKET_BYTES,
    PACKET_CHAT,
    PACKET_INPUT,
    RESET_INPUT_MASK,
    RESET_INPUT_PACKET,
    ControllerState,
    pack_chat_packet,
    pack_input_packet,
    unpack_chat_packet,
    unpack_input_packet,
)
from mettagrid.bitworld._pictures import (
    FRAME_PIXELS,
    PACKED_FRAME_BYTES,
    PACKED_FRAME_SHAPE,
    PICO8_PALETTE_HEX,
    PROTOCOL_BYTES,
    SCREEN_HEIGHT,
    SCREEN_WIDTH,
    UNPACKED_FRAME_SHAPE,
    pack_frame_pixels,
    unpack_frame_pixels,
)
from mettagrid.bitworld._replays import trim_bitworld_replay_to_first_round, validate_bitworld_replay_bytes
from mettagrid.bitworld._rewards import RewardEntry, RewardPacket, parse_reward_packet, parse_reward_value

BITWORLD_DEFAULT_FRAME_STACK = 4
"""pictures in one observation of a policy"""

BITWORLD_AMONG_THEM_PLAYER_COUNT = 8
BITWORLD_AMONG_THEM_IMPOSTER_COUNT = 2
BITWORLD_AMONG_THEM_TASKS_PER_PLAYER = 8
BITWORLD_AMONG_THEM_IMPOSTER_COOLDOWN_TICKS = 1200
BITWORLD_AMONG_THEM_VOTE_TIMER_TICKS = 6000

__all__ = [
    "ACTION_BUTTONS",
    "BITWORLD_ACTION_COUNT",
    "BITWORLD_ACTION_MASKS",
    "BITWORLD_ACTION_NAMES",
    "BITWORLD_AMONG_THEM_IMPOSTER_COOLDOWN_TICKS",
    "BITWORLD_AMONG_THEM_IMPOSTER_COUNT",
    "BITWORLD_AMONG_THEM_PLAYER_COUNT",
    "BITWORLD_AMONG_THEM_TASKS_PER_PLAYER",
    "BITWORLD_AMONG_THEM_VOTE_TIMER_TICKS",
    "BITWORLD_DEFAULT_FRAME_STACK",
    "BITWORLD_INPUT_MASK_COUNT",
    "BUTTON_NAMES",
    "BUTTON_TO_MASK",
    "CHAT_PACKET_HEADER_BYTES",
    "DIRECTION_BUTTONS",
    "FRAME_PIXELS",
    "GLOBAL_PATH",
    "INPUT_PACKET_BYTES",
    "PACKED_FRAME_BYTES",
    "PACKED_FRAME_SHAPE",
    "PACKET_CHAT",
    "PACKET_INPUT",
    "PICO8_PALETTE_HEX",
    "PLAYER_PATH",
    "PROTOCOL_BYTES",
    "RESET_INPUT_MASK",
    "RESET_INPUT_PACKET",
    "REWARD_PATH",
    "SCREEN_HEIGHT",
    "SCREEN_WIDTH",
    "UNPACKED_FRAME_SHAPE",
    "BitWorldEndpoint",
    "Button",
    "ControllerState",
    "RewardEntry",
    "RewardPacket",
    "bitworld_action_index",
    "bitworld_action_mask",
    "bitworld_action_name",
    "bitworld_action_names",
    "bitworld_input_mask_name",
    "decode_buttons",
    "dpad_action_indices",
    "dpad_action_masks",
    "encode_buttons",
    "pack_chat_packet",
    "pack_frame_pixels",
    "pack_input_packet",
    "parse_reward_packet",
    "parse_reward_value",
    "trim_bitworld_replay_to_first_round",
    "unpack_chat_packet",
    "unpack_frame_pixels",
    "unpack_input_packet",
    "validate_bitworld_replay_bytes",
]
