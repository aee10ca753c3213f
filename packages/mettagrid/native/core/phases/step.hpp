// One step, in the order of the rules document (section 10).
#pragma once

#include "core/phases/actions.hpp"
#include "core/phases/effects.hpp"
#include "core/phases/observe.hpp"

namespace mg {

MG_FN void fire_due_events(Machine& m) {
  const World& w = m.w;
  while (w.h->next_event < m.p.schedule.size && m.p.schedule[w.h->next_event].timestep <= w.h->step && m.ok()) {
    m.run_for(m.p.schedule[w.h->next_event++].entry, kNone, kNone);
  }
}

MG_FN void run_agent_ticks(Machine& m) {
  const World& w = m.w;
  for (int32_t agent = 0; agent < w.h->agents && m.ok(); ++agent) {
    const int32_t slot = w.agent_slot[agent];
    m.run_for(m.p.templates[w.kind(slot)].on_tick, slot, slot);
    look_ahead<PrefetchTokens>(m.s, agent);
  }
}

// The game's own handler has neither actor nor target, but one context for the whole episode: a target that a spawn sets
// persists in the next step.
MG_FN void run_game_tick(Machine& m) {
  const int32_t entry = m.p.set().game_tick_entry;
  if (entry == 0) return;
  Header& h = *m.w.h;
  if (m.p.set().correct_tick) {
    m.run_for(entry, kNone, kNone);
    return;
  }
  const bool is_same = h.tick_target > 0 && m.w.id(h.tick_target) == h.tick_target_id;
  m.run_at(entry, kNone, is_same ? h.tick_target : kNone, h.tick_row, h.tick_col);
  h.tick_target = max_of(0, m.ctx.target);
  h.tick_target_id = m.w.id(h.tick_target);
  h.tick_row = m.ctx.row;
  h.tick_col = m.ctx.col;
}

MG_FN void count_coverage(const Program& p, const World& w) {
  const int32_t agents = w.h->agents, cell_words = w.h->cell_words;
  const int32_t unique_stat = p.set().stat_unique, distance_stat = p.set().stat_distance;
  for (int32_t agent = 0; agent < agents; ++agent) {
    const int32_t slot = w.agent_slot[agent], row = w.object_row[slot], col = w.object_col[slot], cell = w.cell(row, col);
    uint32_t& cells = w.agent_cells[agent * cell_words + (cell >> 5)];
    const uint32_t bit = 1u << (cell & 31);
    const int32_t unique = w.agent_unique[agent] + ((cells & bit) == 0);  // without a branch, which would be mispredicted
    cells |= bit;
    const int32_t far =
        max_of(w.agent_farthest[agent], abs_of(row - w.agent_spawn_row[agent]) + abs_of(col - w.agent_spawn_col[agent]));
    w.agent_unique[agent] = unique;
    w.agent_farthest[agent] = far;
    float* const stats = agent_stats(w, agent).values;  // they exist since `reset_coverage`
    stats[unique_stat] = static_cast<float>(unique);
    stats[distance_stat] = static_cast<float>(far);
  }
}

// A per-tick entry pays its value, any other the change since it was last evaluated (0 at first). Periodic filters in
// rewards see step 0 throughout.
MG_FN void write_rewards(Machine& m, const Buffers& io) {
  const World& w = m.w;
  m.now = 0;
  m.begin_reading();
  for (int32_t agent = 0; agent < w.h->agents && m.ok(); ++agent) {
    const int32_t slot = w.agent_slot[agent];
    const Template& t = m.p.templates[w.kind(slot)];
    float sum = 0.0f;
    for (int32_t i = 0; i < t.reward_count; ++i) {
      const Reward& reward = m.p.rewards[t.first_reward + i];
      const float value = m.read(reward.value, slot);
      float& before = w.reward_before[agent * w.h->agent_rewards + i];
      sum += reward.per_tick ? value : value - before;
      before = value;
    }
    io.rewards[agent] = sum;
    w.agent_last_reward[agent] = sum;
    w.agent_total[agent] += sum;
  }
}

MG_FN void flag_episode_end(const Program& p, const World& w, const Buffers& io) {
  if (p.set().max_steps <= 0 || w.h->step < p.set().max_steps) return;
  bool* flags = p.set().truncates ? io.truncations : io.terminals;
  for (int32_t agent = 0; agent < w.h->agents; ++agent) flags[agent] = true;
}

MG_FN void step_world(const Program& p, const World& w, Scratch& scratch, const Buffers& io) {
  for (int32_t agent = 0; agent < w.h->agents; ++agent) w.agent_before[agent] = w.actor_cell(w.agent_slot[agent]);
  ++w.h->step;  // the first step runs as step 1
  release_removed(w);
  Machine m(p, w, scratch);
  m.begin(Phase::kActions);
  apply_actions(m, io);
  m.begin(Phase::kEvents);
  fire_due_events(m);
  m.begin(Phase::kTicks);
  run_agent_ticks(m);
  m.begin(Phase::kAreas);
  apply_area_effects(m);
  m.begin(Phase::kGameTick);
  run_game_tick(m);
  count_coverage(p, w);
  m.begin(Phase::kObservations);
  write_observations(m, io);
  m.begin(Phase::kRewards);
  write_rewards(m, io);
  flag_episode_end(p, w, io);
  m.begin(Phase::kDone);
}

}  // namespace mg
