// A network with fixed weights, for steps without gradients: a first layer, a linear one, an LSTM and the heads in one go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cpu/byte_sums.hpp"
#include "cpu/linear.hpp"
#include "cpu/lstm.hpp"
#include "cpu/token_sums.hpp"

namespace cpu {

struct PlayingNetwork {
  const Linear& second;
  bool second_has_relu;
  const Linear& lstm;  // from [outputs of the second layer, hidden state] to the gates
  const Linear& heads;

  struct Memory {
    const float *hidden, *cell;      // [count][size], before the step
    float *next_hidden, *next_cell;  // after it
  };

  // Writes outputs [count][outputs of the heads]. `first(wide, row, rows, out)` writes the first layer of some observations to
  // out [rows][second.inputs()].
  template <class First>
  void step(int64_t count, const First& first, const Memory& memory, float* outputs, Workers& workers) const {
    const int64_t size = lstm.outputs() / 4, features = lstm.inputs() - size;
    share_rows(workers, count, [&](auto wide, int64_t row, int64_t rows) __attribute__((always_inline)) {
      const int64_t height = round_up(rows, kTileRows);
      const int64_t widest = std::max({second.columns(), lstm.columns(), heads.columns()});
      Floats encoded(static_cast<std::size_t>(height * second.inputs())), out(static_cast<std::size_t>(height * widest));
      Floats both(static_cast<std::size_t>(height * lstm.inputs())), shown(static_cast<std::size_t>(height * size));
      first(wide, row, rows, encoded.data());
      second.run(wide, height, encoded.data(), out.data());
      if (second_has_relu) relu(out.data(), rows * second.columns());
      for (int64_t r = 0; r < rows; ++r) {
        copy(both.data() + r * lstm.inputs(), out.data() + r * second.columns(), features);
        copy(both.data() + r * lstm.inputs() + features, memory.hidden + (row + r) * size, size);
      }
      lstm.run(wide, height, both.data(), out.data());
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t place = (row + r) * size;
        activate(size, out.data() + r * lstm.columns(), memory.cell + place, memory.next_cell + place, shown.data() + r * size,
                 static_cast<float*>(nullptr));
      }
      copy(memory.next_hidden + row * size, shown.data(), rows * size);
      heads.run(wide, height, shown.data(), out.data());
      for (int64_t r = 0; r < rows; ++r) {
        copy(outputs + (row + r) * heads.outputs(), out.data() + r * heads.columns(), heads.outputs());
      }
    });
  }
};

// The first layer of the network `sparse`: the sum over the tokens, plus a bias, and ReLU.
struct TokenLayer {
  const TokenSums& sums;
  const float* magnitudes;
  const float* bias;

  template <class Wide>
  MG_INLINE void operator()(Wide, int64_t row, int64_t rows, float* out) const {
    TokenSums::Terms terms(sums.observations.tokens);
    for (int64_t r = 0; r < rows; ++r) {
      float* const to = out + r * sums.width;
      sums.sum(row + r, magnitudes, terms, to);
      sums.add_relu(bias, to);
    }
  }
};

// The first layer of the network `lstm`: a linear one on bytes, with a scale, and ReLU.
struct ByteLayer {
  const ByteSums& sums;
  const ByteWeight& weight;
  int64_t width;
  float scale;
  const float* bias;

  template <class Wide>
  MG_INLINE void operator()(Wide wide, int64_t row, int64_t rows, float* out) const {
    std::vector<int64_t> numbers(static_cast<std::size_t>(rows));
    std::iota(numbers.begin(), numbers.end(), row);
    Floats products(static_cast<std::size_t>(round_up(rows, kTileRows) * weight.columns()));
    sums.multiply(wide, weight, numbers.data(), rows, products.data());
    for (int64_t r = 0; r < rows; ++r) {
      const float* const from = products.data() + r * weight.columns();
      for (int64_t j = 0; j < width; ++j) out[r * width + j] = from[j] * scale + bias[j];
    }
    relu(out, rows * width);
  }
};

}  // namespace cpu
