// A flood from one cell, layer by layer, over free and unknown ground. Plans of one decision replay the same layers.
#pragma once

#include <span>

#include "chart.hpp"

namespace planner {

struct Reached {
  int32_t number;  // object, or cell
  int32_t steps;
};

class Flood {
 public:
  // Drops the layers: the map may have changed.
  void invalidate() { is_reusable_ = false; }

  // Starts at a cell. Cells in `closed` are not entered. Reuses the layers of the last flood if it had the same start and
  // no closed cells. With `over_known` it does not enter unknown ground.
  void start(const Chart& chart, int origin, const std::vector<int>& closed, bool over_known = false) {
    steps = 0;
    if (is_reusable_ && closed.empty() && !over_known && queue_.front() == origin) return;
    is_reusable_ = closed.empty() && !over_known;
    over_known_ = over_known;
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
    objects_.clear();
    unknown_.clear();
    ends_.assign({{0, 0, 0}, {1, 0, 0}});
  }

  // Reaches all cells one step further, with the objects and unknown cells among them. False at the end.
  bool grow() {
    const size_t reached = layer().cells;
    if (begin() == end() || reached > kMostCells || steps + 2 >= static_cast<int>(kLongest)) return false;
    ++steps;
    if (static_cast<size_t>(steps) + 1 < ends_.size()) return true;
    const uint32_t here = base_ + static_cast<uint32_t>(steps);
    for (size_t next = ends_[static_cast<size_t>(steps) - 1].cells; next < reached; ++next) {
      for (int step : step_) {
        const int cell = queue_[next] + step;
        uint32_t& mark = mark_[static_cast<size_t>(cell)];
        if (mark >= base_) continue;
        switch (chart_->ground(cell)) {
          case kBlocked: break;
          case kObject:
            mark = here;
            objects_.push_back({chart_->object_at(cell), steps});
            break;
          case kUnknown:
            if (over_known_ || is_on_the_rim(cell)) break;
            unknown_.push_back({cell, steps});
            [[fallthrough]];
          case kFree: mark = here; queue_.push_back(cell);
        }
      }
    }
    ends_.push_back({queue_.size(), objects_.size(), unknown_.size()});
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
  const int32_t* begin() const { return queue_.data() + ends_[static_cast<size_t>(steps)].cells; }
  const int32_t* end() const { return queue_.data() + layer().cells; }

  // Everything reached so far, the nearest first.
  std::span<const Reached> objects() const { return {objects_.data(), layer().objects}; }
  std::span<const Reached> unknown() const { return {unknown_.data(), layer().unknown}; }

  int steps = 0;

 private:
  static constexpr uint32_t kLongest = 1 << 13;
  static constexpr size_t kMostCells = 40'000;  // bounds the time of a decision on the largest maps

  struct Layer {
    size_t cells, objects, unknown;  // reached up to its end
  };

  const Layer& layer() const { return ends_[static_cast<size_t>(steps) + 1]; }

  bool is_on_the_rim(int cell) const { return !chart_->contains(chart_->spot(cell)); }

  const Chart* chart_ = nullptr;
  std::vector<uint32_t> mark_;
  std::vector<int32_t> queue_;
  std::vector<Reached> objects_, unknown_;
  std::vector<Layer> ends_;  // of no layer, of the start, and of each further layer
  bool is_reusable_ = false, over_known_ = false;
  uint32_t base_ = 0;
  int step_[kHeadings] = {};
};

}  // namespace planner
