// Which pixels of a picture a player sees.
//
// The rule: from the player's point, a line goes to every pixel of the window. With n = max(|dx|, |dy|), it passes the points
// (dx * s / n, dy * s / n) for 0 < s < n, truncated toward zero. The pixel is hidden if one of them is a wall; outside of the
// map is wall.
//
// Walking every line is slow. Instead, each of the eight octants is swept once, away from the player. In an octant, a pixel
// is (n, m) with 0 <= m <= n, its direction is m / n, and its line passes (s, floor(s * m / n)). So the wall cell (s, j) hides
// exactly the directions in [j / s, (j + 1) / s) from distance s + 1 on. The sweep keeps the directions still open as
// disjoint intervals, and the visible pixels at distance n are those with m / n in one of them. The result is the same for
// every pixel.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "among_them/map.hpp"
#include "core/canvas.hpp"

namespace bitworld::among_them {

// The place of the player's point in the window.
inline constexpr int32_t kOriginX = 60;
inline constexpr int32_t kOriginY = 66;

inline constexpr int32_t kReachLeft = kOriginX;
inline constexpr int32_t kReachRight = kSide - 1 - kOriginX;
inline constexpr int32_t kReachUp = kOriginY;
inline constexpr int32_t kReachDown = kSide - 1 - kOriginY;

// Every point of the window of a player on the map is inside the map and its margin.
inline constexpr int32_t kMargin = 72;

// One bit for each pixel of the window; bit x % 64 of word x / 64 is column x.
struct Sight {
  uint64_t rows[kSide][2];

  bool sees(int32_t x, int32_t y) const {
    if (x < 0 || y < 0 || x >= kSide || y >= kSide) return false;
    return (rows[y][x >> 6] >> (x & 63) & 1) != 0;
  }
};

// The walls as lines of bits: the rows of the map and its columns, each in both directions.
class WallBits {
 public:
  WallBits() = default;
  explicit WallBits(const Map& map) : width_(map.width + 2 * kMargin), height_(map.height + 2 * kMargin) {
    right_.reset(height_, width_);
    left_.reset(height_, width_);
    down_.reset(width_, height_);
    up_.reset(width_, height_);
    for (int32_t y = 0; y < height_; ++y) {
      for (int32_t x = 0; x < width_; ++x) {
        if (!map.is_wall(x - kMargin, y - kMargin)) continue;
        right_.set(y, x);
        left_.set(y, width_ - 1 - x);
        down_.set(x, y);
        up_.set(x, height_ - 1 - y);
      }
    }
  }

  // Finds what a player at (x, y), a point of the map, sees.
  void look(int32_t x, int32_t y, Sight& sight) const {
    x += kMargin;
    y += kMargin;
    const int32_t mirror_x = width_ - 1 - x;
    const int32_t mirror_y = height_ - 1 - y;
    // Rows and columns of the four quadrants; index 0 is the line through the player. Bits count away from the player.
    std::array<uint64_t, kLines> up_right{}, up_left{}, down_right{}, down_left{};
    std::array<uint64_t, kLines> right_up{}, right_down{}, left_up{}, left_down{};
    uint32_t diagonal = sweep(right_, y, -1, x, kReachUp, up_right);
    sweep(left_, y, -1, mirror_x, kReachUp, up_left);
    sweep(right_, y, +1, x, kReachDown, down_right);
    sweep(left_, y, +1, mirror_x, kReachDown, down_left);
    diagonal = std::max(diagonal, sweep(up_, x, +1, mirror_y, kReachRight, right_up));
    sweep(down_, x, +1, y, kReachRight, right_down);
    sweep(up_, x, -1, mirror_y, kReachLeft, left_up);
    sweep(down_, x, -1, y, kReachLeft, left_down);

    const std::array<uint64_t, 4> far_up = {right_up[64], right_up[65], right_up[66], right_up[67]};
    const std::array<uint64_t, 4> far_down = {right_down[64], right_down[65], right_down[66], right_down[67]};
    transpose(right_up);
    transpose(right_down);
    transpose(left_up);
    transpose(left_down);
    for (int32_t n = 0; n <= kReachUp; ++n) {
      const auto line = static_cast<std::size_t>(n);
      const bool is_near = n < 64;
      const uint64_t right = up_right[line] | (is_near ? right_up[line] : 0);
      const uint64_t left = up_left[line] | (is_near ? left_up[line] : 0);
      compose(left, right, is_near ? far_bits(far_up, n) : 0, sight.rows[kOriginY - n]);
    }
    for (int32_t n = 1; n <= kReachDown; ++n) {
      const auto line = static_cast<std::size_t>(n);
      compose(down_left[line] | left_down[line], down_right[line] | right_down[line], far_bits(far_down, n),
              sight.rows[kOriginY + n]);
    }
    sight.rows[kOriginY][kOriginX >> 6] |= uint64_t{1} << (kOriginX & 63);
    // A line of bits is 64 long, but the top right corner is a few pixels further away. Most often a wall is before it.
    if (diagonal <= kFractions[kReachRight][63]) return;
    for (int32_t dy = 64; dy <= kReachUp; ++dy) {
      for (int32_t dx = 64; dx <= kReachRight; ++dx) {
        const int32_t column = kOriginX + dx;
        if (is_open(x, y, dx, -dy)) sight.rows[kOriginY - dy][column >> 6] |= uint64_t{1} << (column & 63);
      }
    }
  }

