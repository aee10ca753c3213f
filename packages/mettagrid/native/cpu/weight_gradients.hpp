// The gradients of the weights of linear layers: products over all rows of a batch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "cpu/products.hpp"

namespace cpu {

// A weight [outputs][columns] that was multiplied with rows of inputs, and the place of its gradient. Row i is
// inputs(i), contiguous; a null pointer is zeros.
template <class Inputs>
struct WeightGradient {
  Inputs inputs;
  int64_t columns;
  float* of_weight;
};

// Copies of some rows of both sides, in the order in which they are multiplied: in tiles of `kTileRows` outputs, and in
// panels of `kTileColumns` inputs. With other orders few cache lines would be used again and again.
struct FloatBlock {
  using Number = float;
  static constexpr int64_t kNumbers = 128, kRows = kNumbers;  // both copies stay in the cache

  static MG_INLINE void copy_outputs(const float* from, int64_t step, int64_t rows, int64_t outputs, float* tiles) {
    for (int64_t i = 0; i < rows; ++i, from += step, tiles += kTileRows) {
      for (int64_t j = 0; j < outputs; j += kTileRows) copy(tiles + j * kNumbers, from + j, std::min(kTileRows, outputs - j));
    }
  }
  template <class Inputs>
  static MG_INLINE void copy_inputs(const Inputs& inputs, int64_t first, int64_t rows, int64_t column, int64_t columns,
                                    float* panel) {
    for (int64_t i = 0; i < rows; ++i, panel += kTileColumns) {
      const float* const from = inputs(first + i);
      if (from == nullptr) {
        clear(panel, columns);
      } else {
        copy(panel, from + column, columns);
      }
    }
  }
  template <class Wide>
  static MG_INLINE void add_tile(Wide wide, const float* tile, const float* panel, int64_t rows, float* sums, int64_t step) {
    multiply_tile(wide, tile, 1, kTileRows, panel, rows, sums, step, sums, step);
  }
};
struct PairBlock {
  using Number = bfloat16::Pair;
  static constexpr int64_t kNumbers = 128, kRows = 2 * kNumbers;

  template <class Output>
  static MG_INLINE void copy_outputs(const Output* from, int64_t step, int64_t rows, int64_t outputs, Number* tiles) {
    constexpr int64_t kPart = 512;
    std::array<Number, kPart> line;
    for (int64_t i = 0; i < rows; i += 2, from += 2 * step, tiles += kTileRows) {
      for (int64_t part = 0; part < outputs; part += kPart) {
        const int64_t count = std::min(kPart, outputs - part);
        bfloat16::round_rows(from + part, i + 1 < rows ? from + step + part : nullptr, count, line.data());
        for (int64_t j = 0; j < count; j += kTileRows) {
          copy(tiles + (part + j) * kNumbers, line.data() + j, std::min(kTileRows, count - j));
        }
      }
    }
  }
  template <class Inputs>
  static MG_INLINE void copy_inputs(const Inputs& inputs, int64_t first, int64_t rows, int64_t column, int64_t columns,
                                    Number* panel) {
    for (int64_t i = 0; i < rows; i += 2, panel += kTileColumns) {
      const float* const one = inputs(first + i);
      const float* const two = i + 1 < rows ? inputs(first + i + 1) : nullptr;
      bfloat16::round_rows(one == nullptr ? nullptr : one + column, two == nullptr ? nullptr : two + column, columns, panel);
    }
  }
  template <class Wide>
  static MG_INLINE void add_tile(Wide, const Number* tile, const Number* panel, int64_t rows, float* sums, int64_t step) {
    bfloat16::multiply(kTileRows, tile, 1, kTileRows, panel, (rows + 1) / 2, sums, step, sums, step);
  }
};

// Adds up rows [rows][count] that are `step` apart.
template <class Number>
MG_INLINE void add_rows(const Number* from, int64_t step, int64_t rows, int64_t count, float* total) {
  int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    Lanes sum, numbers;
    load(sum, total + j);
    for (int64_t i = 0; i < rows; ++i) {
      load(numbers, from + i * step + j);
      sum += numbers;
    }
    store(total + j, sum);
  }
  if constexpr (std::is_same_v<Number, float>) {
    for (; j < count; ++j) {
      for (int64_t i = 0; i < rows; ++i) total[j] += from[i * step + j];
    }
  }
}

// Writes the gradients of weights and of their bias [outputs], given that of the outputs [rows][outputs] to which all of the
// weights add. `outputs` is a multiple of `kLanes` if it is in halves, which only bfloat16 reads.
//
// Each thread has its own outputs, so that the order of additions does not depend on the number of threads.
template <class Block, class Output, class... Weights>
void weight_gradients(const Output* of_outputs, int64_t rows, int64_t outputs, float* of_bias, Workers& workers,
                      const Weights&... weights) {
  const int64_t piece = round_up((outputs + workers.threads() - 1) / workers.threads(), int64_t{kLanes});
  workers.share(static_cast<int32_t>((outputs + piece - 1) / piece), [&](int32_t number) {
    vectorized([&](auto wide) __attribute__((always_inline)) {
      using Numbers = std::vector<typename Block::Number>;
      const int64_t offset = number * piece, count = std::min(piece, outputs - offset), padded = round_up(count, kTileRows);
      const int64_t width = (round_up(weights.columns, kTileColumns) + ...);
      Floats sums(static_cast<std::size_t>(padded * width)), total(static_cast<std::size_t>(count));
      Numbers tiles(static_cast<std::size_t>(padded * Block::kNumbers)), panel(std::size_t{Block::kNumbers * kTileColumns});
      for (int64_t first = 0; first < rows; first += Block::kRows) {
        const int64_t size = std::min(Block::kRows, rows - first);
        const Output* const from = of_outputs + first * outputs + offset;
        Block::copy_outputs(from, outputs, size, count, tiles.data());
        add_rows(from, outputs, size, count, total.data());
        float* to = sums.data();
        const auto add = [&](const auto& weight) __attribute__((always_inline)) {
          for (int64_t column = 0; column < weight.columns; column += kTileColumns, to += kTileColumns) {
            const int64_t used = std::min(kTileColumns, weight.columns - column);
            Block::copy_inputs(weight.inputs, first, size, column, used, panel.data());
            for (int64_t j = 0; j < padded; j += kTileRows) {
              Block::add_tile(wide, tiles.data() + j * Block::kNumbers, panel.data(), size, to + j * width, width);
            }
          }
        };
        (add(weights), ...);
      }
      const float* from = sums.data();
      const auto write = [&](const auto& weight) __attribute__((always_inline)) {
        for (int64_t j = 0; j < count; ++j) {
          copy(weight.of_weight + (offset + j) * weight.columns, from + j * width, weight.columns);
        }
        from += round_up(weight.columns, kTileColumns);
      };
      (write(weights), ...);
      copy(of_bias + offset, total.data(), count);
    });
  });
}

}  // namespace cpu
