// Draws from the distributions that the heads of a network describe.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cpu/workers.hpp"

namespace cpu {

// Logits [rows][count], the rows `step` apart.
struct Logits {
  const float* data;
  int64_t rows, count, step;

  // Writes a position per row, drawn with the probabilities of the softmax, and its log-probability, or adds that with `adds`.
  // `uniform` has numbers in [0, 1), [rows][count], the rows `uniform_step` apart.
  void draw(const float* uniform, int64_t uniform_step, int64_t* positions, int64_t positions_step, float* log_probs, bool adds,
            Workers& workers) const {
    constexpr int64_t kPiece = 512;  // a draw takes less time than waking a thread for fewer of them
    workers.share(static_cast<int32_t>((rows + kPiece - 1) / kPiece), [&](int32_t piece) {
      for (int64_t row = piece * kPiece; row < std::min(rows, (piece + 1) * kPiece); ++row) {
        const int64_t position = drawn(data + row * step, uniform + row * uniform_step);
        positions[row * positions_step] = position;
        log_probs[row] = (adds ? log_probs[row] : 0.0f) + log_prob(data + row * step, position);
      }
    });
  }

 private:
  // The largest of logits plus Gumbel noise is distributed like the softmax.
  int64_t drawn(const float* logits, const float* uniform) const {
    constexpr float kSmallest = 1e-20f;
    int64_t best = 0;
    float largest = 0.0f;
    for (int64_t i = 0; i < count; ++i) {
      const float value = logits[i] - std::log(-std::log(std::max(uniform[i], kSmallest)));
      if (i == 0 || value > largest) {
        best = i;
        largest = value;
      }
    }
    return best;
  }

  float log_prob(const float* logits, int64_t position) const {
    const float largest = *std::max_element(logits, logits + count);
    float total = 0.0f;
    for (int64_t i = 0; i < count; ++i) total += std::exp(logits[i] - largest);
    return logits[position] - largest - std::log(total);
  }
};

}  // namespace cpu
