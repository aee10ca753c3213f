// All cogs of one episode; each one plays for itself.
#pragma once

#include "decide.hpp"

namespace starter {

inline constexpr Role kRoleCycle[4] = {kMiner, kAligner, kAligner, kMiner};  // by agent id, unless all have one role

class Team {
 public:
  Team(const Sight& sight, int agents, int role) : sight_(sight), role_(role), cogs_(static_cast<size_t>(agents)) { reset(); }

  void reset() {
    for (size_t agent = 0; agent < cogs_.size(); ++agent) {
      const int number = static_cast<int>(agent);
      if (role_ < kRoles) cogs_[agent].reset(number, static_cast<Role>(role_), number);
      else cogs_[agent].reset(number, kRoleCycle[agent % 4], number / 2);
    }
  }

  int act(int agent, const uint8_t* row, int tokens, Scratch& scratch) {
    Cog& cog = cogs_[static_cast<size_t>(agent)];
    decode(sight_, row, tokens, scratch.view);
    if (cog.look(sight_, scratch.view)) return sight_.actions[static_cast<size_t>(Turn(sight_, cog, scratch).decide())];
    cog.memory.heading = kNowhere;
    return sight_.actions[kNowhere];
  }

 private:
  const Sight& sight_;
  int role_;  // kRoles for the cycle
  std::vector<Cog> cogs_;
};

}  // namespace starter
