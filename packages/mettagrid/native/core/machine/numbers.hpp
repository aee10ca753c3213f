// Numbers: the stack on which game values are computed.
#pragma once

#include "core/machine/operation.hpp"

namespace mg::operations {

MG_FN float& top(Machine& m) { return m.s.number[m.s.numbers - 1]; }

MG_OPERATION(PushConst) {
  m.push(float_from_bits(in.a));
  return next;
}
MG_OPERATION(PushInventory) {
  const int32_t slot = m.entity(in.a);
  m.push(slot >= 0 ? static_cast<float>(m.w.held(slot)[in.b]) : in.c >= 0 ? game_stat(m.w, in.c) : 0.0f);
  return next;
}
MG_OPERATION(PushAgentStat) {
  const int32_t slot = m.entity(in.a);
  m.push(slot >= 0 && m.w.is_agent(slot) ? agent_stat(m.w, m.w.agent(slot), in.b) : 0.0f);
  return next;
}
MG_OPERATION(PushGameStat) {
  m.push(game_stat(m.w, in.a));
  return next;
}
MG_OPERATION(PushCount) {
  const int32_t count = m.s.top - m.result_begin();
  m.drop_result();
  m.push(static_cast<float>(count));
  return next;
}
MG_OPERATION(PushTagCount) {
  m.push(static_cast<float>(m.w.tag_held[in.a]));
  return next;
}
MG_OPERATION(PushSumHeld) {
  float sum = 0.0f;
  for (int32_t i = m.result_begin(); i < m.s.top; ++i) sum += static_cast<float>(m.w.held(m.s.arena[i])[in.a]);
  m.drop_result();
  m.push(sum);
  return next;
}
MG_OPERATION(ScaleBy) {
  top(m) = float_from_bits(in.a) * top(m);
  return next;
}
MG_OPERATION(LogPlusOne) {
  top(m) = natural_log(top(m) + 1.0f);
  return next;
}
MG_OPERATION(Add) {
  const float x = m.pop();
  top(m) += x;
  return next;
}
MG_OPERATION(Ratio) {
  const float x = m.pop();
  if (x > 0.0f) top(m) /= x;
  return next;
}
MG_OPERATION(Max) {
  const float x = m.pop();
  if (top(m) < x) top(m) = x;
  return next;
}
MG_OPERATION(Min) {
  const float x = m.pop();
  if (x < top(m)) top(m) = x;
  return next;
}

}  // namespace mg::operations
