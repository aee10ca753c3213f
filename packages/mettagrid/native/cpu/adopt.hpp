// Turns the scenery of one world into actors, for callers that change an object which no rule of the game can change. Slots
// and ids stay the same; only the place where the objects are stored changes.
#pragma once

#include "cpu/memory.hpp"

namespace cpu {

// Objects of the scenery that have the tag.
inline int32_t scenery_holders(const mg::World& w, int32_t tag) {
  int32_t count = 0;
  for (int32_t slot = w.actors; slot < w.h->slots; ++slot) count += mg::test_bit(w.tags(slot), tag);
  return count;
}

// The header of the same world without scenery. `bytes` is 0 if it would be too large.
inline mg::Header plan_adopted(const mg::Program& p, const mg::World& w) {
  mg::Header h = *w.h;
  h.actors = h.slots;
  if (p.set().any_spawn) h.spawn_slots = h.actors;
  for (int32_t tag = 0; tag < h.tags; ++tag) {
    h.tag_capacity += p.tag_is_dynamic[tag].value ? h.slots - w.actors : scenery_holders(w, tag);
  }
  h.used_slots = h.slots;
  h.bytes = 0;
  mg::measure_world(h);
  return h;
}

inline void adopt_object(const mg::Program& p, const mg::World& from, const mg::World& to, int32_t slot) {
  const mg::Header& h = *to.h;
  to.object_id[slot] = from.id(slot);
  to.object_template[slot] = from.kind(slot);
  to.object_row[slot] = static_cast<uint16_t>(from.row(slot));
  to.object_col[slot] = static_cast<uint16_t>(from.col(slot));
  to.object_agent[slot] = mg::kNone;
  to.object_vibe[slot] = static_cast<uint8_t>(from.vibe(slot));
  to.object_flags[slot] = static_cast<uint8_t>(from.flags(slot));
  uint8_t level = 0;
  for (int32_t r = 0; r < h.resources; ++r) to.order(slot)[r] = mg::kNoResource;
  mg::initial_inventory(p, p.templates[from.kind(slot)], to.held(slot), to.order(slot), level);
  to.held_level[slot] = level;
  for (int32_t i = 0; i < h.tag_words; ++i) to.tags(slot)[i] = from.tags(slot)[i];
  mg::for_each_bit(to.tags(slot), h.tag_words, [&](int32_t tag) { mg::list_holder(to, slot, tag); });
}

// Writes the world without scenery into `block`, which has plan.bytes bytes, zeroed; `scenery` has no objects.
inline mg::World adopt_scenery(const mg::Program& p, const mg::World& from, const mg::Header& plan, void* block,
                               const void* scenery) {
  using mg::AreaSource, mg::Claim, mg::Ground, mg::Line, mg::StaleRegions;
  using mg::kInvalidIds;
  *static_cast<mg::Header*>(block) = plan;
  const mg::World to = mg::World::view(block, scenery);
  // Rows of slots come first in every array, and there are more of them now.
  const mg::Header& h = *from.h;
#define MG_COPY(Type, name, count) \
  std::memcpy(to.name, from.name, static_cast<std::size_t>(int64_t{1} * (count)) * sizeof(Type));
  MG_ARRAYS(MG_COPY)
#undef MG_COPY
  int32_t at = 0;
  for (int32_t tag = 0; tag < h.tags; ++tag) {
    to.tag_first[tag] = at;
    to.tag_room[tag] += p.tag_is_dynamic[tag].value ? h.slots - from.actors : scenery_holders(from, tag);
    std::memcpy(to.tag_holders + at, from.tag_holders + from.tag_first[tag],
                static_cast<std::size_t>(from.tag_held[tag]) * sizeof *to.tag_holders);
    at += to.tag_room[tag];
  }
  for (int32_t slot = from.actors; slot < h.slots; ++slot) adopt_object(p, from, to, slot);
  for (int32_t slot = from.actors; slot-- > h.used_slots;) {  // room for spawned objects, not used yet
    to.object_agent[slot] = mg::kNone;
    to.free_slots[to.h->free_count++] = slot;
  }
  mg::make_lines(to);
  return to;
}

// A world without scenery, and its memory.
struct Adopted {
  SceneryBlock scenery;
  Block block;
  mg::World w{};
};

// The same state as `from`. Throws if there is no memory for it.
inline Adopted adopted(const mg::Program& p, const mg::World& from) {
  const mg::Header plan = plan_adopted(p, from);
  if (plan.bytes == 0) throw std::bad_alloc();
  const mg::SceneryHead head = mg::plan_scenery(p, plan, 0);
  Adopted made{zeroed_scenery(head.bytes), zeroed_block(plan.bytes)};
  mg::make_line_numbers(mg::build_scenery(p, plan, head, made.scenery.get()), plan.actors);
  made.w = adopt_scenery(p, from, plan, made.block.get(), made.scenery.get());
  return made;
}

}  // namespace cpu
