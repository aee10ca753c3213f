"""Two corrections of how wasmtime's Python package converts values; only the host process installs them.

- It converts a list of bytes one Python object at a time. Here the bytes are copied in blocks.
- It takes an error for a value where the type is `result<option<T>, E>`, because every object matches an option.
"""

from __future__ import annotations

import ctypes
from typing import Any

__all__ = ["install"]

BLOCK = 1 << 20


def install() -> None:
    """Replace the conversions of wasmtime's value types."""
    from wasmtime import _ffi as ffi
    from wasmtime.component import _types as types

    value = ffi.wasmtime_component_val_t
    size, offset = ctypes.sizeof(value), value.of.offset
    element = value()
    element.kind = ffi.WASMTIME_COMPONENT_U8
    template = bytes(element)
    slow_to_c, slow_from_c = types.ListType.convert_to_c, types.ListType.convert_from_c

    def to_c(self: Any, store: Any, data: Any, target: Any) -> None:
        if not (isinstance(data, bytes) and self._is_bytes()):
            slow_to_c(self, store, data, target)
            return
        raw = ffi.wasmtime_component_vallist_t()
        ffi.wasmtime_component_vallist_new_uninit(raw, len(data))
        for start in range(0, len(data), BLOCK):
            part = data[start : start + BLOCK]
            block = bytearray(template * len(part))
            block[offset::size] = part
            source = (ctypes.c_char * len(block)).from_buffer(block)
            ctypes.memmove(ctypes.addressof(raw.data.contents) + start * size, source, len(block))
        target.contents.kind = ffi.WASMTIME_COMPONENT_LIST
        target.contents.of.list = raw

    def from_c(self: Any, source: Any) -> Any:
        if not self._is_bytes():
            return slow_from_c(self, source)
        values = source.of.list
        data = bytearray(values.size)
        for start in range(0, values.size, BLOCK):
            count = min(BLOCK, values.size - start)
            address = ctypes.addressof(values.data.contents) + start * size
            data[start : start + count] = ctypes.string_at(address, count * size)[offset::size]
        ffi.wasmtime_component_vallist_delete(ctypes.byref(values))
        return bytes(data)

    def option_classes(self: Any, classes: set[type]) -> None:
        classes.add(type(None))
        self.payload.add_classes(classes)

    for owner, name, function in (
        (types.ListType, "convert_to_c", to_c),
        (types.ListType, "convert_from_c", from_c),
        (types.OptionType, "add_classes", option_classes),
    ):
        setattr(owner, name, function)
