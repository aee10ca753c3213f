// What the native players share: arrays of many worlds, and threads that play a part of the worlds each.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

using Observations = nanobind::ndarray<const uint8_t, nanobind::ndim<3>, nanobind::c_contig, nanobind::device::cpu>;
using Actions = nanobind::ndarray<int32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

inline void check(const Observations& observations, const Actions& actions) {
  if (observations.shape(0) != actions.shape(0) || observations.shape(2) != 3) {
    throw nanobind::value_error("observations must be uint8 [agents, tokens, 3] and actions int32 [agents]");
  }
}

// Steps all worlds, whose rows lie one after the other, with the same number of agents in each. A world has
// `act(agent, row, tokens, scratch)`; `scratches` grows to one for each thread. The actions do not depend on the threads.
template <typename World, typename Scratch>
void step_all(std::vector<std::unique_ptr<World>>& worlds, std::vector<std::unique_ptr<Scratch>>& scratches,
              const Observations& observations, const Actions& actions, int threads) {
  check(observations, actions);
  if (observations.shape(0) % worlds.size()) throw nanobind::value_error("the worlds must have the same number of agents");
  nanobind::gil_scoped_release release;
  const size_t count = observations.shape(0) / worlds.size(), tokens = observations.shape(1);
  const size_t parts = static_cast<size_t>(std::max(1, threads));
  const auto play = [&](size_t part, Scratch& scratch) {
    for (size_t world = worlds.size() * part / parts; world < worlds.size() * (part + 1) / parts; ++world) {
      for (size_t agent = 0; agent < count; ++agent) {
        const size_t i = world * count + agent;
        actions.data()[i] = worlds[world]->act(static_cast<int>(agent), observations.data() + i * tokens * 3,
                                               static_cast<int>(tokens), scratch);
      }
    }
  };
  while (scratches.size() < parts) scratches.push_back(std::make_unique<Scratch>());
  std::vector<std::thread> running;
  for (size_t part = 1; part < parts; ++part) running.emplace_back(play, part, std::ref(*scratches[part]));
  play(0, *scratches[0]);
  for (std::thread& thread : running) thread.join();
}

// A world by its number; raises IndexError if there is none.
template <typename World>
World& world_of(const std::vector<std::unique_ptr<World>>& worlds, int number) {
  if (number < 0 || static_cast<size_t>(number) >= worlds.size()) {
    throw nanobind::index_error(("there is no world " + std::to_string(number)).c_str());
  }
  return *worlds[static_cast<size_t>(number)];
}
