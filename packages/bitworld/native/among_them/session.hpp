// A game with its players by name: what a server needs beside the rules. Joins allocate; ticks do not.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "among_them/chat.hpp"
#include "among_them/fingerprint.hpp"
#include "among_them/hash.hpp"
#include "among_them/joining.hpp"
#include "among_them/leaving.hpp"
#include "among_them/phases.hpp"
#include "among_them/snapshot.hpp"

namespace bitworld::among_them {

class Session {
 public:
  Session(Config config, std::shared_ptr<const Map> map) : config_(std::move(config)), map_(std::move(map)) { begin(game()); }
  Session(const Session&) = delete;

  State& state() { return state_; }
  const State& state() const { return state_; }
  const Config& config() const { return config_; }
  const Map& map() const { return *map_; }
  const std::shared_ptr<const Map>& shared_map() const { return map_; }

  // Accounts and names have one row for each identity, in order of the first join.
  const std::vector<Account>& accounts() const { return accounts_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& name_of(const Player& player) const { return names_[static_cast<std::size_t>(player.identity)]; }

  Refusal join(std::string_view name, int32_t slot, std::string_view token) {
    if (state_.phase != Phase::kLobby) return Refusal::kNotInLobby;
    if (state_.players_len == kMostPlayers) return Refusal::kFull;
    for (int32_t i = 0; i < state_.players_len; ++i) {
      if (name_of(state_.players[i]) == name) return Refusal::kSameName;
    }
    const SlotChoice choice = choose_slot(game(), name, slot, token);
    if (choice.refusal == Refusal::kNone) seat(game(), choice.slot, identity(name));
    return choice.refusal;
  }

  // Removes a player. With `repairs`, votes and cursors follow the remaining players.
  void leave(int32_t player, bool repairs) {
    const int64_t identity = state_.players[player].identity;
    if (repairs) {
      among_them::leave(state_, player);
    } else {
      leave_unrepaired(state_, player);
    }
    forget_unless_played(identity);
  }

  // `masks` [count]; players without a mask hold nothing.
  void step(const uint8_t* masks, std::size_t count) {
    uint8_t held[kMostPlayers] = {};
    std::copy_n(masks, std::min<std::size_t>(count, kMostPlayers), held);
    among_them::step(game(), held);
  }

  bool chat(int32_t player, std::string_view text) { return say(game(), player, ChatText(text).view()); }

  // Calls a meeting without a player, for tests and tools.
  void start_meeting() { among_them::start_meeting(game()); }

  // Fingerprint of config and map, computed once.
  uint64_t rules() const {
    if (!rules_) rules_ = rules_fingerprint(config_, *map_);
    return *rules_;
  }

  uint64_t hash() const { return state_hash(state_, *map_); }

  std::string snapshot() const { return write_snapshot(state_, accounts_, names_, rules()); }

  // Returns to a snapshot, or changes nothing and returns the reason.
  SnapshotFault restore(std::string_view bytes) {
    Snapshot snapshot;
    const SnapshotFault fault = read_snapshot(bytes, *map_, rules(), snapshot);
    if (fault != SnapshotFault::kNone) return fault;
    state_ = snapshot.state;
    accounts_ = std::move(snapshot.accounts);
    names_ = std::move(snapshot.names);
    return fault;
  }

 private:
  Game game() { return {state_, accounts_.data(), config_, *map_}; }

  int64_t identity(std::string_view name) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    if (known != names_.end()) return known - names_.begin();
    names_.emplace_back(name);
    accounts_.emplace_back();
    return static_cast<int64_t>(names_.size()) - 1;
  }

  // Clients that come and go in the lobby under new names must not fill the memory.
  void forget_unless_played(int64_t identity) {
    const Account& account = accounts_[static_cast<std::size_t>(identity)];
    if (account.games_imposter + account.games_crewmate > 0) return;
    accounts_.erase(accounts_.begin() + identity);
    names_.erase(names_.begin() + identity);
    for (int32_t i = 0; i < state_.players_len; ++i) {
      Player& player = state_.players[i];
      if (player.identity > identity) --player.identity;
    }
  }

  Config config_;
  std::shared_ptr<const Map> map_;
  State state_;
  std::vector<Account> accounts_;
  std::vector<std::string> names_;
  mutable std::optional<uint64_t> rules_;
};

}  // namespace bitworld::among_them
