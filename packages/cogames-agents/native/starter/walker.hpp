// Walk to a target: reuse a route while it is valid, and get past other cogs; see `cogames.policy.walking`.
#pragma once

#include <memory>

#include "dice.hpp"
#include "search.hpp"

namespace starter {

class Walker {
 public:
  void reset(int seed) {
    seed_ = seed;
    dice_.reset();
    route_.clear();
    failed_version_ = 0;
  }

  static constexpr int kNoWay = kHeadings + 1;

  // Returns the heading that brings the cog closer to a target, or into it; kNowhere to wait for another cog; kNoWay if no
  // path is known or the cog stands on a target. `has` returns whether a cell is a target; `paint` adds all targets to an
  // empty board and returns whether there is any.
  template <typename Has, typename Paint>
  int toward(Memory& memory, Search& search, const Has& has, const Paint& paint) {
    if (!holds(memory, has) && !plan(memory, search, paint, nullptr)) return kNoWay;
    const Heading heading = route_[at_];
    const Spot next = memory.here.step(heading);
    if (std::find(memory.cogs.begin(), memory.cogs.end(), next) != memory.cogs.end()) return around(memory, search, paint);
    return memory.heading = heading;
  }

  int step_aside(Memory& memory) {
    Heading open[kHeadings];
    int count = 0;
    for (int heading = 0; heading < kHeadings; ++heading) {
      const Spot next = memory.here.step(static_cast<Heading>(heading));
      if (memory.is_free(next) && std::find(memory.cogs.begin(), memory.cogs.end(), next) == memory.cogs.end())
        open[count++] = static_cast<Heading>(heading);
    }
    return memory.heading = count ? open[dice().below(count)] : kNowhere;
  }

 private:
  // Whether the route contains the cog's cell, ends at a target and is not blocked.
  template <typename Has>
  bool holds(const Memory& memory, const Has& has) {
    if (route_.empty() || grid_ != memory.grid || !is_on_route(memory.here) || !has(cells_.back())) return false;
    if (clear_version_ == memory.blocked_version) return true;
    for (size_t i = 1; i + 1 < cells_.size(); ++i) {
      if (memory.is_blocked(cells_[i])) return false;
    }
    clear_version_ = memory.blocked_version;
    return true;
  }

  bool is_on_route(Spot here) {
    for (const size_t guess : {at_, at_ + 1}) {
      if (guess < route_.size() && cells_[guess] == here) {
        at_ = guess;
        return true;
      }
    }
    const auto found = std::find(cells_.begin(), cells_.end() - 1, here);
    if (found == cells_.end() - 1) return false;
    at_ = static_cast<size_t>(found - cells_.begin());
    return true;
  }

  // Finds a new route; keeps the old one if there is none.
  template <typename Paint>
  bool plan(const Memory& memory, Search& search, const Paint& paint, const Board* avoided) {
    const Grid& grid = *memory.grid;
    search.targets.clear(grid);
    if (!paint(search.targets) || search.targets.has(grid, memory.here)) return false;
    const bool remembers = !avoided && failed_version_ == memory.blocked_version;
    if (remembers && failed_.has(grid, memory.here) && !reaches_target(grid, search.targets)) return false;
    if (!search.run(memory, memory.here, avoided, found_)) {
      if (avoided) return false;
      search.reached(grid, failed_);
      failed_version_ = memory.blocked_version;
      return false;
    }
    route_.assign(found_.begin(), found_.end());
    cells_.assign(1, memory.here);
    for (const Heading heading : route_) cells_.push_back(cells_.back().step(heading));
    at_ = 0;
    grid_ = &grid;
    clear_version_ = memory.blocked_version;
    return true;
  }

  bool reaches_target(const Grid& grid, const Board& targets) const {
    for (int row = 0; row < grid.width; ++row) {
      for (int word = 0; word < grid.words; ++word) {
        if (failed_.row(grid, row)[word] & targets.row(grid, row)[word]) return true;
      }
    }
    return false;
  }

  // Gets past a cog in the next cell: waits for it, walks around it, or steps aside.
  template <typename Paint>
  int around(Memory& memory, Search& search, const Paint& paint) {
    if (dice().is_below_half()) return memory.heading = kNowhere;
    search.avoided.clear(*memory.grid);
    for (const Spot cog : memory.cogs) search.avoided.add(*memory.grid, cog);
    if (!plan(memory, search, paint, &search.avoided)) return step_aside(memory);
    return memory.heading = route_[0];
  }

  Dice& dice() {
    if (!dice_) dice_ = std::make_unique<Dice>(static_cast<uint32_t>(seed_));
    return *dice_;
  }

  int seed_ = 0;
  std::unique_ptr<Dice> dice_;  // most cogs of a short episode never throw them
  std::vector<Heading> route_;
  std::vector<Spot> cells_;  // of the route, from the first to the target
  size_t at_ = 0;            // index of the cog's cell
  const Grid* grid_ = nullptr;
  uint32_t clear_version_ = 0;   // of the blocked cells for which no cell of the route is blocked
  Board failed_;                 // the cells that the last search without a path reached, and their neighbours,
  uint32_t failed_version_ = 0;  // and its version of the blocked cells; 0 if there was none
  std::vector<Heading> found_;
};

}  // namespace starter
