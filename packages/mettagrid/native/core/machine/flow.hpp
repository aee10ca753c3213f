// Jumps, calls and flags.
#pragma once

#include "core/machine/operation.hpp"

namespace mg {

// The end of a used object's handler: on success the actor's `on_after_use` follows, which can still fail the use.
MG_FN int32_t after_use(Machine& m, const Call& call, bool success) {
  if (!success) return call.fail_at >= 0 ? call.fail_at : call.back;
  if (call.kind == CallKind::kAfterUse) return call.back;
  const int32_t actor = m.ctx.actor;
  if (actor < 0 || !m.w.is_agent(actor)) return call.back;
  m.w.agent_animation[m.w.agent(actor)] = 1;
  const int32_t entry = m.p.templates[m.w.kind(actor)].on_after_use;
  if (entry == 0 || !m.enter(call.back, CallKind::kAfterUse, entry, call.fail_at)) return call.back;
  return entry;
}

// Of an instruction `CallShared`: whose result is cached.
MG_FN int32_t actor_of_result(const Machine& m, const Instr& in) { return in.c != 0 ? m.ctx.actor : kNone; }

MG_FN void keep_result(Machine& m, const Instr& in) { m.keep_result(in.a, in.b, actor_of_result(m, in)); }

namespace operations {

// Not the last one of a run.
MG_OPERATION(Return) {
  const Call call = m.s.call[--m.s.calls];
  if (call.kind == CallKind::kRestore || call.kind == CallKind::kUse) m.ctx = call.kept;
  if (call.kind == CallKind::kShared) keep_result(m, m.p.code[call.back - 1]);
  const bool is_use = call.kind == CallKind::kUse || call.kind == CallKind::kAfterUse;
  return is_use ? after_use(m, call, in.a != 0) : call.back;
}

MG_OPERATION(Jump) { return in.jump; }
MG_OPERATION(Call) { return m.enter(next, CallKind::kInline, in.a) ? in.a : next; }
MG_OPERATION(CallShared) {
  return !m.reuse_result(in.a, in.b, actor_of_result(m, in)) && m.enter(next, CallKind::kShared, in.a) ? in.a : next;
}

MG_OPERATION(FlagPush) {
  if (m.s.flags == kNumbers) m.fail(Fault::kStack);
  else m.s.flag[m.s.flags++] = false;
  return next;
}
MG_OPERATION(FlagSet) {
  m.s.flag[m.s.flags - 1 - in.a] = in.b != 0;
  return next;
}
MG_OPERATION(FlagPop) { return after_test(in, next, m.s.flag[--m.s.flags]); }

}  // namespace operations
}  // namespace mg
