// Mutations: what rules change.
#pragma once

#include "core/machine/queries.hpp"
#include "core/state/areas.hpp"

namespace mg {

MG_FN void change_or_defer(Machine& m, const Instr& in) {
  const int32_t slot = m.entity(in.a);
  if (slot < 0) return;
  const bool defer = m.s.deferring && in.a == static_cast<int32_t>(Entity::kTarget) && !is_modifier(m.p, m.w, slot, in.b);
  if (!defer) {
    change_resource(m.p, m.w, slot, in.b, in.c);
    return;
  }
  if (!m.s.deferred_set[in.b]) {
    m.s.deferred_set[in.b] = true;
    m.s.deferred_delta[in.b] = 0;
    m.s.deferred_resource[m.s.deferred_count++] = in.b;
  }
  m.s.deferred_delta[in.b] += in.c;
}

MG_FN void transfer(Machine& m, const Instr& in) {
  const int32_t from = m.entity(in.a / 8), to = m.entity(in.a % 8);
  if (from < 0 || to < 0) return;
  const int32_t moved = transfer_resource(m.p, m.w, from, to, in.b, in.c < 0 ? m.w.held(from)[in.b] : in.c);
  if (moved > 0 && m.w.is_agent(from)) {
    agent_stat(m.w, m.w.agent(from), resource_stat(m.p, in.b, kDeposited)) += static_cast<float>(moved);
  }
  if (in.sense == 1 && (m.w.flags(from) & kOnGrid) && holds_nothing(m.w, from)) {
    withdraw_areas(m.p, m.w, from);
    remove_object(m.p, m.w, from);
  }
}

MG_FN void query_move(Machine& m, const Instr& in) {
  const int32_t slot = m.entity(static_cast<int32_t>(Entity::kElement));
  int32_t moved = 0;
  if (in.a < 0) {
    moved = change_resource(m.p, m.w, slot, in.b, in.c);
  } else {
    const int32_t other = m.entity(in.a);
    if (other < 0) return;
    moved =
        in.c > 0 ? transfer_resource(m.p, m.w, other, slot, in.b, in.c) : transfer_resource(m.p, m.w, slot, other, in.b, -in.c);
  }
  if (moved != 0 && in.sense >= 0) game_stat(m.w, in.sense) += static_cast<float>(moved);
}

MG_FN void place_adjacent(Machine& m, int32_t slot) {
  constexpr int32_t kSteps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  for (int32_t i = m.result_begin(); slot >= 0 && i < m.s.top; ++i) {
    for (const auto& step : kSteps) {
      const int32_t row = m.w.row(m.s.arena[i]) + step[0], col = m.w.col(m.s.arena[i]) + step[1];
      if (!m.w.inside(row, col) || m.w.slot_at(m.w.cell(row, col)) != kEmpty) continue;
      move_object(m.p, m.w, slot, row, col);
      return m.drop_result();
    }
  }
  m.drop_result();
}

MG_FN void untag_all(Machine& m, int32_t tag) {
  const int32_t begin = m.s.top, count = m.w.tag_held[tag];
  for (int32_t i = 0; i < count; ++i) m.keep(m.w.tag_holders[m.w.tag_first[tag] + i]);
  if (!m.ok()) return;
  m.w.tag_held[tag] = 0;
  for (int32_t i = begin; i < m.s.top; ++i) {
    clear_bit(m.w.tags(m.s.arena[i]), tag);
    tags_changed(m.p, m.w, m.s.arena[i]);
  }
  m.push_result(begin);
}

MG_FN void tag_result(Machine& m, int32_t tag) {
  for (int32_t i = m.result_begin(); i < m.s.top; ++i) add_tag(m.p, m.w, m.s.arena[i], tag);
  m.drop_result();
  int32_t lost = m.result_begin();
  for (int32_t i = lost; i < m.s.top; ++i) {
    if (!has_tag(m.w, m.s.arena[i], tag)) m.s.arena[lost++] = m.s.arena[i];
  }
  m.s.top = lost;
}

MG_FN bool relative_target(Machine& m, const Instr& in) {
  if (m.ctx.actor < 0) return false;
  const int32_t row = m.w.row(m.ctx.actor) + m.p.lists[in.a].value * in.c;
  const int32_t col = m.w.col(m.ctx.actor) + m.p.lists[in.a + 1].value * in.c;
  if (!m.w.inside(row, col)) return false;
  const int32_t slot = m.w.slot_at(m.w.cell(row, col));
  m.ctx.row = row;
  m.ctx.col = col;
  m.ctx.target = slot == kEmpty ? kNone : slot;
  return true;
}

MG_FN void swap_agents(Machine& m) {
  const int32_t a = m.ctx.actor, b = m.ctx.target;
  if (a < 0 || b < 0 || !m.w.is_agent(a) || !m.w.is_agent(b)) return;
  if (a != b) swap_objects(m.p, m.w, a, b);
  agent_stat(m.w, m.w.agent(a), m.p.set().stat_swap) += 1.0f;
}

MG_FN bool push_target(Machine& m) {
  const int32_t actor = m.ctx.actor, target = m.ctx.target;
  if (actor < 0 || target < 0) return false;
  const int32_t row = m.w.row(target) + sign_of(m.w.row(target) - m.w.row(actor));
  const int32_t col = m.w.col(target) + sign_of(m.w.col(target) - m.w.col(actor));
  if (!m.w.inside(row, col) || m.w.slot_at(m.w.cell(row, col)) != kEmpty) return false;
  move_object(m.p, m.w, target, row, col);
  return true;
}

MG_FN void relocate(Machine& m) {
  const int32_t actor = m.ctx.actor;
  if (actor < 0 || !m.w.is_agent(actor) || !m.w.inside(m.ctx.row, m.ctx.col)) return;
  if (m.w.slot_at(m.w.cell(m.ctx.row, m.ctx.col)) == kEmpty) move_object(m.p, m.w, actor, m.ctx.row, m.ctx.col);
}

MG_FN bool spawn_at_target(Machine& m, int32_t template_index) {
  if (template_index < 0 || !m.w.inside(m.ctx.row, m.ctx.col)) return false;
  if (m.w.slot_at(m.w.cell(m.ctx.row, m.ctx.col)) != kEmpty) return false;
  const int32_t slot = spawn_object(m, template_index, m.ctx.row, m.ctx.col);
  if (slot < 0) return false;
  m.ctx.target = slot;
  return true;
}

// A tag was removed from `slot`: its handler runs with the object as actor and target, and the target cell of the rule that
// removed the tag. Returns where to continue.
MG_FN int32_t after_removal(Machine& m, int32_t slot, int32_t tag, int32_t next) {
  const int32_t entry = removal_entry(m.p, m.w, slot, tag);
  if (entry == 0 || !m.enter(next, CallKind::kRestore, entry)) return next;
  m.ctx = Context{slot, slot, kNone, m.ctx.row, m.ctx.col};
  return entry;
}

// Only agents use objects.
MG_FN int32_t use_target(Machine& m, const Instr& in, int32_t next) {
  const bool can_use = m.ctx.actor >= 0 && m.w.is_agent(m.ctx.actor) && m.ctx.target >= 0;
  const int32_t entry = can_use ? m.p.templates[m.w.kind(m.ctx.target)].on_use : 0;
  if (entry == 0) return in.sense == 1 ? in.jump : next;
  return m.enter(next, CallKind::kUse, entry, in.sense == 1 ? in.jump : kNone) ? entry : next;
}

namespace operations {

MG_OPERATION(ChangeResource) {
  change_or_defer(m, in);
  return next;
}
MG_OPERATION(Transfer) {
  transfer(m, in);
  return next;
}
MG_OPERATION(ClearResources) {
  const int32_t slot = m.entity(in.a);
  for (int32_t i = 0; slot >= 0 && i < in.c; ++i) {
    const int32_t resource = m.p.lists[in.b + i].value, held = m.w.held(slot)[resource];
    if (held != 0) {
      change_resource(m.p, m.w, slot, resource, -int64_t{held});
    } else {
      touch_empty(m.w, slot);
    }
  }
  return next;
}
MG_OPERATION(AddResource) {
  const int32_t slot = m.entity(in.a);
  const float delta = m.pop();
  if (slot >= 0) change_resource(m.p, m.w, slot, in.b, truncate_to_int(delta));
  else if (in.c >= 0) game_stat(m.w, in.c) += delta;
  return next;
}
MG_OPERATION(AddHeld) {
  const int32_t slot = m.entity(in.a);
  if (slot >= 0) change_resource(m.p, m.w, slot, in.b, m.w.held(slot)[in.c]);
  return next;
}
MG_OPERATION(QueryMove) {
  query_move(m, in);
  return next;
}

MG_OPERATION(SetGameStat) {
  game_stat(m.w, in.a) = m.pop();
  return next;
}
MG_OPERATION(SetAgentStat) {
  const int32_t slot = m.entity(in.a);
  const float x = m.pop();
  if (slot >= 0 && m.w.is_agent(slot)) agent_stat(m.w, m.w.agent(slot), in.b) = x;
  return next;
}
MG_OPERATION(AddGameStat) {
  game_stat(m.w, in.a) += m.pop();
  return next;
}
MG_OPERATION(AddAgentStat) {
  const int32_t slot = m.entity(in.a);
  const float x = m.pop();
  if (slot >= 0 && m.w.is_agent(slot)) agent_stat(m.w, m.w.agent(slot), in.b) += x;
  return next;
}

MG_OPERATION(AddTag) {
  const int32_t slot = m.entity(in.a);
  if (slot >= 0) add_tag(m.p, m.w, slot, in.b);
  return next;
}
MG_OPERATION(RemoveTag) {
  const int32_t slot = m.entity(in.a);
  return slot >= 0 && remove_tag(m.p, m.w, slot, in.b) ? after_removal(m, slot, in.b, next) : next;
}
MG_OPERATION(UntagAll) {
  untag_all(m, in.a);
  return next;
}
MG_OPERATION(TagResult) {
  tag_result(m, in.a);
  return next;
}
MG_OPERATION(FireRemoval) { return after_removal(m, m.entity(static_cast<int32_t>(Entity::kElement)), in.a, next); }

MG_OPERATION(SetVibe) {
  const int32_t slot = m.entity(in.a);
  if (slot >= 0) set_vibe(m.w, slot, in.b);
  return next;
}

MG_OPERATION(PlaceAdjacent) {
  place_adjacent(m, m.entity(in.a));
  return next;
}
MG_OPERATION(Relocate) {
  relocate(m);
  return next;
}
MG_OPERATION(RelativeTarget) { return after_try(in, next, relative_target(m, in)); }
MG_OPERATION(Swap) {
  swap_agents(m);
  return next;
}
MG_OPERATION(Push) { return after_try(in, next, push_target(m)); }
MG_OPERATION(UseTarget) { return use_target(m, in, next); }
MG_OPERATION(Spawn) { return after_try(in, next, spawn_at_target(m, in.a)); }

}  // namespace operations
}  // namespace mg
