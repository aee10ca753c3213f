// Snapshots as bytes. `read_snapshot` accepts only bytes that the rules can continue from, whatever their origin.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "among_them/game.hpp"
#include "core/hash.hpp"

namespace bitworld::among_them {

struct SnapshotHead {
  char magic[8] = {'A', 'M', 'O', 'N', 'G', 'T', 'H', '1'};
  uint64_t rules = 0;     // fingerprint of config and map
  uint64_t checksum = 0;  // of all bytes after the head
  uint64_t identities = 0;
};

inline constexpr int64_t kFar = int64_t{1} << 53;  // no counter of a real game comes near it

// Whether the rules can continue from a state: every index is in range, and no number is near an overflow.
inline bool is_sound(const State& s, const Map& map, uint64_t identities) {
  const auto within = [](int64_t value, int64_t least, int64_t most) { return value >= least && value <= most; };
  const auto is_flag = [&](int32_t value) { return within(value, 0, 1); };
  const auto stations = static_cast<int64_t>(map.tasks.size());
  if (!within(s.tick, 0, kFar) || !within(s.game_start_tick, -1, kFar)) return false;
  if (!within(static_cast<int64_t>(s.phase), 0, 5) || !within(static_cast<int64_t>(s.winner), 0, 1)) return false;
  if (!is_flag(s.time_limit_reached) || !is_flag(s.needs_reregister)) return false;
  for (const int32_t timer : {s.game_over_timer, s.role_reveal_timer, s.start_wait_timer, s.result_timer, s.vote_timer}) {
    if (timer == INT32_MIN) return false;
  }
  if (!within(s.next_join_order, 0, kMostPlayers) || !within(s.games_finished, 0, INT32_MAX - 1)) return false;
  if (!within(s.players_len, 0, kMostPlayers) || !within(s.bodies_len, 0, kMostPlayers)) return false;
  if (!within(s.done_len, 0, INT32_MAX - 1) || !within(s.chat_len, 0, kChatLines)) return false;
  if (!within(s.votes_len, 0, kMostPlayers) || !within(s.cursors_len, 0, kMostPlayers)) return false;
  if (!within(s.ejected, -1, kMostPlayers - 1)) return false;
  for (int32_t i = 0; i < kMostPlayers; ++i) {
    if (!within(s.votes[i], kSkipVote, kMostPlayers) || !within(s.cursors[i], 0, kMostPlayers)) return false;
  }
  for (int32_t i = 0; i < s.players_len; ++i) {
    const Player& p = s.players[i];
    if (!map.is_inside(p.x, p.y) || !map.is_inside(p.home_x, p.home_y)) return false;
    if (!is_flag(p.faces_left) || !is_flag(p.is_alive) || !within(static_cast<int64_t>(p.role), 0, 1)) return false;
    if (!within(p.slot, 0, kMostPlayers - 1) || !within(p.colour, 0, 15) || !within(p.held, 0, 255)) return false;
    if (!within(p.active_task, -1, stations - 1) || !within(p.task_progress, INT32_MIN, INT32_MAX - 1)) return false;
    if (!within(p.button_calls_used, 0, INT32_MAX - 1) || !within(p.last_chat_tick, -kFar, kFar)) return false;
    if (!within(p.reward, -kFar, kFar) || !within(p.identity, 0, static_cast<int64_t>(identities) - 1)) return false;
    if (!within(p.tasks_len, 0, stations)) return false;
    for (int32_t task = 0; task < p.tasks_len; ++task) {
      if (!within(p.tasks[task], 0, stations - 1)) return false;
    }
  }
  for (int32_t i = 0; i < s.bodies_len; ++i) {
    if (!map.is_inside(s.bodies[i].x, s.bodies[i].y) || !within(s.bodies[i].colour, 0, 15)) return false;
  }
  for (int32_t i = 0; i < s.chat_len; ++i) {
    const ChatLine& line = s.chat[i];
    if (!within(line.length, 0, kChatLength) || !within(line.colour, 0, 15) || !within(line.slot, 0, 15)) return false;
    for (int32_t c = 0; c < line.length; ++c) {
      if (line.text[c] < 0x20 || line.text[c] > 0x7e) return false;
    }
  }
  return true;
}

inline uint64_t checksum(std::string_view bytes) {
  StateHash hash;
  for (const char byte : bytes) hash.add(byte);
  return hash.value();
}

// A state with the rows that its identities name.
struct Snapshot {
  State state;
  std::vector<Account> accounts;
  std::vector<std::string> names;
};

inline std::string write_snapshot(const State& state, std::span<const Account> accounts, std::span<const std::string> names,
                                  uint64_t rules) {
  std::string body;
  const auto put = [&](const void* data, std::size_t size) { body.append(static_cast<const char*>(data), size); };
  put(&state, sizeof state);
  put(accounts.data(), accounts.size_bytes());
  for (const std::string& name : names) {
    const auto length = static_cast<uint32_t>(name.size());
    put(&length, sizeof length);
    put(name.data(), name.size());
  }
  SnapshotHead head;
  head.rules = rules;
  head.checksum = checksum(body);
  head.identities = names.size();
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + body;
}

enum class SnapshotFault { kNone, kDamaged, kOtherRules };

inline SnapshotFault read_snapshot(std::string_view bytes, const Map& map, uint64_t rules, Snapshot& out) {
  SnapshotHead head;
  const SnapshotHead expected;
  const auto take = [&](void* data, std::size_t size) {
    if (bytes.size() < size) return false;
    if (size > 0) std::memcpy(data, bytes.data(), size);
    bytes.remove_prefix(size);
    return true;
  };
  if (!take(&head, sizeof head) || std::memcmp(head.magic, expected.magic, sizeof head.magic) != 0 ||
      head.checksum != checksum(bytes)) {
    return SnapshotFault::kDamaged;
  }
  if (head.rules != rules) return SnapshotFault::kOtherRules;
  if (!take(&out.state, sizeof out.state) || head.identities > bytes.size() / sizeof(Account)) return SnapshotFault::kDamaged;
  out.accounts.resize(head.identities);
  take(out.accounts.data(), out.accounts.size() * sizeof(Account));
  out.names.clear();
  for (uint64_t i = 0; i < head.identities; ++i) {
    uint32_t length = 0;
    if (!take(&length, sizeof length) || bytes.size() < length) return SnapshotFault::kDamaged;
    out.names.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  for (const Account& a : out.accounts) {
    for (const int64_t value :
         {a.reward, a.wins_imposter, a.wins_crewmate, a.games_imposter, a.games_crewmate, a.kills, a.tasks}) {
      if (value < 0 || value > kFar) return SnapshotFault::kDamaged;
    }
  }
  const bool is_good = bytes.empty() && is_sound(out.state, map, head.identities);
  return is_good ? SnapshotFault::kNone : SnapshotFault::kDamaged;
}

}  // namespace bitworld::among_them
