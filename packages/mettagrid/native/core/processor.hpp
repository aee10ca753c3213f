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

// The module sets it when it is loaded (cpu/processor.hpp). Tests lower it, so that the code of every level runs.
inline ProcessorLevel processor_level = ProcessorLevel::kBase;

MG_FN bool has_level(ProcessorLevel level) { return processor_level >= level; }

}  // namespace mg

#endif
