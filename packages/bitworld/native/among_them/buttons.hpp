// The buttons that a player holds, as bits of one byte.
#pragma once

#include <cstdint>

namespace bitworld::among_them {

enum Button : int32_t {
  kUp = 0x01,
  kDown = 0x02,
  kLeft = 0x04,
  kRight = 0x08,
  kSelect = 0x10,
  kA = 0x20,
  kB = 0x40,
};

struct Input {
  int32_t held = 0;
  int32_t before = 0;  // held in the previous tick

  bool holds(Button button) const { return (held & button) != 0; }
  bool presses(Button button) const { return (held & ~before & button) != 0; }
  int32_t x() const { return holds(kRight) - holds(kLeft); }
  int32_t y() const { return holds(kDown) - holds(kUp); }
};

}  // namespace bitworld::among_them
