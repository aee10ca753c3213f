// Loops over a query result, whose elements mutations change.
#pragma once

#include "core/machine/operation.hpp"

namespace mg::operations {

MG_OPERATION(EachOpen) {
  const int32_t begin = m.s.result[--m.s.results];
  Loop* loop = m.open_loop();
  if (loop == nullptr) return next;
  loop->begin = loop->read = begin;
  loop->end = m.s.top;
  loop->counted = 0;
  loop->most = in.b;
  const int32_t count = loop->end - begin;
  if (in.a == 1 && in.b >= 0 && count > in.b) m.w.h->random.shuffle(m.s.arena + begin, count);
  return next;
}
MG_OPERATION(EachNext) {
  Loop& loop = m.s.loop[m.s.loops - 1];
  if (loop.read == loop.end) return in.jump;
  const int32_t slot = loop.element = m.s.arena[loop.read++];
  if (in.a == 1) m.ctx = Context{slot, slot, kNone, m.w.row(slot), m.w.col(slot)};
  return next;
}
MG_OPERATION(EachCount) {
  Loop& loop = m.s.loop[m.s.loops - 1];
  ++loop.counted;
  return loop.most < 0 || loop.counted < loop.most ? in.jump : next;
}
MG_OPERATION(EachClose) {
  const Loop& loop = m.s.loop[--m.s.loops];
  m.ctx = loop.kept;
  m.s.top = loop.begin;
  return in.a >= 0 && loop.counted == 0 ? in.a : next;
}

}  // namespace mg::operations
