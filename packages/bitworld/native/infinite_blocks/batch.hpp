// Many worlds that step together over threads. The caller owns inputs, rewards and pictures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/workers.hpp"
#include "infinite_blocks/picture.hpp"
#include "infinite_blocks/world.hpp"

namespace bitworld::infinite_blocks {

class Batch {
 public:
  Batch(int worlds, int players, int threads, const Rules& rules)
      : players_(players), held_(static_cast<std::size_t>(worlds) * static_cast<std::size_t>(players)), workers_(threads) {
    worlds_.reserve(static_cast<std::size_t>(worlds));
    for (int i = 0; i < worlds; ++i) {
      worlds_.emplace_back(rules, 0);
      start(i, i + 1);
    }
  }

  int worlds() const { return static_cast<int>(worlds_.size()); }
  int players() const { return players_; }
  bool is_lost() const { return workers_.is_lost(); }
  const World& world(int index) const { return worlds_[static_cast<std::size_t>(index)]; }

  // Begins a new game in one world and plays its first tick, in which the pieces appear.
  void start(int index, std::int64_t seed) {
    World& world = worlds_[static_cast<std::size_t>(index)];
    world.restart();
    world.reseed(seed);
    for (int slot = 0; slot < players_; ++slot) world.add_player(slot);
    std::fill_n(held_.begin() + index * players_, players_, std::uint8_t{0});
    world.step(held_.data() + index * players_, held_.data() + index * players_);
  }

  // `masks` and `rewards` are [worlds, players]; a reward is what the tick added to the score.
  void step(const std::uint8_t* masks, float* rewards) {
    workers_.share(worlds(), [&](int i) {
      World& world = worlds_[static_cast<std::size_t>(i)];
      const int first = i * players_;
      std::array<std::uint8_t, kMaxPlayers> pressed;
      for (int player = 0; player < players_; ++player) {
        std::uint8_t& held = held_[static_cast<std::size_t>(first + player)];
        pressed[static_cast<std::size_t>(player)] = static_cast<std::uint8_t>(masks[first + player] & ~held);
        held = masks[first + player];
        rewards[first + player] = -static_cast<float>(world.players()[static_cast<std::size_t>(player)].score);
      }
      world.step(masks + first, pressed.data());
      for (int player = 0; player < players_; ++player) {
        rewards[first + player] += static_cast<float>(world.players()[static_cast<std::size_t>(player)].score);
      }
    });
  }

  // `pictures` is [worlds, players, 128, 128], with `stride` bytes from one picture to the next.
  void draw(std::uint8_t* pictures, std::size_t stride) {
    workers_.share(worlds() * players_, [&](int i) {
      Picture(pictures + static_cast<std::size_t>(i) * stride).draw(world(i / players_), i % players_);
    });
  }

 private:
  int players_;
  std::vector<World> worlds_;
  std::vector<std::uint8_t> held_;  // [worlds, players] masks of the last tick
  Workers workers_;
};

}  // namespace bitworld::infinite_blocks
