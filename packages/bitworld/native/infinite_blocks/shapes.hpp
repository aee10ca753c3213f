// The seven pieces of four cells in their four rotations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bitworld::infinite_blocks {

struct Cell {
  std::int8_t x, y;  // in the box of a piece, 4 x 4 cells
};

using Shape = std::array<Cell, 4>;

inline constexpr int kShapes = 7;
inline constexpr int kBox = 4;

// Rotation 0 of I, O, T, S, Z, J, L.
inline constexpr std::array<Shape, kShapes> kFirst = {{
    {{{0, 1}, {1, 1}, {2, 1}, {3, 1}}},
    {{{1, 0}, {2, 0}, {1, 1}, {2, 1}}},
    {{{1, 0}, {0, 1}, {1, 1}, {2, 1}}},
    {{{1, 0}, {2, 0}, {0, 1}, {1, 1}}},
    {{{0, 0}, {1, 0}, {1, 1}, {2, 1}}},
    {{{0, 0}, {0, 1}, {1, 1}, {2, 1}}},
    {{{2, 0}, {0, 1}, {1, 1}, {2, 1}}},
}};

// I turns in its box of 4 cells, the others in one of 3; O does not turn.
constexpr std::array<std::array<Shape, 4>, kShapes> all_rotations() {
  std::array<std::array<Shape, 4>, kShapes> all{};
  for (std::size_t kind = 0; kind < kShapes; ++kind) {
    all[kind][0] = kFirst[kind];
    const int last = kind == 0 ? 3 : 2;
    for (std::size_t turn = 1; turn < 4; ++turn) {
      for (std::size_t i = 0; i < 4; ++i) {
        const Cell before = all[kind][turn - 1][i];
        all[kind][turn][i] = kind == 1 ? before : Cell{static_cast<std::int8_t>(last - before.y), before.x};
      }
    }
  }
  return all;
}

inline constexpr auto kRotations = all_rotations();

}  // namespace bitworld::infinite_blocks
