// Objects on the grid: their tags, moving, creating and removing them (rules, sections 1, 2 and 6.4).
#pragma once

#include "core/state/inventory.hpp"
#include "core/state/territory.hpp"

namespace mg {

MG_FN bool has_tag(const World& w, int32_t slot, int32_t tag) { return test_bit(w.tags(slot), tag); }

// The list of holders is in the order in which they got the tag; slot 0 is never listed. False if there is no room.
MG_FN bool list_holder(const World& w, int32_t slot, int32_t tag) {
  if (slot == 0) return true;
  if (w.tag_held[tag] == w.tag_room[tag]) {
    w.fail(Fault::kTagHolders, tag);
    return false;
  }
  w.tag_holders[w.tag_first[tag] + w.tag_held[tag]++] = slot;
  return true;
}

MG_FN void unlist_holder(const World& w, int32_t slot, int32_t tag) {
  int32_t* holders = w.tag_holders + w.tag_first[tag];
  const int32_t count = w.tag_held[tag];
  int32_t at = 0;
  while (at < count && holders[at] != slot) ++at;
  if (at == count) return;
  for (int32_t i = at + 1; i < count; ++i) holders[i - 1] = holders[i];
  --w.tag_held[tag];
}

MG_FN void tags_changed(const Program& p, const World& w, int32_t slot) {
  w.touch(slot);
  if (w.flags(slot) & kHasClaims) refresh_claims(p, w, slot);
}

// Both return whether anything changed. The caller fires `on_tag_remove`.
MG_CALL bool add_tag(const Program& p, const World& w, int32_t slot, int32_t tag) {
  if (has_tag(w, slot, tag) || !w.can_change(slot)) return false;
  if (!list_holder(w, slot, tag)) return false;
  set_bit(w.tags(slot), tag);
  tags_changed(p, w, slot);
  return true;
}

MG_CALL bool remove_tag(const Program& p, const World& w, int32_t slot, int32_t tag) {
  if (!has_tag(w, slot, tag) || !w.can_change(slot)) return false;
  clear_bit(w.tags(slot), tag);
  unlist_holder(w, slot, tag);
  tags_changed(p, w, slot);
  return true;
}

MG_FN int32_t removal_entry(const Program& p, const World& w, int32_t slot, int32_t tag) {
  const Template& t = p.templates[w.kind(slot)];
  for (int32_t i = 0; i < t.removal_count; ++i) {
    const Removal& removal = p.removals[t.first_removal + i];
    if (removal.tag == tag) return removal.entry;
  }
  return 0;
}

MG_FN void set_vibe(const World& w, int32_t slot, int32_t vibe) {
  if (w.vibe(slot) == vibe || !w.can_change(slot)) return;
  w.object_vibe[slot] = static_cast<uint8_t>(vibe);
  w.touch(slot);
}

MG_FN void put_back(const Program& p, const World& w, int32_t slot) {
  const bool blocks = p.templates[w.kind(slot)].blocks_vision != 0;
  w.object_flags[slot] = static_cast<uint8_t>(w.flags(slot) | kOnGrid | (blocks ? kBlocksVision : 0));
  w.h->vision_blockers += blocks;
}

// The cell must be empty and on the grid. A removed object is back on the grid then, but not in any list of objects or
// tags; only the placeholder in slot 0 never is.
MG_CALL void move_object(const Program& p, const World& w, int32_t slot, int32_t row, int32_t col) {
  if (!w.can_change(slot)) return;
  if (slot != 0) {
    w.place(w.object_row[slot], w.object_col[slot], kEmpty);
    w.place(row, col, slot);
    if (!(w.flags(slot) & kOnGrid)) put_back(p, w, slot);
  }
  w.object_row[slot] = static_cast<uint16_t>(row);
  w.object_col[slot] = static_cast<uint16_t>(col);
  w.mark(slot);
  if (w.flags(slot) & kHasClaims) refresh_claims(p, w, slot);
}

MG_CALL void swap_objects(const Program& p, const World& w, int32_t a, int32_t b) {
  w.place(w.row(a), w.col(a), b);
  w.place(w.row(b), w.col(b), a);
  swap_values(w.object_row[a], w.object_row[b]);
  swap_values(w.object_col[a], w.object_col[b]);
  w.mark(a);
  w.mark(b);
  if (w.flags(a) & kHasClaims) refresh_claims(p, w, a);
  if (w.flags(b) & kHasClaims) refresh_claims(p, w, b);
}

// The number of removed objects that keep their slots because their territory claims stay.
MG_FN int32_t removed_with_claims(const World& w) {
  int32_t count = 0;
  for (int32_t slot = 1; slot < w.h->used_slots; ++slot) {
    count += (w.flags(slot) & (kRemoved | kHasClaims | kOnGrid)) == (kRemoved | kHasClaims);
  }
  return count;
}

// Reserves a slot for a new object, or returns kNone.
MG_FN int32_t take_slot(const World& w) {
  Header& h = *w.h;
  if (h.free_count > 0) return w.free_slots[--h.free_count];
  if (h.used_slots < h.actors) return h.used_slots++;
  w.fail(Fault::kObjects, removed_with_claims(w));
  return kNone;
}

// Puts a new object on an empty cell: tags, vibe, initial inventory. The caller registers areas and claims.
MG_CALL void make_object(const Program& p, const World& w, int32_t slot, int32_t template_index, int32_t row, int32_t col) {
  Header& h = *w.h;
  const Template& t = p.templates[template_index];
  w.object_id[slot] = h.next_id++;
  w.object_template[slot] = template_index;
  w.object_row[slot] = static_cast<uint16_t>(row);
  w.object_col[slot] = static_cast<uint16_t>(col);
  w.object_agent[slot] = kNone;
  w.object_seen[slot] = 0;
  w.object_vibe[slot] = static_cast<uint8_t>(t.vibe);
  w.object_flags[slot] = static_cast<uint8_t>(kOnGrid | (t.blocks_vision ? kBlocksVision : 0));
  h.vision_blockers += t.blocks_vision;
  for (int32_t i = 0; i < h.tag_words; ++i) w.tags(slot)[i] = 0;
  for (int32_t i = 0; i < t.tag_count; ++i) {
    const int32_t tag = p.lists[t.first_tag + i].value;
    set_bit(w.tags(slot), tag);
    list_holder(w, slot, tag);
  }
  for (int32_t r = 0; r < h.resources; ++r) {
    w.held(slot)[r] = 0;
    w.order(slot)[r] = kNoResource;
  }
  w.held_level[slot] = 0;
  forget_limits(w, slot);
  for (int32_t i = 0; i < t.initial_count; ++i) {
    const Pair& initial = p.pairs[t.first_initial + i];
    w.held(slot)[initial.key] = static_cast<uint16_t>(initial.value);
    list_initial(w.order(slot), h.resources, w.held_level[slot], initial);
  }
  w.place(row, col, slot);
  w.touch(slot);
}

// Removes an object from the grid and the tag lists. Its areas must be removed already. Its territory claims stay, as in
// the published engine, unless the program corrects that; while they stay, its slot is never reused.
MG_CALL void remove_object(const Program& p, const World& w, int32_t slot) {
  Header& h = *w.h;
  if (!w.can_change(slot) || !(w.flags(slot) & kOnGrid)) return;
  w.place(w.object_row[slot], w.object_col[slot], kEmpty);
  w.mark(slot);
  for_each_bit(w.tags(slot), h.tag_words, [&](int32_t tag) { unlist_holder(w, slot, tag); });
  h.vision_blockers -= p.templates[w.kind(slot)].blocks_vision;
  w.object_flags[slot] = static_cast<uint8_t>((w.flags(slot) & ~(kOnGrid | kBlocksVision)) | kRemoved);
  if (p.set().correct_removed_territory) withdraw_claims(p, w, slot);
  if (!p.set().any_spawn || w.is_agent(slot) || (w.flags(slot) & kHasClaims)) return;
  if (h.removed_count < h.spawn_slots) w.removed_slots[h.removed_count++] = slot;
}

// Slots of objects removed in this step can be reused from now on.
MG_FN void release_removed(const World& w) {
  Header& h = *w.h;
  for (int32_t i = 0; i < h.removed_count; ++i) {
    const int32_t slot = w.removed_slots[i];
    // Not if it is back on the grid, if its areas are still active, or if it was removed twice.
    if ((w.flags(slot) & (kOnGrid | kHasAreas)) || w.id(slot) == 0) continue;
    w.object_id[slot] = 0;
    w.free_slots[h.free_count++] = slot;
  }
  h.removed_count = 0;
}

}  // namespace mg
