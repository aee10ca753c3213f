// The hash that replays record after every tick. The order of the values is part of the replay format.
#pragma once

#include <algorithm>
#include <cstdint>

#include "among_them/game.hpp"
#include "core/hash.hpp"

namespace bitworld::among_them {

inline void add_player(StateHash& hash, const Player& player) {
  for (const int32_t value :
       {player.x, player.y, player.home_x, player.home_y, player.vel_x, player.vel_y, player.carry_x, player.carry_y,
        player.faces_left, static_cast<int32_t>(player.role), player.is_alive, player.kill_cooldown, player.slot, player.colour,
        player.task_progress, player.active_task, player.vent_cooldown, player.button_calls_used}) {
    hash.add(value);
  }
  hash.add(player.last_chat_tick);
  hash.add(player.reward);
  hash.add(player.tasks_len);
  for (int32_t i = 0; i < player.tasks_len; ++i) hash.add(player.tasks[i]);
}

inline uint64_t state_hash(const State& s, const Map& map) {
  StateHash hash;
  hash.add(s.tick);
  hash.add(static_cast<int32_t>(s.phase));
  hash.add(static_cast<int32_t>(s.winner));
  hash.add(s.game_over_timer);
  hash.add(s.role_reveal_timer);
  hash.add(s.game_start_tick);
  hash.add(s.start_wait_timer);
  hash.add(s.time_limit_reached);
  hash.add(s.needs_reregister);
  hash.add(s.next_join_order);
  hash.add(s.players_len);
  for (int32_t i = 0; i < s.players_len; ++i) add_player(hash, s.players[i]);
  hash.add(s.bodies_len);
  for (int32_t i = 0; i < s.bodies_len; ++i) {
    for (const int32_t value : {s.bodies[i].x, s.bodies[i].y, s.bodies[i].colour}) hash.add(value);
  }
  const auto tasks = static_cast<int32_t>(map.tasks.size());
  hash.add(tasks);
  // Most flags are zero, and those of seats that do not exist always are.
  const int32_t seats = std::min(s.done_len, kMostPlayers);
  const uint64_t all_zero = StateHash::zeros(s.done_len), no_seat = StateHash::zeros(s.done_len - seats);
  for (int32_t task = 0; task < tasks; ++task) {
    hash.add(s.done_len);
    if (s.done[task] == 0) {
      hash.add_zeros(all_zero);
      continue;
    }
    for (int32_t i = 0; i < seats; ++i) hash.add(s.has_done(task, i));
    hash.add_zeros(no_seat);
  }
  hash.add(s.votes_len);
  for (int32_t i = 0; i < s.votes_len; ++i) hash.add(s.votes[i]);
  hash.add(s.cursors_len);
  for (int32_t i = 0; i < s.cursors_len; ++i) hash.add(s.cursors[i]);
  hash.add(s.result_timer);
  hash.add(s.vote_timer);
  hash.add(s.ejected);
  return hash.value();
}

}  // namespace bitworld::among_them
