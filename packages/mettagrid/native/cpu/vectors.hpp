// Sixteen floats at a time, in the widest registers that the processor has.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cpu/processor.hpp"

namespace cpu {

inline constexpr int32_t kLanes = 16;
typedef float Lanes __attribute__((vector_size(4 * kLanes)));
typedef int32_t IntLanes __attribute__((vector_size(4 * kLanes)));
typedef uint32_t BitLanes __attribute__((vector_size(4 * kLanes)));
typedef uint16_t HalfLanes __attribute__((vector_size(2 * kLanes)));

// A number in bfloat16: the upper half of a float.
using Half = uint16_t;

// By reference, because the calling convention of such a vector depends on the target processor.
MG_INLINE void load(Lanes& to, const float* from) { std::memcpy(&to, from, sizeof(Lanes)); }
MG_INLINE void store(float* to, const Lanes& from) { std::memcpy(to, &from, sizeof(Lanes)); }
MG_INLINE void load(Lanes& to, const Half* from) {
  HalfLanes halves;
  std::memcpy(&halves, from, sizeof halves);
  const BitLanes bits = __builtin_convertvector(halves, BitLanes) << 16;
  std::memcpy(&to, &bits, sizeof to);
}
// Writes the halves as numbers up to 65535. Rounds to the nearest, to even in the middle. NaN stays NaN.
MG_INLINE void round(BitLanes& bits, const Lanes& from) {
  std::memcpy(&bits, &from, sizeof bits);
  bits += 0x7FFFu + (bits >> 16 & 1u);
  bits = from == from ? bits >> 16 : BitLanes{} + 0x7FC0u;
}
MG_INLINE void store(Half* to, const Lanes& from) {
  BitLanes bits;
  round(bits, from);
  const HalfLanes halves = __builtin_convertvector(bits, HalfLanes);
  std::memcpy(to, &halves, sizeof halves);
}

// x = exp(x), to about one unit in the last place, for x cut to [-87, 88]. NaN stays NaN.
MG_INLINE void exponential(Lanes& x) {
  constexpr float kLogOfTwoHigh = 0.693359375f, kLogOfTwoLow = -2.12194440e-4f;
  const Lanes zero = {};
  x = x < -87.0f ? zero - 87.0f : x;
  x = x > 88.0f ? zero + 88.0f : x;
  // x = whole * log(2) + rest; the rest is at most half of log(2), where the series is exact enough.
  const Lanes powers = x * 1.44269504f;
  const IntLanes whole = __builtin_convertvector(powers + (powers < 0.0f ? zero - 0.5f : zero + 0.5f), IntLanes);
  const Lanes power = __builtin_convertvector(whole, Lanes);
  const Lanes rest = (x - power * kLogOfTwoHigh) - power * kLogOfTwoLow;
  Lanes sum = rest * 1.9841270e-4f + 1.3888889e-3f;
  sum = sum * rest + 8.3333333e-3f;
  sum = sum * rest + 4.1666667e-2f;
  sum = sum * rest + 1.6666667e-1f;
  sum = sum * rest + 0.5f;
  sum = sum * (rest * rest) + rest + 1.0f;
  const IntLanes bits = (whole + 127) << 23;
  Lanes scale;
  std::memcpy(&scale, &bits, sizeof scale);
  x = sum * scale;
}

MG_INLINE void sigmoid(Lanes& x) {
  x = -x;
  exponential(x);
  x = 1.0f / (1.0f + x);
}

MG_INLINE void tanh(Lanes& x) {
  x = -2.0f * x;
  exponential(x);
  x = 2.0f / (1.0f + x) - 1.0f;
}

// Calls `work(wide)`, compiled for this processor; `work` and all that it calls must be MG_INLINE. `wide` is
// std::true_type where the processor has 32 registers for `Lanes`.
#if defined(__x86_64__)
template <class Work>
__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,fma"))) void with_avx512(const Work& work) {
  work(std::true_type{});
}
template <class Work>
__attribute__((target("avx2,fma"))) void with_avx2(const Work& work) {
  work(std::false_type{});
}
template <class Work>
void vectorized(const Work& work) {
  static const Processor processor = detect_processor();
  if (processor.avx512) return with_avx512(work);
  if (processor.avx2) return with_avx2(work);
  work(std::false_type{});
}
#else
template <class Work>
void vectorized(const Work& work) {
  work(std::false_type{});
}
#endif

}  // namespace cpu
