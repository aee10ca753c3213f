// Named numbers of the game and of each agent (rules, section 13). Names are integers here; a stat exists once it is set.
#pragma once

#include "core/state/world.hpp"

namespace mg {

MG_FN float& game_stat(const World& w, int32_t stat) {
  set_bit(w.game_stat_set, stat);
  return w.game_stat[stat];
}

// The stats of one agent.
struct AgentStats {
  uint32_t* set;
  float* values;

  MG_FN float& operator[](int32_t stat) const {
    set_bit(set, stat);
    return values[stat];
  }
};

MG_FN AgentStats agent_stats(const World& w, int32_t agent) {
  return AgentStats{w.agent_stat_set + agent * w.h->stat_words_agent, w.agent_stat + agent * w.h->agent_stats};
}
MG_FN float& agent_stat(const World& w, int32_t agent, int32_t stat) { return agent_stats(w, agent)[stat]; }

// The four stats of a resource are adjacent: gained, lost, amount, deposited.
enum ResourceStat : int32_t { kGained = 0, kLost = 1, kAmount = 2, kDeposited = 3 };

MG_FN int32_t resource_stat(const Program& p, int32_t resource, ResourceStat which) {
  return p.set().stat_resources + 4 * resource + which;
}

// An action id outside the action list, counted in total and by id.
MG_FN void count_invalid_action(const Program& p, const World& w, int32_t agent, int32_t id) {
  agent_stat(w, agent, p.set().stat_invalid) += 1.0f;
  int32_t* ids = w.invalid_id + agent * kInvalidIds;
  int32_t* counts = w.invalid_count + agent * kInvalidIds;
  for (int32_t i = 0; i < kInvalidIds; ++i) {
    if (counts[i] != 0 && ids[i] != id) continue;
    ids[i] = id;
    ++counts[i];
    return;
  }
}

}  // namespace mg
