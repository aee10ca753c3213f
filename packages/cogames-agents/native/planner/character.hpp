// What makes one planner play differently from another: data, no code.
#pragma once

#include <cstdint>
#include <vector>

#include "vocabulary.hpp"

namespace planner {

inline constexpr uint8_t kSmart = kRoles;  // in a roster: the planner chooses, and changes the role when the team needs it

struct Character {
  std::vector<uint8_t> roster;  // roles in the order in which the cogs of a team join; the planner chooses for the others
  std::vector<uint8_t> opening{kAligner, kMiner, kMiner,   kAligner,
                               kMiner,   kMiner, kAligner, kMiner};  // its first choices, repeated
  bool co_owns = true;                                               // aligners also capture junctions of other teams
  bool guards = true;                                                // aligners wait beside junctions that the clips take next
  bool shows_vibe = false;                                           // cogs change their vibe to their role
  int spare = 4;                                                     // hearts that wait in the hub make a miner an aligner,
  int close = 3;                                                     // one more for this many steps to the hub,
  int queue = 4;                                                     // cogs within this many steps of the hub share its hearts
  double income = 0.06;                                               // hearts that a miner brings in each step
  int horizon = 10;                                                  // steps in which deposits on the way are all there is
  int detour = 12;                                                   // steps past the station
  double surveyors = 0;                                              // share of the cogs that explore before anything else,
  int survey_until = 0;                                              // until this step
  double voronoi = 1.5;                             // cost of each step that another aligner is closer to a junction
  int stop = 99;                                    // hearts beyond those for open junctions, with which nobody need mine
  double far = 2;                                   // steps by which unknown ground must be nearer than a known junction
  int linger = 3;           // hearts for which a cog waits beside the hub,
  int patience = 20;        // if one comes within this many steps
  int trip = 2;                                     // hearts that are worth a walk to the hub
  double least_miners = 0.25;                       // if this share of the team goes on mining
  int hidden = 30;                                  // junctions expected beyond those known
  double novelty = 1.0, sector = 0.15, crowd = 0.5;  // weights of what makes a place worth exploring
  bool corners = true;                              // look for extractors in the corners of the compound
  int most_hearts = 6;                              // carried at once
  double surplus = 0.6;                             // steps an element may cost more for each unit that the team has less of it
  int reserve = 12;                                 // hp left when a cog is back in its territory
  int first_wave = 100, wave_period = 200;          // of the clips
};

}  // namespace planner
