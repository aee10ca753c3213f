// Agents' actions (rules, section 4): two streams of actions, executed in shuffled order.
#pragma once

#include "core/machine/run.hpp"

namespace mg {

MG_FN bool use_object(Machine& m, int32_t actor, int32_t target) {
  const int32_t entry = m.p.templates[m.w.kind(target)].on_use;
  const int32_t row = m.w.row(target), col = m.w.col(target);
  if (entry == 0 || !m.run_at(entry, actor, target, row, col)) return false;
  m.w.agent_animation[m.w.agent(actor)] = 1;
  return m.run_at(m.p.templates[m.w.kind(actor)].on_after_use, actor, target, row, col);
}

// A configured move handler scans cells ahead up to its range and is tried at most once.
MG_FN bool try_move_handler(Machine& m, const MoveHandler& handler, int32_t actor, const Action& action) {
  const World& w = m.w;
  const int32_t row = w.row(actor), col = w.col(actor);
  for (int32_t i = 1; i <= handler.range; ++i) {
    const int32_t r = row + action.dr * i, c = col + action.dc * i;
    if (!w.inside(r, c)) return false;
    const int32_t slot = w.slot_at(w.cell(r, c));
    if (slot == kEmpty && !handler.takes_empty) continue;
    m.ctx = Context{actor, slot == kEmpty ? kNone : slot, kNone, r, c};
    return m.run(handler.entry);
  }
  return false;
}

// Configured handlers first, then the two built-in ones: move onto an empty cell, use the object in the way.
MG_FN bool move_agent(Machine& m, int32_t actor, const Action& action) {
  for (const MoveHandler& handler : m.p.move_handlers) {
    if (try_move_handler(m, handler, actor, action)) return true;
    if (!m.ok()) return false;
  }
  const World& w = m.w;
  const int32_t row = w.row(actor) + action.dr, col = w.col(actor) + action.dc;
  if (!w.inside(row, col)) return false;
  const int32_t slot = w.slot_at(w.cell(row, col));
  if (slot != kEmpty) return use_object(m, actor, slot);
  move_object(m.p, w, actor, row, col);
  return true;
}

MG_FN void count_motion(const Program& p, const World& w, int32_t agent, int32_t actor, const AgentStats& stats) {
  const int32_t cell = w.actor_cell(actor);
  if (cell == w.agent_moved[agent]) {
    const float still = static_cast<float>(++w.agent_still[agent]);
    float& most = stats[p.set().stat_still];
    most = max_of(most, still);
  } else {
    w.agent_still[agent] = 0;
  }
  w.agent_moved[agent] = cell;
}

MG_CALL void act(Machine& m, int32_t agent, int32_t id, const Action& action) {
  const Settings& set = m.p.set();
  const World& w = m.w;
  const int32_t actor = w.agent_slot[agent];
#if !defined(__CUDA_ARCH__)
  if (m.s.watcher != nullptr) m.s.watcher->action(*m.s.watcher, agent, id);
#endif
  w.agent_animation[agent] = 0;
  bool success = true;
  int32_t stat = set.stat_noop;
  if (action.kind == static_cast<int32_t>(ActionKind::kMove)) {
    success = move_agent(m, actor, action);
    stat = set.stat_move;
  } else if (action.kind == static_cast<int32_t>(ActionKind::kChangeVibe)) {
    set_vibe(w, actor, action.vibe);
    stat = set.stat_vibe;
  }
  const AgentStats stats = agent_stats(w, agent);
  count_motion(m.p, w, agent, actor, stats);
  if (success) {
    w.agent_action[agent] = id;
    w.agent_success[agent] = 1;
    stats[stat] += 1.0f;
  } else {
    stats[stat + 1] += 1.0f;
    stats[set.stat_failed] += 1.0f;
  }
}

// Ids outside the list are counted once per pass, twice in all, as in the published engine. In the vibe stream they also
// revoke the success of the primary action.
MG_FN void count_invalid(Machine& m, int32_t agent, int32_t id) {
  m.w.agent_success[agent] = 0;
  count_invalid_action(m.p, m.w, agent, id);
  if (!m.p.set().correct_invalid) count_invalid_action(m.p, m.w, agent, id);
}

MG_FN void apply_actions(Machine& m, const Buffers& io) {
  const World& w = m.w;
  const int32_t agents = w.h->agents, actions = m.p.set().action_count;
  for (int32_t i = 0; i < agents; ++i) {
    w.agent_order[i] = i;
    w.agent_action[i] = 0;
    w.agent_success[i] = 0;
  }
  w.h->random.shuffle(w.agent_order, agents);
  for (int32_t stream = 0; stream < 2; ++stream) {
    const int32_t* ids = stream == 0 ? io.actions : io.vibe_actions;
    for (int32_t i = 0; i < agents && m.ok(); ++i) {
      const int32_t agent = w.agent_order[i], id = ids[agent];
      if (static_cast<uint32_t>(id) >= static_cast<uint32_t>(actions)) {
        count_invalid(m, agent, id);
        continue;
      }
      const Action& action = m.p.actions[id];
      const bool is_vibe = action.kind == static_cast<int32_t>(ActionKind::kChangeVibe);
      if (is_vibe == (stream == 1)) act(m, agent, id, action);
    }
  }
}

}  // namespace mg
