// The map that a game is played on: read-only, shared by all games.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitworld::among_them {

inline constexpr int32_t kMostTasks = 64;

struct Point {
  int32_t x = 0, y = 0;
};

struct Rect {
  int32_t x = 0, y = 0, w = 0, h = 0;

  constexpr bool contains(int32_t px, int32_t py) const { return px >= x && px < x + w && py >= y && py < y + h; }
  constexpr Point centre() const { return {x + w / 2, y + h / 2}; }
};

// Vents of one group form a ring in the order of `index`, which starts at 1.
struct Vent {
  Rect place;
  int32_t group = 0;
  int32_t index = 1;
};

struct Map {
  int32_t width = 0, height = 0;
  std::vector<uint8_t> walk;  // [height][width], 1: a player may stand here
  std::vector<uint8_t> wall;  // [height][width], 1: blocks the view
  Rect button;                // the emergency button
  Point home;                 // the centre of the circle in which players start
  std::vector<Rect> tasks;    // stations, at most kMostTasks
  std::vector<Vent> vents;

  bool is_inside(int32_t x, int32_t y) const { return x >= 0 && y >= 0 && x < width && y < height; }
  std::size_t cell(int32_t x, int32_t y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
  bool can_walk(int32_t x, int32_t y) const { return is_inside(x, y) && walk[cell(x, y)] != 0; }
  bool is_wall(int32_t x, int32_t y) const { return !is_inside(x, y) || wall[cell(x, y)] != 0; }
};

}  // namespace bitworld::among_them
