// The start of a game: roles and tasks. The order of the draws is part of the rules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "among_them/homes.hpp"

namespace bitworld::among_them {

inline void shuffle(Random& random, int32_t* values, int32_t length) {
  for (int32_t high = length - 1; high >= 1; --high) std::swap(values[high], values[random.below_or_equal(high)]);
}

inline void assign_roles(const Game& game) {
  State& s = game.state;
  const auto& slots = game.config.slots;
  int32_t rest[kMostPlayers];
  int32_t rest_len = 0;
  int32_t open = imposters_among(game.config, s.players_len);
  for (int32_t i = 0; i < s.players_len; ++i) {
    Player& player = s.players[i];
    const auto slot = static_cast<std::size_t>(player.slot);
    player.role = Role::kCrewmate;
    if (slot < slots.size() && slots[slot].has_role) {
      player.role = slots[slot].role;
      open -= player.is_imposter();
    } else {
      rest[rest_len++] = i;
    }
  }
  shuffle(s.random, rest, rest_len);
  for (int32_t i = 0; i < std::min(open, rest_len); ++i) s.players[rest[i]].role = Role::kImposter;
}

inline void assign_tasks(const Game& game) {
  State& s = game.state;
  const auto stations = static_cast<int32_t>(game.map.tasks.size());
  int32_t order[kMostTasks];
  for (int32_t i = 0; i < s.players_len; ++i) {
    Player& player = s.players[i];
    std::fill_n(player.tasks, kMostTasks, 0);
    player.tasks_len = 0;
    if (!player.is_crewmate()) continue;
    for (int32_t task = 0; task < stations; ++task) order[task] = task;
    shuffle(s.random, order, stations);
    player.tasks_len = std::min(game.config.tasks_per_player, stations);
    std::copy_n(order, player.tasks_len, player.tasks);
  }
}

inline void begin_play(State& s) {
  s.phase = Phase::kPlaying;
  s.game_start_tick = s.tick;
}

inline void start_game(const Game& game) {
  State& s = game.state;
  s.start_wait_timer = 0;
  arrange_homes(game);
  assign_roles(game);
  assign_tasks(game);
  std::fill_n(s.done, kMostTasks, 0u);
  for (int32_t i = 0; i < s.players_len; ++i) {
    Player& player = s.players[i];
    player.is_alive = 1;
    player.kill_cooldown = game.config.kill_cooldown_ticks;
    player.task_progress = 0;
    player.active_task = -1;
    player.vent_cooldown = 0;
    player.button_calls_used = 0;
    Account& account = game.account(player);
    ++(player.is_imposter() ? account.games_imposter : account.games_crewmate);
  }
  s.role_reveal_timer = game.config.role_reveal_ticks;
  if (s.role_reveal_timer > 0) {
    s.phase = Phase::kRoleReveal;
  } else {
    begin_play(s);
  }
}

}  // namespace bitworld::among_them
