// Leaving the game, with or without the repair of a running vote.
#pragma once

#include <cstdint>

#include "among_them/meeting.hpp"

namespace bitworld::among_them {

// Removes a player from the list of players alone, as replays of version 3 expect: votes and cursors keep their positions.
// Task flags keep them in any case.
inline void leave_unrepaired(State& s, int32_t player) {
  for (int32_t i = player + 1; i < s.players_len; ++i) s.players[i - 1] = s.players[i];
  s.players[--s.players_len] = Player{};
}

inline void remove_entry(int32_t* entries, int32_t& length, int32_t index) {
  if (index >= length) return;
  for (int32_t i = index + 1; i < length; ++i) entries[i - 1] = entries[i];
  entries[--length] = 0;
}

// Removes a player and repairs a meeting: a vote for the player is open again, a cursor on it moves to the next choice.
inline void leave(State& s, int32_t player) {
  leave_unrepaired(s, player);
  if (s.phase != Phase::kVoting && s.phase != Phase::kVoteResult) return;
  remove_entry(s.votes, s.votes_len, player);
  remove_entry(s.cursors, s.cursors_len, player);
  for (int32_t i = 0; i < s.votes_len; ++i) {
    if (s.votes[i] == player) {
      s.votes[i] = kNoVote;
    } else if (s.votes[i] > player) {
      --s.votes[i];
    }
  }
  for (int32_t i = 0; i < s.cursors_len; ++i) {
    if (s.cursors[i] > player) {
      --s.cursors[i];
    } else if (s.cursors[i] == player && player < s.players_len && !s.players[player].is_alive) {
      s.cursors[i] = next_choice(s, player, 1);
    }
  }
  if (s.phase == Phase::kVoteResult && s.ejected == player) s.ejected = -1;
  if (s.phase == Phase::kVoteResult && s.ejected > player) --s.ejected;
}

}  // namespace bitworld::among_them
