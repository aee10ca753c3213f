// Sources of areas of effect and the agents inside them (rules, section 7). `effects.hpp` applies them.
#pragma once

#include "core/state/objects.hpp"

namespace mg {

// When an agent entered the range of a source; 0 = it is not inside.
MG_FN uint32_t& entered(const World& w, int32_t source, int32_t agent) { return w.area_entered[source * w.h->agents + agent]; }

MG_FN void register_areas(const Program& p, const World& w, int32_t slot) {
  const Template& t = p.templates[w.kind(slot)];
  if (t.area_count > 0) w.object_flags[slot] = static_cast<uint8_t>(w.flags(slot) | kHasAreas);
  for (int32_t i = 0; i < t.area_count; ++i) {
    if (w.h->area_count == w.h->area_capacity) return w.fail(Fault::kAreas, w.h->area_capacity);
    const int32_t source = w.h->area_count++;
    w.area_source[source] = AreaSource{slot, t.first_area + i, w.row(slot), w.col(slot)};
    for (int32_t agent = 0; agent < w.h->agents; ++agent) entered(w, source, agent) = 0;
  }
}

// Pays (sign 1) or takes back (sign -1) the presence deltas of an area for one agent, at once.
MG_FN void apply_presence(const Program& p, const World& w, const Area& area, int32_t agent, int32_t sign) {
  for (int32_t i = 0; i < area.presence_count; ++i) {
    const Pair& delta = p.pairs[area.first_presence + i];
    change_resource(p, w, w.agent_slot[agent], delta.key, int64_t{sign} * delta.value);
  }
}

// Ends the areas of an object; every agent inside loses its presence deltas.
MG_CALL void withdraw_areas(const Program& p, const World& w, int32_t slot) {
  if (!(w.flags(slot) & kHasAreas)) return;
  int32_t kept = 0;
  for (int32_t i = 0; i < w.h->area_count; ++i) {
    if (w.area_source[i].slot == slot) {
      for (int32_t agent = 0; agent < w.h->agents; ++agent) {
        if (entered(w, i, agent) != 0) apply_presence(p, w, p.areas[w.area_source[i].area], agent, -1);
      }
      continue;
    }
    if (kept != i) {
      w.area_source[kept] = w.area_source[i];
      for (int32_t agent = 0; agent < w.h->agents; ++agent) entered(w, kept, agent) = entered(w, i, agent);
    }
    ++kept;
  }
  w.h->area_count = kept;
  w.object_flags[slot] = static_cast<uint8_t>(w.flags(slot) & ~kHasAreas);
}

}  // namespace mg
