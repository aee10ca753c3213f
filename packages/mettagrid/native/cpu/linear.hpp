// Linear layers: with a copy of the weight for many calls, and with gradients.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/weight_gradients.hpp"

namespace cpu {

MG_INLINE void relu(float* numbers, int64_t count) {
  for (int64_t i = 0; i < count; ++i) numbers[i] = numbers[i] < 0.0f ? 0.0f : numbers[i];  // NaN stays NaN
}

// A layer with a copy of its weight [outputs][inputs] and bias [outputs].
class Linear {
 public:
  Linear(Precision precision, const float* weight, const float* bias, int64_t outputs, int64_t inputs)
      : Linear(precision, bias, outputs, inputs) {
    fill(weight, 0, inputs);
  }
  // Without the weight, which `fill` copies in parts.
  Linear(Precision precision, const float* bias, int64_t outputs, int64_t inputs)
      : outputs_(outputs), panels_(storage_, precision, inputs, outputs), bias_(bias, bias + outputs) {
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
    panels_.multiply(wide, rows, panels_.inner(), inputs, panels_.inner(), bias_.data(), out);
  }

 private:
  int64_t outputs_;
  Panels::Storage storage_;
  Panels panels_;
  Floats bias_;
};

// A linear layer, with or without ReLU, on inputs [rows][columns].
struct LinearLayer {
  Precision precision;
  bool has_relu;
  int64_t rows, columns, outputs;
  const float* inputs;
  const float* weight;  // [outputs][columns]

  // Memory that can be used again by the next call.
  struct Scratch {
    Panels::Storage panels;
    Floats slopes;
  };
  struct Gradients {
    float* inputs;
    float* weight;
    float* bias;
  };

  // Writes out [rows][outputs]; `bias` is [outputs].
  void run(const float* bias, float* out, Workers& workers) const {
    const Linear layer(precision, weight, bias, outputs, columns);
    share_rows(workers, rows, [&](auto wide, int64_t first, int64_t count) __attribute__((always_inline)) {
      const int64_t padded = round_up(count, kTileRows);
      Floats in(static_cast<std::size_t>(padded * columns)), sums(static_cast<std::size_t>(padded * layer.columns()));
      copy(in.data(), inputs + first * columns, count * columns);
      layer.run(wide, padded, in.data(), sums.data());
      if (has_relu) relu(sums.data(), count * layer.columns());
      for (int64_t r = 0; r < count; ++r) copy(out + (first + r) * outputs, sums.data() + r * layer.columns(), outputs);
    });
  }

  // Writes the gradients, given that of the outputs [rows][outputs]; `out` is what `run` wrote.
  void run_back(const float* out, const float* of_out, const Gradients& of, Scratch& scratch, Workers& workers) const {
    Panels panels(scratch.panels, precision, outputs, columns);
    panels.fill(weight, 0, 0, outputs, columns);
    resize(scratch.slopes, round_up(rows, kTileRows) * outputs);
    float* const slopes = scratch.slopes.data();
    share_rows(workers, rows, [&](auto wide, int64_t first, int64_t count) __attribute__((always_inline)) {
      for (int64_t i = first * outputs; i < (first + count) * outputs; ++i) {
        slopes[i] = has_relu && out[i] <= 0.0f ? 0.0f : of_out[i];
      }
      const int64_t padded = round_up(count, kTileRows);
      Floats sums(static_cast<std::size_t>(padded * panels.columns()));
      const Floats nothing(static_cast<std::size_t>(panels.columns()));
      panels.multiply(wide, padded, outputs, slopes + first * outputs, outputs, nothing.data(), sums.data());
      for (int64_t r = 0; r < count; ++r) copy(of.inputs + (first + r) * columns, sums.data() + r * panels.columns(), columns);
    });
    const auto row = [&](int64_t i) { return inputs + i * columns; };
    if (precision == Precision::k_bfloat16 && bfloat16::is_available()) {
      weight_gradients<PairBlock>(slopes, rows, outputs, of.bias, workers, WeightGradient{row, columns, of.weight});
    } else {
      weight_gradients<FloatBlock>(slopes, rows, outputs, of.bias, workers, WeightGradient{row, columns, of.weight});
    }
  }
};

}  // namespace cpu
