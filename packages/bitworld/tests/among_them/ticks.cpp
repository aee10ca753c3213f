// Plays and draws games of Among Them and prints how often a step allocated memory.
#include <cstdio>
#include <memory>
#include <vector>

#include "../allocations.hpp"
#include "among_them/batch.hpp"

int main() {
  using namespace bitworld;
  using namespace bitworld::among_them;
  constexpr int32_t kGames = 8, kPlayers = 8, kHallSide = 200;
  constexpr int kSteps = 1500;

  auto map = std::make_shared<Map>();
  map->width = map->height = kHallSide;
  map->walk.assign(static_cast<std::size_t>(kHallSide) * kHallSide, 1);
  map->wall.assign(map->walk.size(), 0);
  for (std::size_t i = 0; i < map->walk.size(); i += 37) map->walk[i] = 0, map->wall[i] = 1;
  map->button = {90, 90, 20, 20};
  map->home = {100, 100};
  for (int32_t i = 0; i < 8; ++i) map->tasks.push_back({20 * i, 60, 16, 16});
  map->vents = {{{10, 10, 12, 10}, 0, 1}, {{150, 150, 12, 10}, 0, 2}};

  Config config;
  config.start_wait_ticks = config.role_reveal_ticks = 0;
  config.min_players = kPlayers;
  config.kill_cooldown_ticks = 30;
  config.kill_range = config.report_range = config.vent_range = 60;
  config.vote_timer_ticks = 40;
  config.task_complete_ticks = 5;
  config.max_ticks = 400;

  const std::vector<uint8_t> floor(map->walk.size(), 5);
  const auto art = std::make_unique<Art>(Sprites{}, Font{}, std::array<uint8_t, kPixels>{});
  const Artist artist(map, floor.data(), *art);
  Batch batch(config, map, &artist, {.games = kGames, .players = kPlayers, .threads = 2, .seed = 1});

  std::vector<uint8_t> masks(kGames * kPlayers), pixels(kGames * kPlayers * kPixels), packed(pixels.size() / 2);
  std::vector<float> rewards(masks.size());
  std::vector<int8_t> outcomes(kGames);
  std::vector<uint64_t> hashes(kGames);
  const auto dones = std::make_unique<bool[]>(kGames);
  const BatchArrays arrays{masks.data(),  rewards.data(), dones.get(),  outcomes.data(),
                           hashes.data(), pixels.data(),  packed.data()};
  Random random = Random::seeded(5);
  int episodes = 0;
  batch.step(arrays, true);
  const long before = allocations;
  for (int step = 0; step < kSteps; ++step) {
    for (uint8_t& mask : masks) {
      if (random.below_or_equal(7) == 0) mask = static_cast<uint8_t>(random.below_or_equal(127));
    }
    batch.step(arrays, true);
    for (int32_t i = 0; i < kGames; ++i) episodes += dones[static_cast<std::size_t>(i)];
  }
  std::printf("allocations %ld episodes %d\n", allocations - before, episodes);
}
