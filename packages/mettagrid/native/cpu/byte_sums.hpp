// A linear layer on all bytes of observations, computed from the used tokens: the first layer of the network `lstm`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cpu/products.hpp"
#include "cpu/token_sums.hpp"

namespace cpu {

// A weight [width][3 * tokens] for products with the first bytes of observations; the later ones are padding.
class ByteWeight {
 public:
  ByteWeight(Panels::Storage& panel_storage, Floats& padded_storage, const float* weight, int64_t weight_step, int64_t width,
             int64_t tokens, const std::array<uint8_t, 3>& padding)
      : panels_(panel_storage, Precision::k_float32, 3 * tokens, width), padded_(padded_storage) {
    panels_.fill_transposed(weight, weight_step, 0, 3 * tokens, width);
    padded_.assign(static_cast<std::size_t>((tokens + 1) * columns()), 0.0f);
    for (int64_t column = 0; column < columns(); column += kTileColumns) {
      for (int64_t token = tokens; token-- > 0;) {
        float* const to = padded_.data() + token * columns() + column;
        copy(to, to + columns(), kTileColumns);
        for (std::size_t b = 0; b < 3; ++b) {
          const float* row = panels_.at(3 * token + static_cast<int64_t>(b), column);
          for (int64_t j = 0; j < kTileColumns && padding[b] != 0; ++j) to[j] += row[j] * static_cast<float>(padding[b]);
        }
      }
    }
  }

  const Panels& panels() const { return panels_; }
  int64_t columns() const { return panels_.columns(); }
  // The product with the padding of a token and of all after it.
  const float* padded(int64_t token) const { return padded_.data() + token * columns(); }

 private:
  Panels panels_;
  Floats& padded_;
};

// Unused tokens count as the bytes `padding`. Observations with about as many tokens are multiplied together, up to their
// last token; the padding after it is the same for all of them.
struct ByteSums {
  Observations observations;
  std::array<uint8_t, 3> padding;

  // Memory that can be used again by the next call.
  struct Scratch {
    Panels::Storage panels;
    Floats padded;
    std::vector<int64_t> counts, order;
  };

  // Writes sums [count][width]; `weight` is [width][3 * tokens], its rows `weight_step` apart.
  void run(const float* weight, int64_t weight_step, int64_t width, float* sums, Scratch& scratch, Workers& workers) const {
    sort(scratch);
    const ByteWeight packed(scratch.panels, scratch.padded, weight, weight_step, width, observations.tokens, padding);
    share_rows(workers, observations.count, [&](auto wide, int64_t first, int64_t rows) __attribute__((always_inline)) {
      const int64_t* const order = scratch.order.data() + first;
      Floats out(static_cast<std::size_t>(round_up(rows, kTileRows) * packed.columns()));
      multiply(wide, packed, order, rows, out.data());
      for (int64_t r = 0; r < rows; ++r) copy(sums + order[r] * width, out.data() + r * packed.columns(), width);
    });
  }

  // Writes the products of some observations to out [rows][columns], whose rows are padded to a multiple of `kTileRows`.
  template <class Wide>
  MG_INLINE void multiply(Wide wide, const ByteWeight& weight, const int64_t* numbers, int64_t rows, float* out) const {
    const int64_t columns = weight.columns();
    Floats bytes(static_cast<std::size_t>(kTileRows * 3 * observations.tokens));
    for (int64_t tile = 0; tile < rows; tile += kTileRows) {
      const int64_t last = std::min(rows, tile + kTileRows);
      int64_t tokens = 0;
      for (int64_t r = tile; r < last; ++r) tokens = std::max(tokens, count_tokens(numbers[r]));
      for (int64_t r = tile; r < last; ++r) { read(numbers[r], 0, 3 * tokens, bytes.data() + (r - tile) * 3 * tokens); }
      weight.panels().multiply(wide, kTileRows, 3 * tokens, bytes.data(), 3 * tokens, weight.padded(tokens),
                               out + tile * columns);
    }
  }

  // The number of tokens of an observation up to the last used one.
  int64_t count_tokens(int64_t observation) const {
    const uint8_t* tokens = tokens_of(observation);
    int64_t count = observations.tokens;
    while (count > 0 && tokens[3 * (count - 1)] == TokenTables::kUnused) --count;
    return count;
  }

