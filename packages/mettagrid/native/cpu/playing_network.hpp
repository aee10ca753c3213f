// A network with fixed weights, for steps without gradients: a first layer, a linear one, an LSTM and the heads in one go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cpu/byte_sums.hpp"
#include "cpu/lstm.hpp"
#include "cpu/token_sums.hpp"

namespace cpu {

// A layer with a copy of its weight [outputs][inputs] and bias [outputs].
class Linear {
 public:
  Linear(const float* weight, const float* bias, int64_t outputs, int64_t inputs) : Linear(bias, outputs, inputs) {
    fill(weight, 0, inputs);
  }
  // Without the weight, which `fill` copies in parts.
  Linear(const float* bias, int64_t outputs, int64_t inputs)
      : outputs_(outputs), panels_(storage_, inputs, outputs), bias_(bias, bias + outputs) {
    resize(bias_, panels_.columns());
  }
  Linear(const Linear&) = delete;

  void fill(const float* weight, int64_t first_input, int64_t inputs) {
    panels_.fill_transposed(weight, inputs, first_input, inputs, outputs_);
  }
  int64_t inputs() const { return panels_.inner(); }
  int64_t outputs() const { return outputs_; }
  int64_t columns() const { return panels_.columns(); }

  // Writes the outputs for [rows][inputs] to out [rows][columns()]; `rows` is a multiple of `kTileRows`.
  template <class Wide>
  MG_INLINE void run(Wide wide, int64_t rows, const float* inputs, float* out) const {
    for (int64_t r = 0; r < rows; ++r) copy(out + r * columns(), bias_.data(), columns());
    panels_.add_product(wide, rows, panels_.inner(), inputs, out);
  }

 private:
  int64_t outputs_;
  Floats storage_;
  Panels panels_;
  Floats bias_;
};

MG_INLINE void relu(float* numbers, int64_t count) {
  for (int64_t i = 0; i < count; ++i) numbers[i] = numbers[i] < 0.0f ? 0.0f : numbers[i];  // NaN stays NaN
}

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
      relu(encoded.data(), rows * second.inputs());
      second.run(wide, height, encoded.data(), out.data());
      if (second_has_relu) relu(out.data(), rows * second.columns());
      for (int64_t r = 0; r < rows; ++r) {
        copy(both.data() + r * lstm.inputs(), out.data() + r * second.columns(), features);
        copy(both.data() + r * lstm.inputs() + features, memory.hidden + (row + r) * size, size);
      }
      lstm.run(wide, height, both.data(), out.data());
      for (int64_t r = 0; r < rows; ++r) {
        float* const cell = memory.next_cell + (row + r) * size;
        copy(cell, memory.cell + (row + r) * size, size);
        activate(size, out.data() + r * lstm.columns(), cell, shown.data() + r * size, nullptr);
      }
      copy(memory.next_hidden + row * size, shown.data(), rows * size);
      heads.run(wide, height, shown.data(), out.data());
      for (int64_t r = 0; r < rows; ++r) {
        copy(outputs + (row + r) * heads.outputs(), out.data() + r * heads.columns(), heads.outputs());
      }
    });
  }
};

// The first layer of the network `sparse`: the sum over the tokens, plus a bias.
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
      for (int64_t j = 0; j < sums.width; ++j) to[j] += bias[j];
    }
  }
};

// The first layer of the network `lstm`: a linear one on bytes, with a scale.
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
  }
};

}  // namespace cpu
