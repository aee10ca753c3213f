// The order of thoughts: keep a plan while it makes sense, otherwise take the first that can be carried out.
#pragma once

#include "junctions.hpp"
#include "roles.hpp"
#include "survival.hpp"
#include "walking.hpp"

namespace planner {

inline constexpr int kDwell = 3;        // steps for which news do not interrupt a plan
inline constexpr size_t kArriving = 3;  // steps to a place of deposit from which a cog looks for no other
inline constexpr int kPause = 10;       // steps until a cog with nothing to do thinks again
inline constexpr int kLongPause = 40;   // after plans that were too dangerous
inline constexpr int kAttempts = 6;     // plans that may prove too dangerous before a cog gives up
inline constexpr int kTries = 50;       // uses of an object of another game
inline constexpr int kReplans = 3;      // in one step, when the map turns out wrong

// Whether the plan still makes sense; cheap, because it is asked in every step.
inline bool holds(const Turn& turn) {
  const Mind& mind = turn.mind;
  const Cog& cog = turn.cog;
  if (mind.step >= cog.until) return false;
  const bool risks_all = cog.goal == kAlign || cog.goal == kScramble || cog.goal == kPatrol;
  if (cog.goal == kIdle) return cog.news == mind.news && !is_in_danger(turn) && cog.territory == kOurs;
  if (!risks_all && is_in_danger(turn)) return cog.goal == kRetreat;
  const Object* target = cog.target >= 0 ? &mind.object(cog.target) : nullptr;
  if (target && (!target->exists || target->useless_until > mind.step)) return false;
  const bool finds_junction = cog.hearts > 0 && cog.gear == kAligner && cog.junctions != mind.junctions.size();
  const bool is_undisturbed = cog.is_firm || cog.news == mind.news || (mind.step < cog.since + kDwell && !finds_junction);
  switch (cog.goal) {
    case kGearUp: return cog.gear != cog.role && mind.can_pay(cog.role);
    case kMine: return (cog.cargo < capacity(cog) || tests_cargo(turn, *target)) && !spares(turn, *target);
    case kDeposit: return cog.cargo > 0 && takes_deposit(turn, cog.target) && (is_undisturbed || cog.path.size() <= kArriving);
    case kFetchHeart: return cog.hearts < hearts_wanted(turn) && mind.supply() > 0;
    case kAlign: return cog.hearts > 0 && cog.gear == kAligner && !mind.is_ours(*target);
    case kScramble: return cog.hearts > 0 && cog.gear == kScrambler && mind.is_theirs(*target);
    case kExplore: return mind.chart.ground(mind.chart.cell(cog.place)) == kUnknown && is_undisturbed;
    case kRetreat: return cog.territory != kOurs;
    case kGuard: return mind.is_ours(*target);
    case kPatrol: return target->seen < cog.since && is_undisturbed;
    case kRoam: return !cog.path.empty() && is_undisturbed;
    case kTry: return cog.failures == 0;
    default: return false;
  }
}

// Sets the first plan that the cog can make.
inline bool propose(Turn& turn) {
  const Cog& cog = turn.cog;
  if (is_in_danger(turn) && retreat(turn)) return true;
  if (turn.mind.hub < 0 || turn.mind.team < 0)
    return try_others(turn, 1) || explore(turn, false) || try_others(turn, kTries) || roam(turn);
  choose_role(turn);
  if (survey(turn)) return true;
  if (cog.role == kAligner && cog.gear != kAligner && fetch_heart_first(turn)) return true;
  const bool scouts_as_it_is = cog.adapts && cog.role == kScout;
  if (cog.gear != cog.role && !scouts_as_it_is && gear_up(turn)) return true;
  switch (cog.role) {
    case kMiner:
      if (looks_around(turn)) return (cog.cargo > 0 && deposit(turn)) || help_miners(turn) || patrol(turn) || roam(turn);
      return (keeps_reserve(turn) && fetch_reserve(turn)) || mine(turn) || explore(turn, false) || patrol(turn) || roam(turn);
    case kAligner:
      return fetch_heart(turn) || align(turn) || guard(turn) || (cog.cargo > 0 && deposit(turn)) ||
             (is_without_income(turn) && mine(turn)) || explore(turn, cog.hearts > 0) || explore(turn, false) ||
             fetch_reserve(turn) || help_miners(turn) || patrol(turn) || roam(turn);
    case kScrambler: return fetch_heart(turn) || scramble(turn) || explore(turn, false) || patrol(turn) || roam(turn);
    default: return explore(turn, false) || try_others(turn, kTries) || patrol(turn) || roam(turn);
  }
}

// Makes a new plan that the cog survives.
inline void choose(Turn& turn) {
  turn.drop();
  turn.cog.news = turn.mind.news;
  turn.cog.junctions = turn.mind.junctions.size();
  turn.mind.update_reach();
  turn.scratch.closed.clear();
  turn.scratch.rejected.clear();
  turn.scratch.leash = kNoLeash;
  for (int attempt = 0; attempt < kAttempts && propose(turn); ++attempt) {
    if (survives(turn)) return turn.claim();
    if (turn.cog.target >= 0) turn.scratch.rejected.push_back(turn.cog.target);
    else turn.scratch.leash = static_cast<int>(turn.cog.path.size()) / 2;
    turn.drop();
  }
  if (turn.cog.territory != kOurs && can_heal(turn) && retreat(turn)) return;
  const bool all_is_dangerous = !turn.scratch.rejected.empty();
  turn.set(kIdle, -1, turn.cog.at, all_is_dangerous ? kLongPause : kPause);
}

// Whether the cog stands beside a junction that takes its load as soon as a team-mate has captured it.
inline bool waits_for_capture(const Turn& turn) {
  const Cog& cog = turn.cog;
  return cog.goal == kDeposit && cog.target != turn.mind.hub && !turn.mind.is_ours(turn.mind.object(cog.target));
}

// The next step of the plan; plans again where the map turns out wrong.
inline int follow(Turn& turn) {
  Cog& cog = turn.cog;
  const bool is_asked_to_move = cog.in_the_way;
  cog.in_the_way = false;
  for (int replans = 0; !cog.path.empty(); ++replans) {
    const int next = turn.here() + turn.mind.chart.step(static_cast<Heading>(cog.path.back()));
    const Ground ground = turn.mind.chart.ground(next);
    const bool is_target = cog.path.size() == 1 && cog.target >= 0;
    if (is_target && waits_for_capture(turn)) return stay(turn);
    if (ground != kBlocked && (ground != kObject || is_target)) return is_taken(cog, next) ? pass(turn, next) : advance(turn);
    if (replans == kReplans) {
      turn.drop();
      return stay(turn);
    }
    choose(turn);
  }
  return rest(turn, is_asked_to_move);
}

// The action for a cog whose observation has been entered.
inline int decide(Turn& turn) {
  Cog& cog = turn.cog;
  turn.flood().invalidate();
  judge_last_use(turn);
  measure_way_home(turn);
  if (!holds(turn)) choose(turn);
  if (turn.character.shows_vibe && cog.shown != cog.role && turn.words.vibe_action[cog.role] >= 0) {
    cog.shown = cog.role;
    cog.heading = kNowhere;
    return turn.words.vibe_action[cog.role];
  }
  return follow(turn);
}

}  // namespace planner
