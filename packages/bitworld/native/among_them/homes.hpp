// Where players start: on a circle around the map's home, by slot.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "among_them/game.hpp"

namespace bitworld::among_them {

inline constexpr double kHomeRadius = 28.0;
inline constexpr double kPi = 3.14159265;  // as published: more digits would give other positions

// The place of a slot when the circle has `total` places. Falls back to the centre where a player cannot stand.
inline Point home_of(const Map& map, int32_t slot, int32_t total) {
  const double angle = static_cast<double>(slot) * 2.0 * kPi / static_cast<double>(total);
  const int32_t x = map.home.x + static_cast<int32_t>(std::cos(angle) * kHomeRadius);
  const int32_t y = map.home.y + static_cast<int32_t>(std::sin(angle) * kHomeRadius);
  return map.can_walk(x, y) ? Point{x, y} : map.home;
}

inline void send_home(Player& player) {
  player.x = player.home_x;
  player.y = player.home_y;
  player.vel_x = player.vel_y = 0;
  player.carry_x = player.carry_y = 0;
}

// Gives every player the home that fits the players there are now, and sends it there.
inline void arrange_homes(const Game& game) {
  State& s = game.state;
  int32_t total = s.players_len;
  for (int32_t i = 0; i < s.players_len; ++i) total = std::max(total, s.players[i].slot + 1);
  for (int32_t i = 0; i < s.players_len; ++i) {
    Player& player = s.players[i];
    const Point home = home_of(game.map, player.slot, total);
    player.home_x = home.x;
    player.home_y = home.y;
    send_home(player);
  }
}

}  // namespace bitworld::among_them
