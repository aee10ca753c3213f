// The settings of a game. `bitworld.games.among_them.config` reads and checks them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bitworld::among_them {

inline constexpr int32_t kMostPlayers = 16;

// The order is part of the state hash.
enum class Role : int32_t { kCrewmate, kImposter };

// A place that the configuration reserves. An empty name or token matches every player.
struct Slot {
  std::string name;
  std::string token;
  bool has_role = false;
  Role role = Role::kCrewmate;
  int32_t colour = -1;  // index of the palette; -1: the colour of the place

  bool is_restricted() const { return !name.empty() || !token.empty(); }
};

// Numbers other than the seed fit into 32 bits, so that the rules cannot overflow with 64-bit intermediate results.
struct Config {
  int64_t seed = 0xA6019;

  int32_t motion_scale = 256;  // > 0; velocity units in a pixel
  int32_t accel = 76;
  int32_t friction_num = 144;
  int32_t friction_den = 256;  // > 0
  int32_t max_speed = 704;
  int32_t stop_threshold = 8;

  int32_t kill_range = 20;  // pixels
  int32_t vent_range = 16;
  int32_t report_range = 20;

  int32_t kill_cooldown_ticks = 1200;
  int32_t role_reveal_ticks = 120;
  int32_t task_complete_ticks = 72;
  int32_t vote_result_ticks = 72;
  int32_t start_wait_ticks = 120;
  int32_t vote_timer_ticks = 6000;
  int32_t message_cooldown_ticks = 100;
  int32_t game_over_ticks = 360;
  int32_t max_ticks = 10000;  // 0: no limit

  int32_t min_players = 8;
  int32_t imposter_count = 2;
  bool auto_imposter_count = true;
  int32_t tasks_per_player = 8;
  int32_t button_calls = 1;
  int32_t max_games = 0;  // 0: no limit

  bool show_task_arrows = true;
  bool show_task_bubbles = true;
  bool show_player_labels = true;

  std::vector<Slot> slots;  // at most kMostPlayers
};

// The number of imposters in a game of `players` players.
inline int32_t imposters_among(const Config& config, int32_t players) {
  int32_t count = config.imposter_count;
  if (config.auto_imposter_count) count = players < 5 ? 0 : (players - 3) / 2;
  const int32_t most = players > 0 ? players - 1 : 0;
  return count < most ? count : most;
}

}  // namespace bitworld::among_them
