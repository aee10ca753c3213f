// How a game ends, and what it pays.
#pragma once

#include <cstdint>

#include "among_them/game.hpp"

namespace bitworld::among_them {

inline void end_game(const Game& game, Role winner) {
  State& s = game.state;
  s.phase = Phase::kGameOver;
  s.winner = winner;
  s.game_over_timer = game.config.game_over_ticks;
  ++s.games_finished;
}

inline void win(const Game& game, Role winner) {
  end_game(game, winner);
  for (int32_t i = 0; i < game.state.players_len; ++i) {
    Player& player = game.state.players[i];
    if (player.role != winner) continue;
    game.pay(player, kWinReward);
    Account& account = game.account(player);
    ++(winner == Role::kImposter ? account.wins_imposter : account.wins_crewmate);
  }
}

// The assigned tasks of all crewmates, dead or alive, that are not done.
inline int32_t tasks_remaining(const State& s) {
  int32_t remaining = 0;
  for (int32_t i = 0; i < s.players_len; ++i) {
    const Player& player = s.players[i];
    if (!player.is_crewmate()) continue;
    for (int32_t t = 0; t < player.tasks_len; ++t) remaining += !s.has_done(player.tasks[t], i);
  }
  return remaining;
}

inline void check_win(const Game& game) {
  const State& s = game.state;
  int32_t imposters = 0, living_imposters = 0, living_crewmates = 0;
  for (int32_t i = 0; i < s.players_len; ++i) {
    const Player& player = s.players[i];
    imposters += player.is_imposter();
    (player.is_imposter() ? living_imposters : living_crewmates) += player.is_alive;
  }
  if (imposters > 0 && living_imposters == 0) {
    win(game, Role::kCrewmate);
  } else if (imposters > 0 && living_imposters >= living_crewmates) {
    win(game, Role::kImposter);
  } else if (tasks_remaining(s) == 0) {
    win(game, Role::kCrewmate);
  }
}

// Whether a player is on the winning side of a game that is over. A draw has no winner.
inline bool has_won(const State& s, const Player& player) {
  return s.phase == Phase::kGameOver && !s.time_limit_reached && player.role == s.winner;
}

// A game that takes too long is a draw: it pays nothing, and the field `winner` names the crew.
inline void check_time_limit(const Game& game) {
  State& s = game.state;
  if (game.config.max_ticks <= 0 || s.game_start_tick < 0) return;
  if (s.phase != Phase::kPlaying && s.phase != Phase::kVoting && s.phase != Phase::kVoteResult) return;
  if (s.tick - s.game_start_tick < game.config.max_ticks) return;
  s.time_limit_reached = 1;
  end_game(game, Role::kCrewmate);
}

}  // namespace bitworld::among_them
