// Effects on agents at their cells: areas of effect and territories (rules, sections 7 and 8).
#pragma once

#include "core/machine/run.hpp"

namespace mg {

struct Cell {
  int32_t row, col;
};

MG_FN Cell cell_at(const World& w, int32_t slot) { return Cell{w.row(slot), w.col(slot)}; }

MG_FN bool in_area(const Area& area, Cell centre, Cell cell) {
  const int64_t dr = cell.row - centre.row, dc = cell.col - centre.col;
  return dr * dr + dc * dc <= int64_t{area.radius} * area.radius;
}

// Applies one source to one agent: presence is paid on entering, taken back on leaving, mutations run while inside. The
// filters run again before mutations: presence may have changed their result, and a random query draws once more.
MG_CALL void meet_area(Machine& m, int32_t source, int32_t agent, bool in_range) {
  const World& w = m.w;
  const AreaSource from = w.area_source[source];
  const Area& area = m.p.areas[from.area];
  const int32_t slot = w.agent_slot[agent];
  const bool was = entered(w, source, agent) != 0;
  const bool passes =
      in_range && (from.slot != slot || area.effect_self) && (area.filters == 0 || m.run_for(area.filters, from.slot, slot));
  if (passes && !was) {
    entered(w, source, agent) = ++w.h->entries;
    apply_presence(m.p, w, area, agent, 1);
  } else if (!passes && was) {
    entered(w, source, agent) = 0;
    apply_presence(m.p, w, area, agent, -1);
  }
  if (!passes || area.mutations == 0) return;
  if (area.filters == 0 || m.run_for(area.filters, from.slot, slot)) m.run_for(area.mutations, from.slot, slot);
}

MG_FN void apply_deferred(Machine& m, int32_t slot) {
  for (int32_t i = 0; i < m.s.deferred_count; ++i) {
    const int32_t resource = m.s.deferred_resource[i];
    m.s.deferred_set[resource] = false;
    change_resource(m.p, m.w, slot, resource, m.s.deferred_delta[resource]);
  }
  m.s.deferred_count = 0;
}

// Fixed areas that the agent has left, the one it entered last first.
MG_FN void leave_fixed_areas(Machine& m, int32_t agent, Cell cell) {
  const World& w = m.w;
  while (true) {
    int32_t latest = kNone;
    for (int32_t i = 0; i < w.h->area_count; ++i) {
      const AreaSource& from = w.area_source[i];
      const Area& area = m.p.areas[from.area];
      if (!area.is_static || entered(w, i, agent) == 0 || in_area(area, Cell{from.row, from.col}, cell)) continue;
      if (latest < 0 || entered(w, i, agent) > entered(w, latest, agent)) latest = i;
    }
    if (latest < 0) return;
    entered(w, latest, agent) = 0;
    apply_presence(m.p, w, m.p.areas[w.area_source[latest].area], agent, -1);
  }
}

// Resource deltas on the agent are summed over all fixed areas and applied once at the end. The agent's initial cell
// counts, even if a mutation moves it.
MG_FN void apply_fixed_areas(Machine& m, int32_t agent) {
  const World& w = m.w;
  const int32_t slot = w.agent_slot[agent];
  const Cell cell = cell_at(w, slot);
  leave_fixed_areas(m, agent, cell);
  m.s.deferring = true;
  for (int32_t i = 0; i < w.h->area_count && m.ok(); ++i) {
    const AreaSource& from = w.area_source[i];
    const Area& area = m.p.areas[from.area];
    if (area.is_static && in_area(area, Cell{from.row, from.col}, cell)) meet_area(m, i, agent, true);
  }
  m.s.deferring = false;
  apply_deferred(m, slot);
}

MG_FN void apply_mobile_areas(Machine& m) {
  const World& w = m.w;
  for (int32_t i = 0; i < w.h->area_count; ++i) {
    if (m.p.areas[w.area_source[i].area].is_static) continue;
    // A mutation may remove the source, hence the second condition.
    for (int32_t agent = 0; agent < w.h->agents && i < w.h->area_count && m.ok(); ++agent) {
      const AreaSource& from = w.area_source[i];
      meet_area(m, i, agent, in_area(m.p.areas[from.area], cell_at(w, from.slot), cell_at(w, w.agent_slot[agent])));
    }
  }
}

// The actor of territory handlers is a placeholder that has only the owning tag and the agent's cell. Each territory has
// one for the whole episode: its inventory and vibe persist across owners and agents. That of a single territory stays in slot
// 0.
MG_FN void run_as_owner(Machine& m, int32_t territory, int32_t entry, int32_t owner, int32_t slot) {
  if (entry == 0) return;
  const World& w = m.w;
  const int32_t resources = w.h->resources, tag_words = w.h->tag_words;
  uint16_t *const held = w.owner_held + territory * resources, *const own = w.held(0);
  uint32_t* const tags = w.tags(0);
  for (int32_t i = 0; i < tag_words; ++i) tags[i] = i == owner >> 5 ? 1u << (owner & 31) : 0;
  const bool is_shared = w.h->territories > 1;
  for (int32_t r = 0; is_shared && r < resources; ++r) own[r] = held[r];
  if (is_shared) w.object_vibe[0] = w.owner_vibe[territory];
  w.object_row[0] = w.object_row[slot];
  w.object_col[0] = w.object_col[slot];
  m.run_for(entry, 0, slot);
  for (int32_t r = 0; is_shared && r < resources; ++r) held[r] = own[r];
  if (is_shared) w.owner_vibe[territory] = w.object_vibe[0];
}

MG_FN void apply_territories(Machine& m, int32_t agent) {
  const World& w = m.w;
  const int32_t slot = w.agent_slot[agent], cells = w.h->cells;
  for (int32_t k = 0; k < m.p.territories.size && m.ok(); ++k) {
    const Territory& territory = m.p.territories[k];
    int16_t& before = w.agent_owner[agent * w.h->territories + k];
    settle_territory(m.p, w);
    const int32_t cell = w.actor_cell(slot), owner = w.h->territories == 1 ? w.owner_of(cell) : w.owner[k * cells + cell];
    const int16_t now = static_cast<int16_t>(owner);
    if (now != before) {
      const int16_t left = before;
      before = now;
      if (left >= 0) run_as_owner(m, k, territory.on_exit, left, slot);
      if (now >= 0) run_as_owner(m, k, territory.on_enter, now, slot);
    }
    if (now >= 0) run_as_owner(m, k, territory.presence, now, slot);
  }
}

MG_FN void apply_area_effects(Machine& m) {
  const World& w = m.w;
  for (int32_t agent = 0; agent < w.h->agents && m.ok(); ++agent) {
    if (w.h->area_count > 0) apply_fixed_areas(m, agent);
    apply_territories(m, agent);
    look_ahead<PrefetchStats>(m.s, agent);
  }
  apply_mobile_areas(m);
  // Also of objects that were removed again: those areas are never withdrawn, as in the published engine.
  for (int32_t i = 0; i < w.h->new_area_slots; ++i) register_areas(m.p, w, w.new_areas[i]);
  w.h->new_area_slots = 0;
}

}  // namespace mg
