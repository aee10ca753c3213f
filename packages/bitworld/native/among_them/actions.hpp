// The actions of a player in play: vent, report, call a meeting, kill, work on a task, walk.
#pragma once

#include <cstdint>

#include "among_them/meeting.hpp"
#include "among_them/movement.hpp"

namespace bitworld::among_them {

inline constexpr int32_t kVentCooldownTicks = 30;

// The vent after this one in its group, or the first of the group.
inline const Vent& next_vent(const Map& map, const Vent& vent) {
  const Vent* first = &vent;
  for (const Vent& other : map.vents) {
    if (other.group != vent.group) continue;
    if (other.index == vent.index + 1) return other;
    if (other.index == 1) first = &other;
  }
  return *first;
}

inline void use_vent(const Game& game, Player& player) {
  if (player.vent_cooldown > 0) return;
  for (const Vent& vent : game.map.vents) {
    const Point centre = vent.place.centre();
    if (squared_distance(player.x, player.y, centre.x, centre.y) > squared(game.config.vent_range)) continue;
    const Point exit = next_vent(game.map, vent).place.centre();
    player.x = exit.x;
    player.y = exit.y;
    player.vel_x = player.vel_y = 0;
    player.carry_x = player.carry_y = 0;
    player.vent_cooldown = kVentCooldownTicks;
    return;
  }
}

// Reports one of the first `bodies` bodies. A body of this tick cannot be reported yet.
inline bool report(const Game& game, const Player& player, int32_t bodies) {
  for (int32_t i = 0; i < bodies; ++i) {
    const Body& body = game.state.bodies[i];
    if (squared_distance(player.x, player.y, body.x, body.y) <= squared(game.config.report_range)) {
      start_meeting(game);
      return true;
    }
  }
  return false;
}

inline bool call_meeting(const Game& game, Player& player) {
  if (player.button_calls_used >= game.config.button_calls) return false;
  if (!game.map.button.contains(player.x, player.y)) return false;
  ++player.button_calls_used;
  start_meeting(game);
  return true;
}

inline void kill(const Game& game, Player& killer) {
  State& s = game.state;
  if (killer.kill_cooldown > 0) return;
  Player* victim = nullptr;
  int64_t nearest = squared(game.config.kill_range) + 1;
  for (int32_t i = 0; i < s.players_len; ++i) {
    Player& other = s.players[i];
    if (!other.is_alive || !other.is_crewmate()) continue;
    const int64_t distance = squared_distance(killer.x, killer.y, other.x, other.y);
    if (distance < nearest) {
      nearest = distance;
      victim = &other;
    }
  }
  if (victim == nullptr) return;
  victim->is_alive = 0;
  if (s.bodies_len < kMostPlayers) s.bodies[s.bodies_len++] = {victim->x, victim->y, victim->colour};
  killer.kill_cooldown = game.config.kill_cooldown_ticks;
  game.pay(killer, kKillReward);
  ++game.account(killer).kills;
}

// The assigned station that the player stands at and has not done yet, or -1.
inline int32_t task_here(const Game& game, int32_t index) {
  const State& s = game.state;
  const Player& player = s.players[index];
  for (int32_t i = 0; i < player.tasks_len; ++i) {
    const int32_t task = player.tasks[i];
    if (!s.has_done(task, index) && game.map.tasks[static_cast<std::size_t>(task)].contains(player.x, player.y)) return task;
  }
  return -1;
}

inline void work(const Game& game, int32_t index, const Input& input) {
  State& s = game.state;
  Player& player = s.players[index];
  if (!player.is_crewmate()) return;
  const int32_t task = input.holds(kA) && input.x() == 0 && input.y() == 0 ? task_here(game, index) : -1;
  if (task < 0) return stop_task(player);
  if (task != player.active_task) player.task_progress = 0;
  player.active_task = task;
  if (++player.task_progress < game.config.task_complete_ticks) return;
  s.done[task] |= 1u << index;
  stop_task(player);
  game.pay(player, kTaskReward);
  ++game.account(player).tasks;
}

// One player's part of a tick of play. `bodies`: how many bodies there were when the tick began.
inline void act(const Game& game, int32_t index, const Input& input, int32_t bodies) {
  Player& player = game.state.players[index];
  move(game, player, input);
  if (player.is_alive) {
    if (player.is_imposter() && input.holds(kB)) use_vent(game, player);
    if (input.presses(kA) && !report(game, player, bodies) && !call_meeting(game, player) && player.is_imposter()) {
      kill(game, player);
    }
  }
  work(game, index, input);
}

}  // namespace bitworld::among_them
