"""The numbers a program is made of."""

import math
import struct

import numpy as np
import pytest

from mettagrid import _native, mettagrid_c
from mettagrid.compiler.code import OPS, Routine
from mettagrid.compiler.tables import LAYOUT, Tables, float_bits


@pytest.mark.parametrize("value", [0, -0.0, 1, 0.1, -2.5, 16777217, 1e-45, 1e-50, 3.4028234e38, math.pi])
def test_a_number_becomes_the_bits_of_the_nearest_32_bit_float(value):
    assert float_bits(value) == struct.unpack("<i", struct.pack("<f", value))[0]


@pytest.mark.parametrize("value", [math.inf, 1e300, 2**200, 3.4028236e38])
def test_a_number_too_large_for_a_float_becomes_infinite(value):
    assert float_bits(value) == 0x7F800000
    assert float_bits(-value) == struct.unpack("<i", b"\x00\x00\x80\xff")[0]


def test_not_a_number_stays_not_a_number():
    assert math.isnan(np.int32(float_bits(math.nan)).view(np.float32))


def test_the_largest_float_is_not_infinite():
    assert float_bits(float(np.finfo(np.float32).max)) == 0x7F7FFFFF


def test_masks_of_equal_sets_share_a_row():
    tables = Tables()
    assert tables.add_mask([0, 31, 255]) == tables.add_mask([255, 31, 0])
    assert tables.add_mask([0]) != tables.add_mask([1])
    assert tables.count("masks") == 3


def test_equal_lists_are_stored_once():
    tables = Tables()
    assert tables.add_list([3, 1, 2]) == tables.add_list([3, 1, 2]) == (0, 3)
    assert tables.add_list([1, 2]) == (3, 2)
    assert tables.count("lists") == 5


def test_an_unknown_field_of_a_table_is_a_key_error():
    with pytest.raises(KeyError, match="Table 'settings' has no fields"):
        Tables().add("settings", colour=1)


def test_a_block_starts_with_the_place_and_length_of_each_table():
    tables = Tables()
    tables.add_list([7, 8, 9])
    block = tables.block()
    place, rows = block[2 * list(LAYOUT).index("lists") :][:2]
    assert (rows, block[place : place + 3].tolist()) == (3, [7, 8, 9])


def test_jumps_go_to_marked_labels():
    routine = Routine()
    end = routine.label()
    routine.test("TestConst", end, True)
    routine.emit("Return", 0)
    routine.mark(end)
    routine.emit("Return", 1)
    assert routine.finished()[0][0][:2] == (OPS["TestConst"], 2)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (np.zeros(3, np.int32), "too short"),
        (np.zeros(200, np.int32), "exactly one row of settings"),
        (np.full(200, 10**9, np.int32), "does not fit in the program block"),
        (np.full(200, -1, np.int32), "does not fit in the program block"),
    ],
)
def test_a_block_that_is_no_program_is_refused(block, message):
    with pytest.raises(RuntimeError, match=message):
        _native.Program(block)


def test_every_fault_of_the_core_has_a_text():
    names = _native.fault_names()
    assert names[0] == "Nothing"
    assert set(mettagrid_c._FAULTS) | {"Nothing", "TokenBudget"} == set(names)