 private:
  static constexpr std::size_t kLines = 68;
  static_assert(kReachRight < static_cast<int32_t>(kLines) && kReachUp < static_cast<int32_t>(kLines));
  static_assert(kReachLeft < 64 && kReachDown < 64);

  // Directions are fractions in units of 2^-20, rounded down. Two different fractions with denominators up to 67 differ by more
  // than 200 units, and n times the rounding error is below 67 units, so the formulas below are exact.
  static constexpr int32_t kUnitBits = 20;
  static constexpr uint32_t kUnit = 1U << kUnitBits;
  static constexpr uint32_t kSlack = 128;
  static constexpr uint32_t kEnd = kUnit + kUnit / 128;  // just after direction 1

  static constexpr auto kFractions = [] {
    std::array<std::array<uint32_t, kLines + 2>, kLines> table{};
    for (uint32_t s = 1; s < kLines; ++s) {
      for (uint32_t j = 0; j < kLines + 2; ++j) table[s][j] = j * kUnit / s;
    }
    return table;
  }();

  static constexpr int32_t ceil_of(int32_t n, uint32_t direction) {
    return static_cast<int32_t>((static_cast<uint32_t>(n) * direction + kUnit - 1) >> kUnitBits);
  }
  static constexpr int32_t floor_of(int32_t n, uint32_t direction) {
    return static_cast<int32_t>((static_cast<uint32_t>(n) * direction + kSlack) >> kUnitBits);
  }
  // Bits from `first` to `end` - 1; both at most 64, first < end.
  static constexpr uint64_t bits_between(int32_t first, int32_t end) {
    return (~uint64_t{0} << first) & (~uint64_t{0} >> (64 - end));
  }

  struct Interval {
    uint32_t begin, end;
  };
  // More than there are fractions in [0, 1] with denominators up to 67.
  static constexpr std::size_t kMostIntervals = 1536;

  class Bits {
   public:
    void reset(int32_t lines, int32_t length) {
      stride_ = static_cast<std::size_t>(length) / 64 + 2;
      words_.assign(static_cast<std::size_t>(lines) * stride_, 0);
    }
    void set(int32_t line, int32_t bit) {
      words_[static_cast<std::size_t>(line) * stride_ + static_cast<std::size_t>(bit >> 6)] |= uint64_t{1} << (bit & 63);
    }
    bool get(int32_t line, int32_t bit) const {
      return (words_[static_cast<std::size_t>(line) * stride_ + static_cast<std::size_t>(bit >> 6)] >> (bit & 63) & 1) != 0;
    }
    // The 64 bits from `bit` on.
    uint64_t from(int32_t line, int32_t bit) const {
      const uint64_t* word = &words_[static_cast<std::size_t>(line) * stride_ + static_cast<std::size_t>(bit >> 6)];
      const int32_t shift = bit & 63;
      return word[0] >> shift | word[1] << 1 << (63 - shift);
    }

   private:
    std::size_t stride_ = 0;
    std::vector<uint64_t> words_;
  };