  // Writes the gradient of the weight [width][3 * tokens], given that of the sums.
  void run_back(const float* of_sums, int64_t width, float* of_weight, Scratch& scratch, Workers& workers) const {
    constexpr int64_t kBlock = 128;
    const int64_t bytes = 3 * observations.tokens, columns = round_up(bytes, kTileColumns);
    sort(scratch);
    const int64_t piece = round_up((width + workers.threads() - 1) / workers.threads(), kTileRows);
    workers.share(static_cast<int32_t>((width + piece - 1) / piece), [&](int32_t number) {
      vectorized([&](auto wide) __attribute__((always_inline)) {
        const int64_t first = number * piece, rows = std::min(piece, width - first);
        Floats sums(static_cast<std::size_t>(rows * columns)), tiles(static_cast<std::size_t>(rows * kBlock));
        Floats panel(std::size_t{kBlock * kTileColumns}), of_padded(static_cast<std::size_t>((observations.tokens + 1) * rows));
        for (int64_t start = 0; start < observations.count; start += kBlock) {
          const int64_t* const order = scratch.order.data() + start;
          const int64_t size = std::min(kBlock, observations.count - start);
          const int64_t tokens = scratch.counts[static_cast<std::size_t>(order[0])];
          float* const total = of_padded.data() + tokens * rows;
          for (int64_t i = 0; i < size; ++i) {
            const float* slopes = of_sums + order[i] * width + first;
            float* const to = tiles.data() + i * kTileRows;
            for (int64_t r = 0; r < rows; r += kTileRows) copy(to + r * kBlock, slopes + r, kTileRows);
            for (int64_t r = 0; r < rows; ++r) total[r] += slopes[r];
          }
          for (int64_t column = 0; column < 3 * tokens; column += kTileColumns) {
            const int64_t used = std::min(kTileColumns, 3 * tokens - column);
            if (used < kTileColumns) clear(panel.data(), kBlock * kTileColumns);
            for (int64_t i = 0; i < size; ++i) read(order[i], column, used, panel.data() + i * kTileColumns);
            for (int64_t r = 0; r < rows; r += kTileRows) {
              float* const to = sums.data() + r * columns + column;
              multiply_tile(wide, tiles.data() + r * kBlock, 1, kTileRows, panel.data(), size, to, columns, to, columns);
            }
          }
        }
        for (int64_t r = 0; r < rows; ++r) {
          float total = 0.0f;  // of the observations in which the token was not multiplied
          for (int64_t token = 0; token < observations.tokens; ++token) {
            total += of_padded[static_cast<std::size_t>(token * rows + r)];
            for (std::size_t b = 0; b < 3; ++b) {
              const int64_t byte = 3 * token + static_cast<int64_t>(b);
              of_weight[(first + r) * bytes + byte] =
                  sums[static_cast<std::size_t>(r * columns + byte)] + total * static_cast<float>(padding[b]);
            }
          }
        }
      });
    });
  }

 private:
  const uint8_t* tokens_of(int64_t observation) const { return observations.data + observation * observations.stride; }

  // Counts the tokens of the observations, and orders them by it, the longest first.
  void sort(Scratch& scratch) const {
    scratch.counts.resize(static_cast<std::size_t>(observations.count));
    std::vector<int64_t> starts(static_cast<std::size_t>(observations.tokens + 2));
    for (int64_t i = 0; i < observations.count; ++i) {
      const int64_t count = count_tokens(i);
      scratch.counts[static_cast<std::size_t>(i)] = count;
      ++starts[static_cast<std::size_t>(observations.tokens - count + 1)];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    scratch.order.resize(static_cast<std::size_t>(observations.count));
    for (int64_t i = 0; i < observations.count; ++i) {
      const int64_t shorter = observations.tokens - scratch.counts[static_cast<std::size_t>(i)];
      scratch.order[static_cast<std::size_t>(starts[static_cast<std::size_t>(shorter)]++)] = i;
    }
  }

  // Writes `count` bytes of an observation as numbers, from byte `first` on.
  MG_INLINE void read(int64_t observation, int64_t first, int64_t count, float* to) const {
    const uint8_t* const bytes = tokens_of(observation);
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(bytes[first + i]);
    for (int64_t token = first / 3; 3 * token < first + count; ++token) {
      if (bytes[3 * token] != TokenTables::kUnused) continue;
      for (int64_t byte = std::max(first, 3 * token); byte < std::min(first + count, 3 * token + 3); ++byte) {
        to[byte - first] = static_cast<float>(padding[static_cast<std::size_t>(byte - 3 * token)]);
      }
    }
  }
};

}  // namespace cpu
