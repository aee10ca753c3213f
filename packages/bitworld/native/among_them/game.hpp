// A game of Among Them as the rules see it: its state, and the map and settings, which never change.
#pragma once

#include <cstdint>

#include "among_them/state.hpp"

namespace bitworld::among_them {

inline constexpr int32_t kTaskReward = 1;
inline constexpr int32_t kKillReward = 10;
inline constexpr int32_t kWinReward = 100;

// The earnings of an identity over all games. Plain data.
struct Account {
  int64_t reward = 0;
  int64_t wins_imposter = 0, wins_crewmate = 0;
  int64_t games_imposter = 0, games_crewmate = 0;
  int64_t kills = 0, tasks = 0;
};

// The rules are functions of this view. It owns nothing.
struct Game {
  State& state;
  Account* accounts;  // rows of `Player::identity`
  const Config& config;
  const Map& map;

  Account& account(const Player& player) const { return accounts[player.identity]; }

  void pay(Player& player, int64_t amount) const {
    player.reward += amount;
    account(player).reward = player.reward;
  }
};

inline int64_t squared_distance(int32_t ax, int32_t ay, int32_t bx, int32_t by) {
  const int64_t dx = int64_t{ax} - bx;
  const int64_t dy = int64_t{ay} - by;
  return dx * dx + dy * dy;
}

inline int64_t squared(int64_t value) { return value * value; }

}  // namespace bitworld::among_them