  // Sweeps an octant: distance s is line `line + s * step`, its cell j is bit `bit + j`. Returns the end of the last interval
  // that is open at the end, 0 if none is.
  static uint32_t sweep(const Bits& walls, int32_t line, int32_t step, int32_t bit, int32_t reach,
                        std::array<uint64_t, kLines>& seen) {
    Interval buffers[2][kMostIntervals];
    Interval* open = buffers[0];
    Interval* next = buffers[1];
    open[0] = {0, kEnd};
    std::size_t count = 1;
    for (int32_t n = 1; n <= reach && count > 0; ++n) {
      line += step;
      const uint64_t wall = walls.from(line, bit);
      uint64_t visible = 0;
      uint64_t hit = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const int32_t first = ceil_of(n, open[i].begin);
        const int32_t end = std::min(ceil_of(n, open[i].end), 64);
        if (first < end) visible |= bits_between(first, end);
        const int32_t cell = floor_of(n, open[i].begin);
        if (cell < end) hit |= wall & bits_between(cell, end);
      }
      seen[static_cast<std::size_t>(n)] = visible;
      if (hit == 0) continue;
      std::size_t kept = 0;
      const auto& fraction = kFractions[static_cast<std::size_t>(n)];
      for (std::size_t i = 0; i < count; ++i) {
        const Interval interval = open[i];
        const int32_t end = ceil_of(n, interval.end);
        int32_t cell = floor_of(n, interval.begin);
        while (cell < end) {
          // Cells from the 64th on count as open: no visible pixel depends on them.
          if (cell < 64) cell += std::countr_one(wall >> cell);
          if (cell >= end) break;
          const uint64_t ahead = cell < 64 ? wall >> cell : 0;
          const int32_t to_wall = ahead == 0 ? end : std::min(end, cell + std::countr_zero(ahead));
          next[kept++] = {std::max(interval.begin, fraction[static_cast<std::size_t>(cell)]),
                          std::min(interval.end, fraction[static_cast<std::size_t>(to_wall)])};
          cell = to_wall;
        }
      }
      count = kept;
      std::swap(open, next);
    }
    return count > 0 ? open[count - 1].end : 0;
  }

  static void transpose(std::array<uint64_t, kLines>& square) {
    uint64_t mask = 0x00000000ffffffffULL;
    for (std::size_t width = 32; width != 0; width >>= 1, mask ^= mask << width) {
      for (std::size_t base = 0; base < 64; base += 2 * width) {
        for (std::size_t k = base; k < base + width; ++k) {
          const uint64_t swapped = ((square[k] >> width) ^ square[k + width]) & mask;
          square[k] ^= swapped << width;
          square[k + width] ^= swapped;
        }
      }
    }
  }

  static constexpr uint64_t reversed(uint64_t bits) {
    bits = (bits >> 1 & 0x5555555555555555ULL) | (bits & 0x5555555555555555ULL) << 1;
    bits = (bits >> 2 & 0x3333333333333333ULL) | (bits & 0x3333333333333333ULL) << 2;
    bits = (bits >> 4 & 0x0f0f0f0f0f0f0f0fULL) | (bits & 0x0f0f0f0f0f0f0f0fULL) << 4;
    return __builtin_bswap64(bits);
  }

  static constexpr uint64_t far_bits(const std::array<uint64_t, 4>& columns, int32_t row) {
    uint64_t bits = 0;
    if ((columns[0] | columns[1] | columns[2] | columns[3]) == 0) return 0;
    for (std::size_t i = 0; i < 4; ++i) bits |= (columns[i] >> row & 1) << i;
    return bits;
  }

  // Joins the pixels left of the player (bit i is column kOriginX - i) and right of it (bit i is column kOriginX + i).
  static void compose(uint64_t left, uint64_t right, uint64_t far, uint64_t* row) {
    static_assert(kOriginX == 60);
    row[0] = reversed(left) >> 3 | right << 60;
    row[1] = right >> 4 | far << 60;
  }

  bool is_open(int32_t x, int32_t y, int32_t dx, int32_t dy) const {
    const int32_t n = std::max(std::abs(dx), std::abs(dy));
    for (int32_t s = 1; s < n; ++s) {
      if (right_.get(y + dy * s / n, x + dx * s / n)) return false;
    }
    return true;
  }

  int32_t width_ = 0, height_ = 0;  // with the margin
  Bits right_, left_, down_, up_;   // rows from left to right and from right to left; columns down and up
};

}  // namespace bitworld::among_them
