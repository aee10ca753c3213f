// Shortest paths by waves of cells: `Grid.search` of `cogames.policy.cells`, with the same choice among equal paths.
#pragma once

#include "memory.hpp"

namespace starter {

class Search {
 public:
  Board targets;  // to fill before a search
  Board avoided;  // for the caller

  // Returns whether there is a path from a cell to the nearest target over cells that are free, not in `except` (which
  // may be null), and inside; `route` has its headings. A target need not be free. The start must not be a target.
  bool run(const Memory& memory, Spot start, const Board* except, std::vector<Heading>& route) {
    const Grid& grid = *memory.grid;
    const int words = grid.words, start_row = grid.row(start), start_col = grid.col(start);
    const size_t size = static_cast<size_t>(grid.width * words);
    if (open_.size() < size) {
      open_.resize(size);
      for (std::vector<uint64_t>& wave : waves_) wave.resize(size);
    }
    first_ = start_row + 1;
    last_ = start_row;
    const auto prepare = [&](int row) {
      uint64_t* const open = &open_[static_cast<size_t>(row * words)];
      const bool is_inside = grid.is_row_inside(row);
      const uint64_t* const blocked = memory.blocked(row);
      const uint64_t* const wanted = targets.row(grid, row);
      for (int word = 0; word < words; ++word) {
        uint64_t free = ~blocked[word];
        if (except) free &= ~except->row(grid, row)[word];
        open[word] = is_inside ? (free | wanted[word]) & grid.cols_inside[static_cast<size_t>(word)] : 0;
      }
      for (std::vector<uint64_t>& wave : waves_) std::fill_n(&wave[static_cast<size_t>(row * words)], words, 0);
    };
    const auto extend = [&](int first, int last) {
      while (first_ > first) prepare(--first_);
      while (last_ < last) prepare(++last_);
    };
    extend(start_row, start_row);
    flip(&waves_[0][static_cast<size_t>(start_row * words)], words, start_col, 1);
    if (bit(&open_[static_cast<size_t>(start_row * words)], start_col))
      flip(&open_[static_cast<size_t>(start_row * words)], words, start_col, 1);
    // A wave is three boards in turn: the cells of earlier waves in the same board have no open neighbours left.
    int first = start_row, last = start_row;  // rows of the newest wave
    for (int number = 0; first <= last; ++number) {
      const int top = std::max(first - 1, 0), bottom = std::min(last + 1, grid.width - 1);
      extend(std::max(top - 1, 0), std::min(bottom + 1, grid.width - 1));
      const int first_word = std::max(start_col - number - 1, 0) >> 6;
      const int last_word = std::min(start_col + number + 1, grid.width - 1) >> 6;
      const uint64_t* const wave = waves_[static_cast<size_t>(number % 3)].data();
      uint64_t* const next = waves_[static_cast<size_t>((number + 1) % 3)].data();
      first = grid.width;
      last = -1;
      for (int row = std::max(top, 1); row <= std::min(bottom, grid.width - 2); ++row) {
        const ptrdiff_t at = row * words;
        uint64_t any = 0;
        for (int word = first_word; word <= last_word; ++word) {
          const uint64_t* const cell = wave + at + word;
          uint64_t reached = *cell << 1 | *cell >> 1 | cell[-words] | cell[words];
          if (word > first_word) reached |= cell[-1] >> 63;
          if (word < last_word) reached |= cell[1] << 63;
          reached &= open_[static_cast<size_t>(at + word)];
          if (!reached) continue;
          any |= reached;
          open_[static_cast<size_t>(at + word)] ^= reached;
          next[at + word] |= reached;
          const uint64_t hit = reached & targets.row(grid, row)[word];
          if (hit) {
            walk_back(grid, row, 64 * word + std::countr_zero(hit), number, route);
            return true;
          }
        }
        if (!any) continue;
        first = std::min(first, row);
        last = row;
      }
    }
    return false;
  }

  // After a search without a path: the cells that it reached, and their neighbours.
  void reached(const Grid& grid, Board& out) const {
    out.clear(grid);
    const auto cells = [&](int row, int word) -> uint64_t {
      if (row < first_ || row > last_ || word < 0 || word >= grid.words) return 0;
      const size_t at = static_cast<size_t>(row * grid.words + word);
      return waves_[0][at] | waves_[1][at] | waves_[2][at];
    };
    for (int row = first_; row <= last_; ++row) {
      for (int word = 0; word < grid.words; ++word) {
        const uint64_t now = cells(row, word);
        out.row(grid, row)[word] = now | now << 1 | now >> 1 | cells(row, word - 1) >> 63 | cells(row, word + 1) << 63 |
                                   cells(row - 1, word) | cells(row + 1, word);
      }
    }
  }

 private:
  // From a cell that the wave after `number` reached.
  void walk_back(const Grid& grid, int row, int col, int number, std::vector<Heading>& route) const {
    route.clear();
    for (; number >= 0; --number) {
      const uint64_t* const wave = waves_[static_cast<size_t>(number % 3)].data();
      for (int heading = 0; heading < kHeadings; ++heading) {
        const int from_row = row - kRowStep[heading], from_col = col - kColStep[heading];
        if (from_row < first_ || from_row > last_ || !bit(wave + from_row * grid.words, from_col)) continue;
        route.push_back(static_cast<Heading>(heading));
        row = from_row;
        col = from_col;
        break;
      }
    }
    std::reverse(route.begin(), route.end());
  }

  std::vector<uint64_t> open_;                  // cells that may be reached and have not been
  std::array<std::vector<uint64_t>, 3> waves_;  // cells by their distance modulo 3
  int first_ = 0, last_ = -1;                   // rows that are in use
};

}  // namespace starter
