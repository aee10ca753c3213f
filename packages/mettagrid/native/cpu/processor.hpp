// Which instructions this processor has. `__builtin_cpu_supports` would need a library that not every compiler has.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/processor.hpp"

namespace cpu {

// Instructions that both the processor and the system support.
struct Processor {
  bool avx2;    // with BMI1, BMI2 and FMA
  bool avx512;  // F, BW, DQ and VL
  bool vbmi2;   // with VBMI
  bool bf16;
  bool is_amd;
};

#if defined(__x86_64__)

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
  found.vbmi2 = found.avx512 && has(c, 1) && has(c, 6);
  found.bf16 = found.avx512 && a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && has(a, 5);
  return found;
}

#else

inline Processor detect_processor() { return Processor{}; }

#endif

inline mg::ProcessorLevel highest_level() {
  const Processor found = detect_processor();
  return found.vbmi2 ? mg::ProcessorLevel::kAvx512 : found.avx2 ? mg::ProcessorLevel::kAvx2 : mg::ProcessorLevel::kBase;
}

}  // namespace cpu
