// Runs the code of rules: one operation after the other, each named after its instruction.
#pragma once

#include "core/machine/ahead.hpp"
#include "core/machine/each.hpp"
#include "core/machine/flow.hpp"
#include "core/machine/mutations.hpp"
#include "core/machine/numbers.hpp"
#include "core/machine/queries.hpp"
#include "core/machine/tests.hpp"

namespace mg {

MG_FN bool Machine::run(int32_t entry) {
#if !defined(__CUDA_ARCH__)
  if (s.watcher != nullptr && s.watcher->rule != nullptr) return run_code<true>(entry);
#endif
  return run_code<false>(entry);
}

// Notifies the watcher when the mutations of a rule begin.
MG_FN void note_rule(Machine& m, int32_t pc) {
#if !defined(__CUDA_ARCH__)
  for (const Note& note : m.p.notes) {
    if (note.at == pc) m.s.watcher->rule(*m.s.watcher, note.name, m.ctx.actor, m.ctx.target);
  }
#else
  (void)m, (void)pc;
#endif
}

template <bool kWatched>
MG_CALL bool Machine::run_code(int32_t entry) {
  const int32_t bottom = s.calls;
  s.changes += !s.is_reading;
  const Instr* const code = p.code.data;
  const Header& h = *w.h;
  int32_t pc = entry;
  while (h.fault == 0) {
    const Instr& in = code[pc];
    if constexpr (kWatched) note_rule(*this, pc);
    switch (static_cast<Op>(in.op)) {
#define MG_RUN(name, effect)                                               \
  case Op::k##name:                                                        \
    if (Op::k##name == Op::kReturn && s.calls == bottom) return in.a != 0; \
    s.changes += effect;                                                   \
    pc = operations::name(*this, in, pc + 1);                              \
    break;
      MG_OPS(MG_RUN)
#undef MG_RUN
      default: __builtin_unreachable();
    }
  }
  return false;
}

}  // namespace mg
