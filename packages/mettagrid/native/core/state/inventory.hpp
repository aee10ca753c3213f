// Inventories and their limits (rules, section 3).
#pragma once

#include "core/state/stats.hpp"

namespace mg {

constexpr int32_t kMostHeld = 65535;

// The published engine stores an inventory in a hash table of resource ids and observes it in the table's order, on which
// trained networks depend. A table has 13 buckets and grows when it holds more ids than buckets, to 29, 59, 127 and 257; a
// resource is in it while its amount is not 0. A new id goes to the front of the ids of its bucket, or else of all ids.
// Growing inserts the ids again, in their order. Changing an amount that is 0 and stays 0 inserts the id and erases it, which
// may make the table grow.
constexpr uint8_t kNoResource = 0xFF;  // ends an order that is shorter than its room
constexpr int32_t kMostResources = 256, kLevels = 5;

MG_FN int32_t buckets(int32_t level) { return level == 0 ? 13 : level == 1 ? 29 : level == 2 ? 59 : level == 3 ? 127 : 257; }

MG_FN void insert_resource(uint8_t* order, int32_t count, int32_t resource, int32_t buckets) {
  int32_t at = 0;
  while (at < count && order[at] % buckets != resource % buckets) ++at;
  if (at == count) at = 0;
  for (int32_t i = count; i > at; --i) order[i] = order[i - 1];
  order[at] = static_cast<uint8_t>(resource);
}

// Makes room for one more id and returns the number of ids.
MG_FN int32_t make_room(uint8_t* order, int32_t room, uint8_t& level) {
  int32_t count = 0;
  while (count < room && order[count] != kNoResource) ++count;
  if (count < buckets(level)) return count;
  ++level;
  uint8_t before[kMostResources];
  for (int32_t i = 0; i < count; ++i) before[i] = order[i];
  for (int32_t i = 0; i < count; ++i) insert_resource(order, i, before[i], buckets(level));
  return count;
}

MG_RARE void list_resource(uint8_t* order, int32_t room, uint8_t& level, int32_t resource) {
  const int32_t count = make_room(order, room, level);
  insert_resource(order, count, resource, buckets(level));
}

MG_FN void list_initial(uint8_t* order, int32_t room, uint8_t& level, const Pair& initial) {
  if (initial.value != 0) {
    list_resource(order, room, level, initial.key);
  } else {
    make_room(order, room, level);
  }
}

MG_RARE void unlist_resource(uint8_t* order, int32_t room, int32_t resource) {
  int32_t at = 0;
  while (at < room && order[at] != resource) ++at;
  for (; at + 1 < room; ++at) order[at] = order[at + 1];
  if (at < room) order[at] = kNoResource;
}

MG_FN int32_t limit_group(const Program& p, const World& w, int32_t slot, int32_t resource) {
  const int32_t map = p.templates[w.kind(slot)].limit_map;
  return map < 0 ? kNone : p.lists[map + resource].value;
}

// min(max, max(base, sum of bonus x held)): the base is a floor, not an addend. `held`: the amounts of an object.
MG_FN int32_t limit_with(const Program& p, const uint16_t* held, int32_t group) {
  const LimitGroup& g = p.limit_groups[group];
  int64_t bonus = 0;
  for (int32_t i = 0; i < g.modifier_count; ++i) {
    const Pair& modifier = p.pairs[g.first_modifier + i];
    bonus += static_cast<int64_t>(modifier.value) * held[modifier.key];
  }
  const int64_t limit = min_of<int64_t>(g.max, max_of<int64_t>(g.base, bonus));
  return static_cast<int32_t>(clamp_to<int64_t>(limit, 0, kMostHeld));
}

MG_FN int32_t effective_limit(const Program& p, const World& w, int32_t slot, int32_t group) {
  return limit_with(p, w.held(slot), group);
}

// The sum of a group, in 16 bits as in the published engine: only over-full initial amounts can make it wrap.
MG_FN int32_t total_with(const Program& p, const uint16_t* held, int32_t group) {
  const LimitGroup& g = p.limit_groups[group];
  int32_t total = 0;
  for (int32_t i = 0; i < g.member_count; ++i) total += held[p.lists[g.first_member + i].value];
  return total & 0xFFFF;
}

MG_FN int32_t group_total(const Program& p, const World& w, int32_t slot, int32_t group) {
  return total_with(p, w.held(slot), group);
}

MG_FN int32_t free_space(const Program& p, const World& w, int32_t slot, int32_t resource) {
  const int32_t group = limit_group(p, w, slot, resource);
  if (group < 0) return kMostHeld - w.held(slot)[resource];
  return max_of(0, effective_limit(p, w, slot, group) - group_total(p, w, slot, group));
}

MG_FN bool is_modifier(const Program& p, const World& w, int32_t slot, int32_t resource) {
  const int32_t mask = p.templates[w.kind(slot)].modifier_mask;
  return mask >= 0 && test_bit(p.mask(mask), resource);
}

MG_FN void set_held(const Program& p, const World& w, int32_t slot, int32_t resource, int32_t amount) {
  if (!w.can_change(slot)) return;
  const int32_t resources = w.h->resources, agent = w.object_agent[slot];
  uint16_t& held = w.inventory[slot * resources + resource];
  const int32_t change = amount - held;
  if ((held != 0) != (amount != 0) && slot != 0) {  // slot 0 is the placeholder for territory owners and is never observed
    uint8_t* order = w.held_order + slot * resources;
    if (amount != 0) {
      list_resource(order, resources, w.held_level[slot], resource);
    } else {
      unlist_resource(order, resources, resource);
    }
  }
  held = static_cast<uint16_t>(amount);
  w.touch(slot);
  if (agent < 0) return;
  const AgentStats stats = agent_stats(w, agent);
  stats[resource_stat(p, resource, kAmount)] = static_cast<float>(amount);
  stats[resource_stat(p, resource, change > 0 ? kGained : kLost)] += static_cast<float>(abs_of(change));
  if (amount == 0 && change <= 0 && resource == p.set().death_resource) stats[p.set().stat_death] += 1.0f;
}

// A modifier was lost: drop what no longer fits, resource by resource. Dropping another modifier starts over, which equals
// a nested pass, since a finished pass leaves nothing to drop.
MG_RARE void drop_excess(const Program& p, const World& w, int32_t slot) {
  const Template& t = p.templates[w.kind(slot)];
  for (int32_t i = 0; i < t.drop_count; ++i) {
    const int32_t resource = p.lists[t.first_drop + i].value;
    const int32_t group = limit_group(p, w, slot, resource);
    const int32_t excess = group_total(p, w, slot, group) - effective_limit(p, w, slot, group);
    const int32_t held = w.held(slot)[resource];
    if (excess <= 0 || held == 0) continue;
    set_held(p, w, slot, resource, held - min_of(held, excess));
    if (is_modifier(p, w, slot, resource)) i = -1;
  }
}

// The most of a resource that an object with these amounts may hold, or any number that is not less than `wanted`.
MG_FN int32_t most_held(const Program& p, const uint16_t* held, int32_t group, int32_t resource, int64_t wanted) {
  if (group < 0) return kMostHeld;
  const LimitGroup& g = p.limit_groups[group];
  const bool is_alone = g.member_count == 1;
  if (is_alone && wanted <= min_of(g.base, g.max)) return kMostHeld;  // whatever the modifiers
  const int32_t others = is_alone ? 0 : max_of(0, total_with(p, held, group) - held[resource]);
  return max_of(0, limit_with(p, held, group) - others);
}

// Limits of agents that depend on modifiers alone are stored until a modifier changes. Only a CPU stores them: a GPU would read
// another line of memory for each agent.
MG_FN void forget_limits(const World& w, int32_t slot) {
#if !defined(__CUDA_ARCH__)
  const int32_t resources = w.h->resources;
  for (int32_t i = 0; slot <= w.h->agents && i < resources; ++i) w.agent_limit[slot * resources + i] = 0;
#else
  (void)w, (void)slot;
#endif
}

MG_RARE int32_t grow_order(const World& w, int32_t slot) {
  make_room(w.held_order + slot * w.h->resources, w.h->resources, w.held_level[slot]);
  w.touch(slot);
  return 0;
}

// Changing an amount that is 0 and stays 0 may make the hash table grow, which can change the order of the resources: only if
// the table is full.
MG_FN int32_t touch_empty(const World& w, int32_t slot) {
  const int32_t resources = w.h->resources;
  if (resources <= buckets(0) || slot == 0 || w.is_scenery(slot)) return 0;
  const int32_t full = buckets(w.held_level[slot]);
  return full <= resources && w.held_order[slot * resources + full - 1] != kNoResource ? grow_order(w, slot) : 0;
}

MG_RARE int32_t apply_change(const Program& p, const World& w, int32_t slot, int32_t resource, int32_t before, int32_t after) {
  set_held(p, w, slot, resource, after);
  if (is_modifier(p, w, slot, resource)) {
    forget_limits(w, slot);
    if (after < before) drop_excess(p, w, slot);
  }
  return after - before;
}

// `most`: its limit, or at least `wanted`.
MG_FN int32_t change_amount(const Program& p, const World& w, int32_t slot, int32_t resource, int32_t before, int64_t wanted,
                            int32_t most) {
  const int32_t after = static_cast<int32_t>(clamp_to<int64_t>(wanted, 0, most));
  if (after != before) return apply_change(p, w, slot, resource, before, after);
  return before == 0 ? touch_empty(w, slot) : 0;
}

// The same for an increase if the limit is not known. That of an agent is stored if it depends on modifiers alone.
MG_RARE int32_t change_within_limit(const Program& p, const World& w, int32_t slot, int32_t resource, int32_t before,
                                    int64_t wanted) {
  const uint16_t* const held = w.held(slot);
  const int32_t group = limit_group(p, w, slot, resource);
  const bool is_stored = w.is_agent(slot) && (group < 0 || p.limit_groups[group].member_count == 1);
  const int32_t most = !is_stored  ? most_held(p, held, group, resource, wanted)
                       : group < 0 ? kMostHeld
                                   : limit_with(p, held, group);
  if (is_stored) w.agent_limit[slot * w.h->resources + resource] = static_cast<uint16_t>(most);
  return change_amount(p, w, slot, resource, before, wanted, most);
}

// Changes an amount within its limit and returns the actual change. An over-full amount is cut by any change. Whatever it
// calls, it calls last: it is short and frequent, and need not save registers.
MG_CALL int32_t change_resource(const Program& p, const World& w, int32_t slot, int32_t resource, int64_t delta) {
  const int32_t before = w.held(slot)[resource];
  const int64_t wanted = before + delta;
#if !defined(__CUDA_ARCH__)
  const int32_t limit = slot <= w.h->agents ? w.agent_limit[slot * w.h->resources + resource] : 0;
  if (limit == 0 && wanted > 0) return change_within_limit(p, w, slot, resource, before, wanted);
#else
  const int32_t group = limit_group(p, w, slot, resource);
  const int32_t limit = wanted > 0 ? most_held(p, w.held(slot), group, resource, wanted) : 0;
#endif
  return change_amount(p, w, slot, resource, before, wanted, limit);
}

// Moves up to `amount` and returns the moved amount. Both sides are updated even if nothing can move, which cuts an
// over-full amount to its limit.
MG_CALL int32_t transfer_resource(const Program& p, const World& w, int32_t from, int32_t to, int32_t resource,
                                  int32_t amount) {
  if (amount <= 0) return 0;
  const int32_t moved = min_of(min_of<int32_t>(w.held(from)[resource], amount), free_space(p, w, to, resource));
  change_resource(p, w, from, resource, -static_cast<int64_t>(moved));
  change_resource(p, w, to, resource, moved);
  return moved;
}

MG_FN bool holds_nothing(const World& w, int32_t slot) {
  for (int32_t r = 0; r < w.h->resources; ++r) {
    if (w.held(slot)[r] != 0) return false;
  }
  return true;
}

}  // namespace mg
