// Which instructions of the processor the code uses beyond those that every processor of its kind has. In the core they change
// the time of a step, never its results.
#pragma once

#include "core/base.hpp"

#if !defined(__CUDA_ARCH__)

#if defined(__x86_64__)
#define MG_HAS_LEVELS 1
#include <cpuid.h>
#endif

namespace mg {

// What processor and system support.
struct Processor {
  bool avx2;    // with BMI1, BMI2 and FMA
  bool avx512;  // F, BW, DQ and VL
  bool vbmi2, bf16;
  bool is_amd;
};

#if MG_HAS_LEVELS

// By the registers of the processor: `__builtin_cpu_supports` needs a library that not every compiler has.
inline Processor detect_processor() {
  const auto has = [](uint32_t word, uint32_t bit) { return (word >> bit & 1) != 0; };
  Processor found{};
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(0, &a, &b, &c, &d)) return found;
  found.is_amd = b == 0x68747541;                                                   // "Auth" of "AuthenticAMD"
  if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, 27) || !has(c, 23)) return found;  // no XGETBV, no POPCNT
  const bool fma = has(c, 12);
  uint32_t saved = 0, high = 0;  // the registers that the system saves
  asm volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  constexpr uint32_t kYmm = 0x06, kZmm = 0xE6;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
  found.avx2 = (saved & kYmm) == kYmm && fma && has(b, 5) && has(b, 3) && has(b, 8);
  found.avx512 = found.avx2 && (saved & kZmm) == kZmm && has(b, 16) && has(b, 17) && has(b, 30) && has(b, 31);
  found.vbmi2 = found.avx512 && has(c, 6);
  found.bf16 = found.avx512 && a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && has(a, 5);
  return found;
}

#else

inline Processor detect_processor() { return Processor{}; }

#endif

// The levels of the core; each includes those before it.
enum class ProcessorLevel : int32_t { kBase, kAvx2, kAvx512 };

inline ProcessorLevel highest_level() {
  const Processor found = detect_processor();
  return found.vbmi2 ? ProcessorLevel::kAvx512 : found.avx2 ? ProcessorLevel::kAvx2 : ProcessorLevel::kBase;
}

// Tests lower it, so that the code of every level runs.
inline ProcessorLevel processor_level = highest_level();

MG_FN bool has_level(ProcessorLevel level) { return processor_level >= level; }

}  // namespace mg

#endif
