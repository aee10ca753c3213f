// An operation: what one instruction does. It returns where to continue.
#pragma once

#include "core/machine/machine.hpp"

// Each instruction of `op.hpp` has one, in a file by subject; `run.hpp` calls them by name.
#define MG_OPERATION(name) \
  MG_FN int32_t name([[maybe_unused]] Machine& m, [[maybe_unused]] const Instr& in, [[maybe_unused]] int32_t next)

namespace mg {

// A test jumps if its result is `sense`.
MG_FN int32_t after_test(const Instr& in, int32_t next, bool result) { return result == (in.sense != 0) ? in.jump : next; }

// A mutation that can fail jumps if it does and failures count.
MG_FN int32_t after_try(const Instr& in, int32_t next, bool done) { return !done && in.sense == 1 ? in.jump : next; }

}  // namespace mg
