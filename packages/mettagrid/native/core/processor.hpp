// Which instructions of the processor the core uses beyond those that every processor of its kind has. They change the time of
// a step, never its results.
#pragma once

#include "core/base.hpp"

#if !defined(__CUDA_ARCH__)

#if defined(__x86_64__)
#define MG_HAS_LEVELS 1
#endif

namespace mg {

// Each level includes those before it.
enum class ProcessorLevel : int32_t { kBase, kAvx2, kAvx512 };

inline ProcessorLevel highest_level() {
#if MG_HAS_LEVELS
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  const bool has_avx512 = __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw");
  return !has_avx2 ? ProcessorLevel::kBase : !has_avx512 ? ProcessorLevel::kAvx2 : ProcessorLevel::kAvx512;
#else
  return ProcessorLevel::kBase;
#endif
}

// Tests lower it, so that the code of every level runs.
inline ProcessorLevel processor_level = highest_level();

MG_FN bool has_level(ProcessorLevel level) { return processor_level >= level; }

}  // namespace mg

#endif
