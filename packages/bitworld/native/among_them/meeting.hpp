// Meetings: voting, chat, the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "among_them/buttons.hpp"
#include "among_them/homes.hpp"

namespace bitworld::among_them {

inline int32_t first_living(const State& s) {
  for (int32_t i = 0; i < s.players_len; ++i) {
    if (s.players[i].is_alive) return i;
  }
  return 0;
}

inline void stop_task(Player& player) {
  player.task_progress = 0;
  player.active_task = -1;
}

inline void start_meeting(const Game& game) {
  State& s = game.state;
  s.phase = Phase::kVoting;
  s.vote_timer = game.config.vote_timer_ticks;
  s.chat_len = 0;
  s.votes_len = s.cursors_len = s.players_len;
  for (int32_t i = 0; i < s.players_len; ++i) {
    s.votes[i] = kNoVote;
    s.cursors[i] = first_living(s);
    s.players[i].last_chat_tick = s.tick - game.config.message_cooldown_ticks;
  }
}

// Accepts a message of a living player in a vote; the text is printable and trimmed.
inline bool say(const Game& game, int32_t player, std::string_view text) {
  State& s = game.state;
  Player& speaker = s.players[player];
  if (s.phase != Phase::kVoting || !speaker.is_alive || text.empty()) return false;
  if (s.tick - speaker.last_chat_tick < game.config.message_cooldown_ticks) return false;
  if (s.chat_len == kChatLines) {
    std::copy(s.chat + 1, s.chat + kChatLines, s.chat);
    --s.chat_len;
  }
  ChatLine line{.colour = speaker.colour, .slot = speaker.slot, .length = 0, .text = {}};
  line.length = static_cast<int32_t>(text.copy(line.text, kChatLength));
  s.chat[s.chat_len++] = line;
  speaker.last_chat_tick = s.tick;
  return true;
}

// Moves a cursor over the living players and the place after the last player, which skips.
inline int32_t next_choice(const State& s, int32_t cursor, int32_t direction) {
  const int32_t places = s.players_len + 1;
  for (int32_t i = 0; i < places; ++i) {
    cursor = (cursor + direction + places) % places;
    if (cursor == s.players_len || s.players[cursor].is_alive) break;
  }
  return cursor;
}

inline void vote(State& s, int32_t player, const Input& input) {
  if (!s.players[player].is_alive || player >= s.votes_len || player >= s.cursors_len) return;
  if (s.votes[player] != kNoVote) return;
  int32_t& cursor = s.cursors[player];
  if (input.presses(kUp) || input.presses(kLeft)) cursor = next_choice(s, cursor, -1);
  if (input.presses(kDown) || input.presses(kRight)) cursor = next_choice(s, cursor, 1);
  if (input.presses(kA)) s.votes[player] = cursor == s.players_len ? kSkipVote : cursor;
}

inline bool all_have_voted(const State& s) {
  for (int32_t i = 0; i < s.players_len; ++i) {
    if (s.players[i].is_alive && i < s.votes_len && s.votes[i] == kNoVote) return false;
  }
  return true;
}

// Counts the votes. A player is ejected with more votes than any other player and than skip; no vote is a vote for skip.
inline void count_votes(const Game& game) {
  State& s = game.state;
  int32_t counts[kMostPlayers] = {};
  int32_t skips = 0;
  for (int32_t i = 0; i < s.players_len; ++i) {
    if (!s.players[i].is_alive) continue;
    const int32_t choice = i < s.votes_len ? s.votes[i] : kNoVote;
    if (choice >= 0 && choice < s.players_len) {
      ++counts[choice];
    } else {
      ++skips;
    }
  }
  s.ejected = -1;
  int32_t most = skips;
  for (int32_t i = 0; i < s.players_len; ++i) {
    if (counts[i] > most) {
      most = counts[i];
      s.ejected = i;
    } else if (counts[i] == most && most > skips) {
      s.ejected = -1;
    }
  }
  s.phase = Phase::kVoteResult;
  s.result_timer = game.config.vote_result_ticks;
}

// Ejects the player and sends all players home.
inline void end_meeting(const Game& game) {
  State& s = game.state;
  if (s.ejected >= 0 && s.ejected < s.players_len) s.players[s.ejected].is_alive = 0;
  s.bodies_len = s.chat_len = 0;
  for (int32_t i = 0; i < s.players_len; ++i) {
    Player& player = s.players[i];
    send_home(player);
    stop_task(player);
    if (player.is_imposter() && player.is_alive) player.kill_cooldown = game.config.kill_cooldown_ticks;
  }
  s.phase = Phase::kPlaying;
}

}  // namespace bitworld::among_them
