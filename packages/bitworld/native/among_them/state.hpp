// The state of a game: one block of plain data without pointers or padding. A copy of the block is a snapshot.
#pragma once

#include <cstdint>
#include <type_traits>

#include "among_them/config.hpp"
#include "among_them/map.hpp"
#include "core/random.hpp"

namespace bitworld::among_them {

inline constexpr int32_t kChatLines = 6;
inline constexpr int32_t kChatLength = 320;

// Votes and cursors name a player by its index.
inline constexpr int32_t kNoVote = -1;
inline constexpr int32_t kSkipVote = -2;

// The order is part of the state hash.
enum class Phase : int32_t { kLobby, kPlaying, kVoting, kVoteResult, kGameOver, kRoleReveal };

struct Player {
  int32_t x, y;
  int32_t home_x, home_y;
  int32_t vel_x, vel_y;      // in 1 / Config::motion_scale pixels per tick
  int32_t carry_x, carry_y;  // the part of a pixel not moved yet, in the same unit
  int32_t faces_left;        // 0 or 1
  Role role;
  int32_t is_alive;  // 0 or 1; the dead are ghosts
  int32_t kill_cooldown;
  int32_t slot;    // 0 to 15; also called the join order
  int32_t colour;  // index of the palette
  int32_t task_progress;
  int32_t active_task;  // station, -1: none
  int32_t vent_cooldown;
  int32_t button_calls_used;
  int64_t last_chat_tick;
  int64_t reward;    // of the identity, over all games
  int64_t identity;  // row of the table of accounts
  int32_t held;      // buttons of the previous tick
  int32_t tasks_len;
  int32_t tasks[kMostTasks];  // assigned stations; imposters have none

  bool is_crewmate() const { return role == Role::kCrewmate; }
  bool is_imposter() const { return role == Role::kImposter; }
};

struct Body {
  int32_t x, y, colour;
};

struct ChatLine {
  int32_t colour;  // of the player
  int32_t slot;
  int32_t length;
  char text[kChatLength];  // printable ASCII
};

struct State {
  Random random;
  int64_t tick;
  int64_t game_start_tick;  // -1 before the first tick of play

  Phase phase;
  Role winner;  // survives the return to the lobby, as votes, cursors and `ejected` do
  int32_t game_over_timer, role_reveal_timer, start_wait_timer;
  int32_t time_limit_reached;  // 0 or 1; the game is a draw
  int32_t needs_reregister;    // 0 or 1; the lobby is empty and clients must join again
  int32_t next_join_order;
  int32_t games_finished;

  int32_t players_len;
  Player players[kMostPlayers];
  int32_t bodies_len;
  Body bodies[kMostPlayers];

  // Each station has a list of flags, one for each join; bit p of `done` is that of player p. A leave does not shift them.
  int32_t done_len;
  uint32_t done[kMostTasks];

  int32_t votes_len, cursors_len;
  int32_t votes[kMostPlayers], cursors[kMostPlayers];
  int32_t result_timer, vote_timer;
  int32_t ejected;  // player, -1: none

  int32_t chat_len;
  ChatLine chat[kChatLines];  // oldest first

  bool has_done(int32_t task, int32_t player) const { return player < kMostPlayers && (done[task] >> player & 1) != 0; }
};

static_assert(std::is_trivially_copyable_v<State>);
static_assert(std::has_unique_object_representations_v<State>, "no padding: equal states have equal bytes");

}  // namespace bitworld::among_them
