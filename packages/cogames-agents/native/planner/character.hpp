// What makes one planner play differently from another: data, no code.
#pragma once

#include <cstdint>
#include <vector>

#include "vocabulary.hpp"

namespace planner {

inline constexpr uint8_t kSmart = kRoles;  // in a roster: the planner chooses, and changes the role when the team needs it

struct Character {
  // Roles in the order in which the cogs of a team join; the planner chooses for the others.
  std::vector<uint8_t> roster;
  // Its first choices, repeated.
  std::vector<uint8_t> opening{kMiner, kAligner, kAligner, kMiner};

  bool shows_vibe = false;  // cogs change their vibe to their role

  int first_roles_until = 45;  // step before which no cog changes its role

  // Miners become aligners
  int waiting_hearts = 3;       // when this many hearts wait that no other cog comes for,
  int steps_per_heart = 2;      // and one more for this many steps to the hub,
  int enough_hearts = 12;       // or this many are there beyond those for open junctions,
  double least_miners = 0.25;   // while this share of the team continues to mine.
  int expected_junctions = 30;  // junctions the team expects to find as long as something is unknown
  int gear_steps = 4;           // steps past the station to the hub

  // Hearts
  int most_hearts = 6;         // carried at once
  int worthwhile_hearts = 1;   // that are worth a walk to the hub
  int sharing_steps = 3;       // cogs within this many steps of the hub share its hearts
  int reserve_hearts = 4;      // with which a cog waits for the next open junction
  int patient_hearts = 6;      // for which a cog waits beside the hub,
  int patience = 25;           // if one comes within this many steps
  double miner_income = 0.08;  // hearts that a miner brings in each step,
  int income_after = 10;       // beyond what is on its way already

  // Junctions
  bool co_owns = true;                      // aligners also capture junctions of other teams
  bool guards = true;                       // aligners wait beside junctions that the clips take next
  double courtesy = 1.5;                    // cost of each step by which another aligner is closer to a junction
  double exploring_lead = 2;                // steps by which unknown ground must be nearer than a known junction to come first,
  int deferring_steps = 20;                 // for this long where junctions are rare
  int first_wave = 100, wave_period = 200;  // of the clips

  // Exploring: weights of what is unknown around a place, of the cog's own direction, and of others nearby
  double novelty_weight = 0.3, direction_weight = 0.15, crowd_weight = 0.5;
  double surveyors = 0;  // share of the cogs that explore before anything else,
  int survey_until = 0;  // until this step

  // Mining
  bool knows_compound = true;     // look for extractors in the corners of the compound
  double surplus_weight = 0.6;    // steps that an element may cost more for each unit that the team has less of it
  double habit_weight = 0.05;     // the same for each unit that the cog has mined more of it than of another element
  double next_load_weight = 1.5;  // steps to a place of deposit that each step from there to the next extractor is worth
  int hp_reserve = 12;            // left when a cog is back in its territory
};

}  // namespace planner
