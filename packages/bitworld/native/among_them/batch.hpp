// Many games that step together, over threads, for training. A step allocates nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "among_them/fingerprint.hpp"
#include "among_them/hash.hpp"
#include "among_them/joining.hpp"
#include "among_them/phases.hpp"
#include "among_them/picture/artist.hpp"
#include "core/workers.hpp"

namespace bitworld::among_them {

// The outcome of an episode, for training.
enum class Outcome : int8_t { kRunning = -1, kCrewmates = 0, kImposters = 1, kDraw = 2 };

// The caller's memory. Null pointers are skipped.
struct BatchArrays {
  const uint8_t* masks = nullptr;  // [games][players], buttons
  float* rewards = nullptr;        // [games][players], earned in the last step
  bool* dones = nullptr;           // [games], the episode ended in the last step
  int8_t* outcomes = nullptr;      // [games], `Outcome`
  uint64_t* hashes = nullptr;      // [games]
  uint8_t* pixels = nullptr;       // [games][players][kSide][kSide]
  uint8_t* packed = nullptr;       // [games][players][kPixels / 2], the form on the wire
};

class Batch {
 public:
  // One game and what its players have earned in this episode.
  struct alignas(64) Row {
    State state;
    Account accounts[kMostPlayers];
    int64_t seed = 0;  // of the running episode
  };

  struct Settings {
    int32_t games = 1;
    int32_t players = 8;
    int32_t threads = 1;
    int64_t seed = 0;  // game i plays its first episode with `seed` + i, its next with `seed` + games + i, and so on
  };

  // The config must start with this number of players. `artist` may be null if no pictures are drawn.
  Batch(Config config, std::shared_ptr<const Map> map, const Artist* artist, const Settings& settings)
      : config_(std::move(config)),
        map_(std::move(map)),
        artist_(artist),
        settings_(settings),
        rules_(rules_fingerprint(config_, *map_)),
        rows_(static_cast<std::size_t>(settings.games)),
        workers_(settings.threads) {
    reset(settings.seed);
  }

  int32_t games() const { return settings_.games; }
  int32_t players() const { return settings_.players; }
  const Config& config() const { return config_; }
  const Map& map() const { return *map_; }
  Row& row(int32_t game) { return rows_[static_cast<std::size_t>(game)]; }
  Game game(Row& row) const { return {row.state, row.accounts, config_, *map_}; }
  bool is_lost() const { return workers_.is_lost(); }
  uint64_t rules() const { return rules_; }

  // Starts the first episode of every game.
  void reset(int64_t seed) {
    for (int32_t i = 0; i < settings_.games; ++i) start(row(i), add(seed, i));
  }

  // Starts an episode: all players join, and the first tick is played without buttons.
  void start(Row& row, int64_t seed) const {
    row.seed = seed;
    const Game game = this->game(row);
    begin(game);
    row.state.random = Random::seeded(seed);
    for (int32_t i = 0; i < settings_.players; ++i) {
      row.accounts[i] = Account{};
      seat(game, i, i);
    }
    const uint8_t none[kMostPlayers] = {};
    among_them::step(game, none);
  }

  // Advances every game by a tick. A game whose episode has ended starts the next one first.
  void step(const BatchArrays& arrays, bool draws) {
    workers_.share(settings_.games, [&](int32_t i) {
      step_game(arrays, i);
      describe(arrays, i);
      if (draws) draw(arrays, i);
    });
  }

  // Writes the arrays of all games, or of one, as they are now; rewards stay.
  void show(const BatchArrays& arrays) {
    workers_.share(settings_.games, [&](int32_t i) { show(arrays, i); });
  }
  void show(const BatchArrays& arrays, int32_t i) {
    describe(arrays, i);
    draw(arrays, i);
  }

 private:
  // Seeds wrap around.
  static int64_t add(int64_t seed, int64_t count) {
    return static_cast<int64_t>(static_cast<uint64_t>(seed) + static_cast<uint64_t>(count));
  }

  void step_game(const BatchArrays& arrays, int32_t i) {
    Row& row = this->row(i);
    const int32_t players = settings_.players;
    if (row.state.phase == Phase::kGameOver) start(row, add(row.seed, settings_.games));
    int64_t before[kMostPlayers];
    uint8_t masks[kMostPlayers] = {};
    for (int32_t p = 0; p < players; ++p) {
      before[p] = row.accounts[p].reward;
      if (arrays.masks != nullptr) masks[p] = arrays.masks[int64_t{i} * players + p];
    }
    among_them::step(game(row), masks);
    if (arrays.rewards == nullptr) return;
    for (int32_t p = 0; p < players; ++p) {
      arrays.rewards[int64_t{i} * players + p] = static_cast<float>(row.accounts[p].reward - before[p]);
    }
  }

  void describe(const BatchArrays& arrays, int32_t i) {
    const State& s = row(i).state;
    if (arrays.dones != nullptr) arrays.dones[i] = s.phase == Phase::kGameOver;
    if (arrays.outcomes != nullptr) arrays.outcomes[i] = static_cast<int8_t>(outcome(s));
    if (arrays.hashes != nullptr) arrays.hashes[i] = state_hash(s, *map_);
  }

  void draw(const BatchArrays& arrays, int32_t i) {
    if (artist_ == nullptr || (arrays.pixels == nullptr && arrays.packed == nullptr)) return;
    uint8_t own[kPixels];
    for (int32_t p = 0; p < settings_.players; ++p) {
      const int64_t picture = int64_t{i} * settings_.players + p;
      uint8_t* pixels = arrays.pixels != nullptr ? arrays.pixels + picture * static_cast<int64_t>(kPixels) : own;
      artist_->draw(row(i).state, config_, p, pixels);
      if (arrays.packed != nullptr) pack(pixels, arrays.packed + picture * static_cast<int64_t>(kPixels / 2));
    }
  }

  static Outcome outcome(const State& s) {
    if (s.phase != Phase::kGameOver) return Outcome::kRunning;
    if (s.time_limit_reached) return Outcome::kDraw;
    return s.winner == Role::kImposter ? Outcome::kImposters : Outcome::kCrewmates;
  }

  Config config_;
  std::shared_ptr<const Map> map_;
  const Artist* artist_;
  Settings settings_;
  uint64_t rules_;
  std::vector<Row> rows_;
  Workers workers_;
};

}  // namespace bitworld::among_them
