// Plays and draws games of infinite blocks and prints how often a tick allocated memory.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../allocations.hpp"
#include "infinite_blocks/batch.hpp"

int main() {
  using namespace bitworld;
  using namespace bitworld::infinite_blocks;
  constexpr int kWorlds = 8, kPlayers = 2, kTicks = 3000;
  Batch batch(kWorlds, kPlayers, 2, {.width = 16, .height = 24, .fall_ticks = 2, .run = 6});
  std::vector<std::uint8_t> masks(kWorlds * kPlayers), pictures(masks.size() * kScreen * kScreen);
  std::vector<float> rewards(masks.size());
  Random random = Random::seeded(5);
  float total = 0;
  batch.step(masks.data(), rewards.data());
  const long before = allocations;
  for (int tick = 0; tick < kTicks; ++tick) {
    for (std::uint8_t& mask : masks) mask = static_cast<std::uint8_t>(random.below_or_equal(127));
    batch.step(masks.data(), rewards.data());
    if (tick % 20 == 0) batch.draw(pictures.data(), kScreen * kScreen);
    if (tick % 500 == 0) batch.start(tick / 500 % kWorlds, tick);
    for (const float reward : rewards) total += reward;
  }
  std::printf("allocations %ld points %.0f\n", allocations - before, total);
}
