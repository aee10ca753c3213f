// Sorts the rows of a recorder in the order of replays: by field, object and key, and within these by time.
#pragma once

#include <algorithm>
#include <vector>

#include "cpu/recorder.hpp"

namespace cpu {

// Columns of one length, and the objects by number. A tick is the number of ticks that began before the row.
struct SortedRows {
  std::vector<uint8_t> field;
  std::vector<uint32_t> object;
  std::vector<uint16_t> key;
  std::vector<int32_t> tick, value;
  std::vector<int32_t> ids, templates, agents;  // agents: -1 for other objects
};

// A counting sort groups by field and object, in order of time; then the keys of each group are sorted.
class RowSorter {
 public:
  explicit RowSorter(const std::vector<std::pair<const Row*, int64_t>>& pages) : pages_(pages) {
    std::size_t objects = 0;
    for_each([&](const Row& row) { objects = std::max<std::size_t>(objects, row.object + std::size_t{1}); });
    objects_ = objects;
    starts_.assign(kRecordFields * objects_ + 1, 0);
    for_each([&](const Row& row) { ++starts_[bucket(row) + 1]; });
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  }

  SortedRows sorted(int32_t first_tick) const {
    SortedRows out;
    const std::size_t size = starts_.back();
    std::vector<Placed> rows(size);
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    int32_t tick = first_tick - 1;
    for (const auto& [page, count] : pages_) {
      for (const Row* row = page; row < page + count; ++row) {
        if (row->field > Field::k_agent) {
          rows[next[bucket(*row)]++] = Placed{tick, row->value, row->key};
        } else if (row->field == Field::k_tick) {
          ++tick;
        } else {
          meet(*row, out);
        }
      }
    }
    out.field.resize(size);
    out.object.resize(size);
    out.key.resize(size);
    out.tick.resize(size);
    out.value.resize(size);
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(starts_[i]),
                 end = rows.begin() + static_cast<std::ptrdiff_t>(starts_[i + 1]);
      if (begin == end) continue;
      const auto by_key = [](const Placed& x, const Placed& y) { return x.key < y.key; };
      if (!std::is_sorted(begin, end, by_key)) std::stable_sort(begin, end, by_key);
      for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) {
        out.field[k] = static_cast<uint8_t>(i / objects_);
        out.object[k] = static_cast<uint32_t>(i % objects_);
        out.key[k] = rows[k].key;
        out.tick[k] = rows[k].tick;
        out.value[k] = rows[k].value;
      }
    }
    return out;
  }

 private:
  struct Placed {
    int32_t tick, value;
    uint16_t key;
  };

  std::size_t bucket(const Row& row) const { return static_cast<std::size_t>(row.field) * objects_ + row.object; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [page, count] : pages_) {
      for (const Row* row = page; row < page + count; ++row) {
        if (row->field > Field::k_agent) visit(*row);
      }
    }
  }

  // Objects come in the order of their numbers.
  static void meet(const Row& row, SortedRows& out) {
    if (row.field == Field::k_agent) {
      if (row.object < out.agents.size()) out.agents[row.object] = row.value;
      return;
    }
    out.ids.push_back(row.value);
    out.templates.push_back(row.key);
    out.agents.push_back(-1);
  }

  const std::vector<std::pair<const Row*, int64_t>>& pages_;
  std::size_t objects_ = 0;          // or cells, where there are more
  std::vector<std::size_t> starts_;  // [field][object]
};

}  // namespace cpu
