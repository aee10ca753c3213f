// What derives from the state of a world, and from a map: lines, territory, scenery.
#pragma once

#include "core/phases/observe.hpp"

namespace mg {

// The initial inventory of a template. Amounts and order are zero and empty before.
MG_FN void initial_inventory(const Program& p, const Template& t, uint16_t* held, uint8_t* order, uint8_t& level) {
  for (int32_t i = 0; i < t.initial_count; ++i) {
    const Pair& initial = p.pairs[t.first_initial + i];
    held[initial.key] = static_cast<uint16_t>(initial.value);
    list_initial(order, p.set().resource_count, level, initial);
  }
}

MG_FN void make_looks(const Program& p, const Scenery& s) {
  const Settings& set = p.set();
  for (int32_t kind = 0; kind < p.templates.size; ++kind) {
    const Template& t = p.templates[kind];
    uint32_t* tags = s.tags + kind * set.tag_words;
    uint16_t* held = s.held + kind * set.resource_count;
    uint8_t* order = s.order + kind * set.resource_count;
    uint8_t level = 0;
    for (int32_t r = 0; r < set.resource_count; ++r) order[r] = kNoResource;
    if (!t.is_scenery) continue;
    s.vibe[kind] = static_cast<uint8_t>(t.vibe);
    s.blocks_vision[kind] = t.blocks_vision != 0;
    for (int32_t i = 0; i < t.tag_count; ++i) set_bit(tags, p.lists[t.first_tag + i].value);
    initial_inventory(p, t, held, order, level);
    encode_line(set, Look{tags, held, order, t.vibe, kNone, t.group, false}, s.lines + kind * kLine);
  }
}

// The fields of borders that an observer sees who sees the neighbours N, S, E, W with a set bit: neighbours that it does not
// see count as having no border.
MG_FN uint16_t shown_fields(int32_t neighbours) {
  uint32_t fields = 3;
  for (int32_t side = 0; side < 4; ++side) fields |= (neighbours >> side & 1 ? 3u : 0u) << (2 * side + 2);
  return static_cast<uint16_t>(fields);
}

// Cell i of the window, in this row and column of it.
MG_FN void place_shuffle(const Scenery& s, int32_t i, int32_t row, int32_t col) {
  WindowShuffle& shuffle = s.shuffles[(i & 7) >> 1];
  const int32_t at = (i & 1) * 16 + (i >> 3), word = (row & 3) + (row >> 3) * 4;
  uint8_t* const bytes = row & 4 ? shuffle.second : shuffle.first;
  bytes[at] = static_cast<uint8_t>(2 * word + (col >> 3));
  shuffle.mask[at] = static_cast<uint8_t>(1 << (col & 7));
  s.permutation->bytes[i] = static_cast<uint8_t>(4 * row + (col >> 3));
  s.permutation->bits[i] = shuffle.mask[at];
}

MG_FN void make_window(const Program& p, const Scenery& s, int32_t stride) {
  for (int32_t i = 0; i < kShuffles; ++i) {
    for (int32_t at = 0; at < 32; ++at) {
      s.shuffles[i].first[at] = s.shuffles[i].second[at] = kNoByte;
      s.shuffles[i].mask[at] = 1;
    }
  }
  for (int32_t i = 0; i < p.window.size; ++i) {
    const WindowCell& view = p.window[i];
    const int32_t row = view.dr + s.h->window_rows, col = view.dc + s.h->window_cols;
    s.window_offset[i] = view.dr * stride + view.dc;
    s.window_places[i] = WindowPlace{s.window_offset[i], 32 * row + col};
    uint64_t* sets = s.parts + (((i >> 7) * kWindowSide + row) * kRowParts + col / kPartColumns) * kPartSets * 2;
    for (int32_t bits = 0; bits < kPartSets; ++bits) {
      if ((bits >> col % kPartColumns) & 1) sets[2 * bits + (i >> 6 & 1)] |= uint64_t{1} << (i & 63);
    }
    if (i < 128) place_shuffle(s, i, row, col);
    for (int32_t radius = 0; radius < kRadii; ++radius) {
      const uint64_t is_visible = radius == kFullRadius || ((view.radius_mask >> radius) & 1) != 0;
      s.radius_set[radius * kWindowWords + (i >> 6)] |= is_visible << (i & 63);
      s.looks[radius * kWindowWords * 64 + i] = WindowLook{
          static_cast<uint16_t>(shown_fields(view.neighbours >> (4 * radius)) << 4), static_cast<uint8_t>(view.location), 0};
    }
  }
}

// The head of a block with room for `objects`; `window_rows` and `window_cols` as in the header of its worlds.
MG_FN SceneryHead plan_scenery(const Program& p, const Header& plan, int32_t objects) {
  SceneryHead h{};
  h.objects = objects;
  h.slots = plan.actors + objects;
  h.templates = p.templates.size;
  h.resources = p.set().resource_count;
  h.tag_words = p.set().tag_words;
  h.window = p.window.size;
  h.window_rows = plan.window_rows;
  h.window_cols = plan.window_cols;
  Scenery::measure(h);
  return h;
}

// The lines of scenery follow those of the actors: one for each template that the map has, in the order in which they appear.
MG_FN void make_line_numbers(const Scenery& s, int32_t actors) {
  for (int32_t slot = 0; slot < actors; ++slot) s.line_of[slot] = slot;
  int32_t& kinds = s.h->kinds;
  kinds = 0;
  for (int32_t i = 0; i < s.h->objects; ++i) {
    int32_t number = 0;
    while (number < kinds && s.kinds[number] != s.objects[i].kind) ++number;
    if (number == kinds) s.kinds[kinds++] = s.objects[i].kind;
    s.line_of[actors + i] = actors + number;
  }
}

// Fills in everything but the objects and what follows from them. `block` has head.bytes bytes, zeroed.
MG_FN Scenery build_scenery(const Program& p, const Header& plan, const SceneryHead& head, void* block) {
  *static_cast<SceneryHead*>(block) = head;
  const Scenery s = Scenery::view(block);
  make_looks(p, s);
  make_window(p, s, plan.stride);
  return s;
}

MG_FN void make_lines(const World& w) {
#if !defined(__CUDA_ARCH__)
  for (int32_t i = 0; i < w.scenery.h->kinds; ++i)
    __builtin_memcpy(w.lines[w.actors + i].bytes, w.scenery.lines + w.scenery.kinds[i] * kLine, kLine);
#endif
  for (int32_t slot = 0; slot < w.h->used_slots; ++slot) w.touch(slot);
}

MG_FN void make_shown(const World& w) {
  for (int32_t i = 0; i < shown_words(*w.h); ++i) w.shown[i] = 0;
  for (int32_t row = 0; row < w.h->height; ++row) {
    for (int32_t col = 0; col < w.h->width; ++col) { w.put_shown(row, col, put_bit); }
  }
}

// Cells that are updated together when all are: few claims reach into them.
constexpr int32_t kTile = 32;

MG_FN void make_territory(const Program& p, const World& w) {
  const Header& h = *w.h;
  for (int32_t i = 0; i < h.territories * h.cells; ++i) w.owner[i] = -1;
  for (int32_t i = 0; i < h.cells; ++i) w.owner_seen[i] = -1;
  for (int32_t i = 0; i < h.cells; ++i) w.grid[i] = Ground::of(w.slot_at(i), 0);
  forget_stale(w);
  for (int32_t k = 0; h.claim_count > 0 && k < h.territories; ++k) {
    for (int32_t top = 0; top < h.height; top += kTile) {
      for (int32_t left = 0; left < h.width; left += kTile) {
        const int32_t bottom = min_of(top + kTile, h.height) - 1, right = min_of(left + kTile, h.width) - 1;
        note_region(p, w, Region{k, top, left, bottom, right});
      }
    }
  }
  settle_territory(p, w);
}

MG_FN void make_second_part(const Program& p, const World& w) {
  for (int32_t slot = 0; slot <= w.h->agents; ++slot) forget_limits(w, slot);
  make_territory(p, w);
  make_shown(w);
  make_lines(w);
}

}  // namespace mg
