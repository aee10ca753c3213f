// The 32 lanes of a warp that work on one thing together, on a GPU or, one after the other, on the CPU.
//
// Code between two calls of these functions may use what other lanes wrote before them. A value that differs between lanes is a
// `PerLane`; everything else is the same in all lanes.
#pragma once

#include "core/base.hpp"

namespace gpu {

constexpr int32_t kLanes = 32;

#if defined(__CUDA_ARCH__)

template <class T>
struct PerLane {
  T own;
  MG_FN T& operator[](int32_t) { return own; }
};

// Runs body(lane) in every lane.
template <class Body>
MG_FN void each_lane(Body body) {
  body(static_cast<int32_t>(threadIdx.x % kLanes));
  __syncwarp();
}

// Bit `lane` = the flag of that lane.
MG_FN uint32_t ballot(PerLane<bool>& flags) { return __ballot_sync(0xFFFFFFFFu, flags.own); }

// Replaces each value by the sum of those of earlier lanes, and returns the sum of all.
MG_FN int32_t sum_before(PerLane<int32_t>& values) {
  const int32_t lane = static_cast<int32_t>(threadIdx.x % kLanes), own = values.own;
  int32_t sum = own;
  for (int32_t step = 1; step < kLanes; step *= 2) {
    const int32_t other = __shfl_up_sync(0xFFFFFFFFu, sum, step);
    if (lane >= step) sum += other;
  }
  values.own = sum - own;
  return __shfl_sync(0xFFFFFFFFu, sum, kLanes - 1);
}

MG_FN int32_t count_bits(uint32_t bits) { return __popc(bits); }

// Sets a bit that lanes share, and returns what it was.
MG_FN bool set_shared_bit(uint32_t* words, int32_t bit) {
  return (atomicOr(words + (bit >> 5), 1u << (bit & 31)) >> (bit & 31)) & 1u;
}

// Memory that other warps of the block write, between barriers.
MG_FN int32_t load_fresh(const int32_t* at) { return *static_cast<const volatile int32_t*>(at); }
MG_FN void store_fresh(int32_t* at, int32_t value) { *static_cast<volatile int32_t*>(at) = value; }

#define MG_UNROLL _Pragma("unroll")

#else

template <class T>
struct PerLane {
  T of[kLanes];
  MG_FN T& operator[](int32_t lane) { return of[lane]; }
};

template <class Body>
MG_FN void each_lane(Body body) {
  for (int32_t lane = 0; lane < kLanes; ++lane) body(lane);
}

MG_FN uint32_t ballot(PerLane<bool>& flags) {
  uint32_t bits = 0;
  for (int32_t lane = 0; lane < kLanes; ++lane) bits |= static_cast<uint32_t>(flags[lane]) << lane;
  return bits;
}

MG_FN int32_t sum_before(PerLane<int32_t>& values) {
  int32_t sum = 0;
  for (int32_t lane = 0; lane < kLanes; ++lane) {
    const int32_t own = values[lane];
    values[lane] = sum;
    sum += own;
  }
  return sum;
}

MG_FN int32_t count_bits(uint32_t bits) { return __builtin_popcount(bits); }

MG_FN bool set_shared_bit(uint32_t* words, int32_t bit) {
  const bool was = mg::test_bit(words, bit);
  mg::set_bit(words, bit);
  return was;
}

MG_FN int32_t load_fresh(const int32_t* at) { return *at; }
MG_FN void store_fresh(int32_t* at, int32_t value) { *at = value; }

#define MG_UNROLL

#endif

}  // namespace gpu
