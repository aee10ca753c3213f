// Basic tools of the rules: macros for functions that must also compile for a GPU, spans, bits, exact integer roots.
// Nothing here allocates, throws, or depends on a standard library beyond fixed-width integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

// MG_CALL: a large function that several others call. A GPU compiler would otherwise paste it into each of them, which takes
// minutes; the CPU's compiler decides for itself. MG_RARE: a rarely called part of a frequent function; kept out of it, so that
// it does not cost registers there. MG_INLINE: a part of functions for several kinds of processors; on the CPU only.
#if defined(__CUDACC__)
#define MG_FN __host__ __device__ inline
#define MG_CALL __host__ __device__ __noinline__ inline
#define MG_RARE MG_CALL
#else
#define MG_FN inline
#define MG_CALL inline
#define MG_RARE __attribute__((noinline)) inline
#endif
#define MG_INLINE __attribute__((always_inline)) inline

namespace mg {

// A non-owning view of `size` consecutive values.
template <class T>
struct Span {
  T* data;
  int32_t size;
  MG_FN T& operator[](int32_t i) const { return data[i]; }
  MG_FN T* begin() const { return data; }
  MG_FN T* end() const { return data + size; }
};

template <class T>
MG_FN T min_of(T a, T b) {
  return b < a ? b : a;
}
template <class T>
MG_FN T max_of(T a, T b) {
  return a < b ? b : a;
}
template <class T>
MG_FN T clamp_to(T x, T low, T high) {
  return x < low ? low : (high < x ? high : x);
}
MG_FN int32_t abs_of(int32_t x) { return x < 0 ? -x : x; }
MG_FN int32_t sign_of(int32_t x) { return (x > 0) - (x < 0); }
template <class T>
MG_FN void swap_values(T& a, T& b) {
  T kept = a;
  a = b;
  b = kept;
}

// Index of the lowest set bit; x must not be 0.
MG_FN int32_t lowest_bit(uint32_t x) {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(x)) - 1;
#else
  return __builtin_ctz(x);
#endif
}

MG_FN int32_t lowest_bit64(uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(x)) - 1;
#else
  return __builtin_ctzll(x);
#endif
}

MG_FN float float_from_bits(int32_t bits) {
  union {
    int32_t i;
    float f;
  } pun;
  pun.i = bits;
  return pun.f;
}

// Float to integer, truncating toward zero, with values outside the range clamped and not-a-number as 0
// (a plain cast would be undefined there).
MG_FN int32_t truncate_to_int(float x) {
  if (!(x == x)) return 0;
  if (x >= 2147483648.0f) return INT32_MAX;
  if (x <= -2147483648.0f) return INT32_MIN;
  return static_cast<int32_t>(x);
}

// Natural logarithm, the same bits on every platform: argument reduced to [sqrt(1/2), sqrt(2)), then the odd series of
// atanh in double precision, rounded to float once at the end.
MG_FN float natural_log(float x) {
  if (!(x == x)) return x;
  if (x < 0.0f) return float_from_bits(0x7FC00000);  // not a number, the same bits everywhere
  if (x == 0.0f) return -1.0f / (x * x);             // minus infinity
  union {
    double d;
    uint64_t u;
  } pun;
  pun.d = static_cast<double>(x);
  if ((pun.u >> 52) == 0x7FF) return x;  // infinity
  int32_t exponent = static_cast<int32_t>((pun.u >> 52) & 0x7FF) - 1023;
  pun.u = (pun.u & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
  double m = pun.d;
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent += 1;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double sum = 0.0;
  for (int32_t k = 23; k >= 1; k -= 2) sum = sum * z + 1.0 / static_cast<double>(k);
  return static_cast<float>(static_cast<double>(exponent) * 0.6931471805599453 + 2.0 * s * sum);
}

// Walks a bit set of 32-bit words in ascending order of index.
template <class Visit>
MG_FN void for_each_bit(const uint32_t* words, int32_t count, Visit visit) {
  for (int32_t w = 0; w < count; ++w) {
    for (uint32_t rest = words[w]; rest != 0; rest &= rest - 1) visit(w * 32 + lowest_bit(rest));
  }
}

MG_FN bool test_bit(const uint32_t* words, int32_t bit) { return (words[bit >> 5] >> (bit & 31)) & 1u; }
MG_FN void set_bit(uint32_t* words, int32_t bit) { words[bit >> 5] |= 1u << (bit & 31); }
MG_FN void clear_bit(uint32_t* words, int32_t bit) { words[bit >> 5] &= ~(1u << (bit & 31)); }
MG_FN void put_bit(uint32_t* words, int32_t bit, bool value) {
  if (value) {
    set_bit(words, bit);
  } else {
    clear_bit(words, bit);
  }
}

// The same for a word that other lanes may be writing to.
MG_FN void put_shared_bit(uint32_t* words, int32_t bit, bool value) {
#if defined(__CUDA_ARCH__)
  if (value) {
    atomicOr(words + (bit >> 5), 1u << (bit & 31));
  } else {
    atomicAnd(words + (bit >> 5), ~(1u << (bit & 31)));
  }
#else
  put_bit(words, bit, value);
#endif
}

}  // namespace mg
