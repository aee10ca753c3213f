// Tests: filters of rules.
#pragma once

#include "core/machine/operation.hpp"

namespace mg {

MG_FN bool near_any(const World& w, int32_t slot, const int32_t* others, int32_t count, int32_t limit) {
  for (int32_t i = 0; i < count; ++i) {
    if (limit < 0 || w.distance2(slot, others[i]) <= limit) return true;
  }
  return false;
}

MG_FN bool any_common(const uint32_t* a, const uint32_t* b, int32_t words) {
  for (int32_t i = 0; i < words; ++i) {
    if (a[i] & b[i]) return true;
  }
  return false;
}

MG_FN bool share_tag(const World& w, int32_t a, int32_t b, const uint32_t* mask) {
  const uint32_t *of_a = w.tags(a), *of_b = w.tags(b);
  const int32_t words = w.h->tag_words;
  for (int32_t i = 0; i < words; ++i) {
    if (of_a[i] & of_b[i] & mask[i]) return true;
  }
  return false;
}

namespace operations {

MG_OPERATION(TestConst) { return after_test(in, next, in.a != 0); }
MG_OPERATION(TestVibe) {
  const int32_t slot = m.entity(in.a);
  return after_test(in, next, slot >= 0 && m.w.vibe(slot) == in.b);
}
MG_OPERATION(TestResource) {
  const int32_t slot = m.entity(in.a);
  return after_test(in, next, slot >= 0 && m.w.held(slot)[in.b] >= in.c);
}
MG_OPERATION(TestTag) {
  const int32_t slot = m.entity(in.a);
  return after_test(in, next, slot >= 0 && has_tag(m.w, slot, in.b));
}
MG_OPERATION(TestTagMask) {
  const int32_t slot = m.entity(in.a);
  return after_test(in, next, slot >= 0 && any_common(m.w.tags(slot), m.p.mask(in.b), m.w.h->tag_words));
}
MG_OPERATION(TestSharedMask) {
  return after_test(in, next,
                    m.ctx.actor >= 0 && m.ctx.target >= 0 && share_tag(m.w, m.ctx.actor, m.ctx.target, m.p.mask(in.a)));
}
MG_OPERATION(TestDistance) {
  const int32_t a = m.entity(in.a), b = m.entity(in.b);
  return after_test(in, next, a >= 0 && b >= 0 && (in.c < 0 || m.w.distance2(a, b) <= in.c));
}
MG_OPERATION(TestNearResult) {
  const int32_t slot = m.entity(in.a), begin = m.result_begin();
  const bool near = slot >= 0 && near_any(m.w, slot, m.s.arena + begin, m.s.top - begin, in.c);
  m.drop_result();
  return after_test(in, next, near);
}
MG_OPERATION(TestNearTag) {
  const int32_t slot = m.entity(in.a);
  return after_test(in, next,
                    slot >= 0 && near_any(m.w, slot, m.w.tag_holders + m.w.tag_first[in.b], m.w.tag_held[in.b], in.c));
}
MG_OPERATION(TestAtLeast) {
  const float least = m.pop(), value = m.pop();
  return after_test(in, next, value >= least);
}
MG_OPERATION(TestPresent) { return after_test(in, next, m.entity(in.a) >= 0); }
MG_OPERATION(TestEmptyCell) { return after_test(in, next, m.ctx.target < 0); }
MG_OPERATION(TestUsable) { return after_test(in, next, m.ctx.target >= 0); }
MG_OPERATION(TestPeriodic) { return after_test(in, next, m.now >= in.b && (m.now - in.b) % in.a == 0); }

}  // namespace operations
}  // namespace mg
