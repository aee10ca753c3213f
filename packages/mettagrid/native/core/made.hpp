// The second part of a world block, computed from its state.
#pragma once

#include "observe.hpp"

namespace mg {

// Whether an object with its initial amounts shows them in their initial order.
MG_FN bool has_initial_order(const Program& p, const World& w, int32_t slot) {
  const Template& t = p.templates[w.object_template[slot]];
  const int32_t room = w.h->resources;
  if (t.initial_count < 2 || room > kMostResources) return true;
  uint8_t order[kMostResources];
  uint8_t level = 0;
  for (int32_t i = 0; i < room; ++i) order[i] = kNoResource;
  for (int32_t i = 0; i < t.initial_count; ++i) {
    const Pair& initial = p.pairs[t.first_initial + i];
    list_initial(order, room, level, initial);
  }
  for (int32_t i = 0; i < room; ++i) {
    if (w.order(slot)[i] != order[i]) return false;
  }
  return true;
}

// Whether an object looks like its template, so that it can share the template's line.
MG_FN bool looks_untouched(const Program& p, const World& w, int32_t slot) {
  const Template& t = p.templates[w.object_template[slot]];
  if (slot == 0 || w.is_agent(slot) || (w.object_flags[slot] & kSpawned) || w.object_vibe[slot] != t.vibe) return false;
  int32_t tags = 0, held = 0;
  for (int32_t i = 0; i < t.tag_count; ++i) {
    if (!test_bit(w.tags(slot), p.lists[t.first_tag + i].value)) return false;
  }
  for_each_bit(w.tags(slot), w.h->tag_words, [&](int32_t) { ++tags; });
  for (int32_t i = 0; i < t.initial_count; ++i) {
    const Pair& initial = p.pairs[t.first_initial + i];
    if (w.held(slot)[initial.key] != initial.value) return false;
    held += initial.value != 0;
  }
  for (int32_t r = 0; r < w.h->resources; ++r) held -= w.held(slot)[r] != 0;
  return tags == t.tag_count && held == 0 && has_initial_order(p, w, slot);
}

MG_FN void make_lines(const Program& p, const World& w) {
  for (int32_t i = 0; i < w.h->templates; ++i) w.line(i)[kLine - 1] = kLineDirty;
  for (int32_t slot = 0; slot < w.h->used_slots; ++slot) {
    w.touch(slot);
    if (looks_untouched(p, w, slot)) w.object_line[slot] = w.object_template[slot];
  }
}

MG_FN void make_territory(const Program& p, const World& w) {
  const Header& h = *w.h;
  for (int32_t i = 0; i < h.owner_tags * h.cells; ++i) w.score[i] = 0;
  for (int32_t i = 0; i < h.territories * h.cells; ++i) w.owner[i] = -1;
  for (int32_t i = 0; i < h.cells; ++i) {
    w.owner_seen[i] = -1;
    w.owner_edges[i] = 0;
  }
  for (int32_t i = 0; i < h.claim_count; ++i) stamp_claim(p, w, w.claim[i], 1);
}

MG_FN void make_second_part(const Program& p, const World& w) {
  for (int32_t i = 0; i < w.h->window; ++i) w.window_offset[i] = p.window[i].dr * w.h->stride + p.window[i].dc;
  make_territory(p, w);
  make_lines(p, w);
}

}  // namespace mg
