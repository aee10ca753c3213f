// One tick of the game, phase by phase.
#pragma once

#include <algorithm>
#include <cstdint>

#include "among_them/actions.hpp"
#include "among_them/scoring.hpp"
#include "among_them/starting.hpp"

namespace bitworld::among_them {

inline void wait_in_lobby(const Game& game) {
  State& s = game.state;
  if (s.players_len < game.config.min_players) {
    s.start_wait_timer = 0;
    return;
  }
  if (s.start_wait_timer <= 0) s.start_wait_timer = game.config.start_wait_ticks;
  if (s.start_wait_timer > 0) --s.start_wait_timer;
  if (s.start_wait_timer == 0) start_game(game);
}

inline void reveal_roles(const Game& game) {
  State& s = game.state;
  --s.role_reveal_timer;
  if (s.role_reveal_timer > 0) return;
  s.role_reveal_timer = 0;
  begin_play(s);
}

// `masks` [players_len]. If a player starts a meeting, the players after it still act in this tick.
inline void play(const Game& game, const uint8_t* masks) {
  State& s = game.state;
  const int32_t bodies = s.bodies_len;
  for (int32_t i = 0; i < s.players_len; ++i) {
    Player& player = s.players[i];
    if (player.is_imposter() && player.is_alive) {
      if (player.kill_cooldown > 0) --player.kill_cooldown;
      if (player.vent_cooldown > 0) --player.vent_cooldown;
    }
    act(game, i, {masks[i], player.held}, bodies);
  }
  check_win(game);
  check_time_limit(game);
}

// The tick in which the time to vote is over does not check the time limit of the game.
inline void hold_vote(const Game& game, const uint8_t* masks) {
  State& s = game.state;
  --s.vote_timer;
  if (s.vote_timer <= 0) {
    s.vote_timer = 0;
    return count_votes(game);
  }
  for (int32_t i = 0; i < s.players_len; ++i) vote(s, i, {masks[i], s.players[i].held});
  if (all_have_voted(s)) count_votes(game);
  check_time_limit(game);
}

inline void show_result(const Game& game) {
  State& s = game.state;
  --s.result_timer;
  if (s.result_timer <= 0) {
    end_meeting(game);
    check_win(game);
  }
  check_time_limit(game);
}

// Returns to an empty lobby. The random generator continues; winner, votes and cursors stay.
inline void return_to_lobby(State& s) {
  s.tick = 0;
  s.game_start_tick = -1;
  s.phase = Phase::kLobby;
  s.game_over_timer = s.role_reveal_timer = s.start_wait_timer = 0;
  s.time_limit_reached = 0;
  s.needs_reregister = 1;
  s.next_join_order = 0;
  std::fill_n(s.players, kMostPlayers, Player{});
  s.players_len = 0;
  s.bodies_len = 0;
  s.done_len = 0;
  std::fill_n(s.done, kMostTasks, 0u);
  s.chat_len = 0;
}

inline void show_winner(const Game& game) {
  State& s = game.state;
  --s.game_over_timer;
  if (s.game_over_timer <= 0) return_to_lobby(s);
}

// `masks` [players_len]: the buttons that each player holds.
inline void step(const Game& game, const uint8_t* masks) {
  State& s = game.state;
  ++s.tick;
  switch (s.phase) {
    case Phase::kLobby: wait_in_lobby(game); break;
    case Phase::kRoleReveal: reveal_roles(game); break;
    case Phase::kPlaying: play(game, masks); break;
    case Phase::kVoting: hold_vote(game, masks); break;
    case Phase::kVoteResult: show_result(game); break;
    case Phase::kGameOver: show_winner(game); break;
  }
  for (int32_t i = 0; i < s.players_len; ++i) s.players[i].held = masks[i];
}

// A game without players.
inline void begin(const Game& game) {
  game.state = State{};
  game.state.random = Random::seeded(game.config.seed);
  game.state.game_start_tick = -1;
}

}  // namespace bitworld::among_them
