// Walking, with velocity and sliding along walls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "among_them/buttons.hpp"
#include "among_them/game.hpp"

namespace bitworld::among_them {

inline constexpr int32_t kMostVelocity = INT32_MAX;  // friction above 1 would grow without limit

// The velocity on one axis after a tick with the given direction.
inline int32_t next_velocity(const Config& config, int32_t velocity, int32_t direction) {
  if (direction != 0) {
    const int64_t faster = int64_t{velocity} + int64_t{direction} * config.accel;
    const int64_t most = config.max_speed;
    return static_cast<int32_t>(faster < -most ? -most : faster > most ? most : faster);
  }
  const int64_t slower = int64_t{velocity} * config.friction_num / config.friction_den;
  if (std::abs(slower) < config.stop_threshold) return 0;
  return static_cast<int32_t>(std::clamp<int64_t>(slower, -kMostVelocity, kMostVelocity));
}

// Moves whole pixels along an axis; (`along`, `across`) is (x, y) or (y, x), and `can_stand` takes them in this order. At an
// obstacle the player slides one pixel to the side, or else stops with its velocity kept.
template <class CanStand>
void walk_axis(int32_t& along, int32_t& across, int32_t& carry, int32_t velocity, int32_t scale, const CanStand& can_stand) {
  int64_t left = int64_t{carry} + velocity;
  while (std::abs(left) >= scale) {
    const int32_t step = left > 0 ? 1 : -1;
    if (can_stand(along + step, across)) {
      along += step;
    } else if (can_stand(along + step, across - 1)) {
      along += step;
      across -= 1;
    } else if (can_stand(along + step, across + 1)) {
      along += step;
      across += 1;
    } else {
      left = 0;
      break;
    }
    left -= int64_t{step} * scale;
  }
  carry = static_cast<int32_t>(left);
}

// Moves a ghost along an axis of `size` pixels: there are no walls, and the edge of the map stops it.
inline void float_axis(int32_t& along, int32_t& carry, int32_t& velocity, int32_t scale, int32_t size) {
  const int64_t total = int64_t{carry} + velocity;
  const int64_t target = along + total / scale;
  along = static_cast<int32_t>(std::clamp<int64_t>(target, 0, size - 1));
  carry = static_cast<int32_t>(total % scale);
  if (along != target) carry = velocity = 0;
}

inline void move(const Game& game, Player& player, const Input& input) {
  const Config& config = game.config;
  const Map& map = game.map;
  player.vel_x = next_velocity(config, player.vel_x, input.x());
  player.vel_y = next_velocity(config, player.vel_y, input.y());
  if (input.x() < 0) player.faces_left = 1;
  if (input.x() > 0) player.faces_left = 0;
  if (player.is_alive) {
    walk_axis(player.x, player.y, player.carry_x, player.vel_x, config.motion_scale,
              [&](int32_t x, int32_t y) { return map.can_walk(x, y); });
    walk_axis(player.y, player.x, player.carry_y, player.vel_y, config.motion_scale,
              [&](int32_t y, int32_t x) { return map.can_walk(x, y); });
  } else {
    float_axis(player.x, player.carry_x, player.vel_x, config.motion_scale, map.width);
    float_axis(player.y, player.carry_y, player.vel_y, config.motion_scale, map.height);
  }
}

}  // namespace bitworld::among_them
