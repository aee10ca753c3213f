// A flood from one cell, layer by layer, over free and unknown ground.
#pragma once

#include "chart.hpp"

namespace planner {

struct Reached {
  int32_t number;  // object, or cell
  int32_t steps;
};

class Flood {
 public:
  // Starts at a cell. Cells in `closed` are not entered.
  void start(const Chart& chart, int origin, const std::vector<int>& closed) {
    if (static_cast<int>(mark_.size()) < chart.size()) mark_.resize(static_cast<size_t>(chart.size()), 0);
    if (base_ > UINT32_MAX - 2 * kLongest) {
      std::fill(mark_.begin(), mark_.end(), 0);
      base_ = 0;
    }
    base_ += kLongest;
    chart_ = &chart;
    for (int heading = 0; heading < kHeadings; ++heading) step_[heading] = chart.step(static_cast<Heading>(heading));
    for (int cell : closed) mark_[static_cast<size_t>(cell)] = base_ + kLongest - 1;
    mark_[static_cast<size_t>(origin)] = base_;
    queue_.clear();
    queue_.push_back(origin);
    next_ = first_ = 0;
    steps = 0;
    objects.clear();
    unknown.clear();
  }

  // Reaches all cells one step further; new objects and unknown cells are appended to the lists. False at the end.
  bool grow() {
    const size_t layer = queue_.size();
    first_ = layer;
    if (next_ == layer || layer > kMostCells || steps + 2 >= static_cast<int>(kLongest)) return false;
    ++steps;
    const uint32_t here = base_ + static_cast<uint32_t>(steps);
    for (; next_ < layer; ++next_) {
      for (int step : step_) {
        const int cell = queue_[next_] + step;
        uint32_t& mark = mark_[static_cast<size_t>(cell)];
        if (mark >= base_) continue;
        switch (chart_->ground(cell)) {
          case kBlocked: break;
          case kObject:
            mark = here;
            objects.push_back({chart_->object_at(cell), steps});
            break;
          case kUnknown:
            if (is_on_the_rim(cell)) break;
            unknown.push_back({cell, steps});
            [[fallthrough]];
          case kFree: mark = here; queue_.push_back(cell);
        }
      }
    }
    return true;
  }

  // The headings from the start to a reached cell, last first.
  void path_to(int cell, std::vector<uint8_t>& path) const {
    path.clear();
    uint32_t mark = mark_[static_cast<size_t>(cell)];
    while (mark > base_) {
      for (int heading = 0; heading < kHeadings; ++heading) {
        const int before = cell - step_[heading];
        if (mark_[static_cast<size_t>(before)] != mark - 1 || chart_->ground(before) == kObject) continue;
        path.push_back(static_cast<uint8_t>(heading));
        cell = before;
        break;
      }
      --mark;
    }
  }

  // The cells of the last layer.
  const int32_t* begin() const { return queue_.data() + first_; }
  const int32_t* end() const { return queue_.data() + queue_.size(); }

  int steps = 0;
  std::vector<Reached> objects, unknown;

 private:
  static constexpr uint32_t kLongest = 1 << 13;
  static constexpr size_t kMostCells = 40'000;  // bounds the time of a decision on the largest maps

  bool is_on_the_rim(int cell) const { return !chart_->contains(chart_->spot(cell)); }

  const Chart* chart_ = nullptr;
  std::vector<uint32_t> mark_;
  std::vector<int32_t> queue_;
  size_t next_ = 0, first_ = 0;
  uint32_t base_ = 0;
  int step_[kHeadings] = {};
};

}  // namespace planner
