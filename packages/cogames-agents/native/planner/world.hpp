// All cogs of one policy in one episode: decodes their observations, shares what a team may share, returns actions.
#pragma once

#include <memory>

#include "decide.hpp"

namespace planner {

class World {
 public:
  World(const Vocabulary& words, Character character) : words_(words), character_(std::move(character)) {}

  void reset() {
    cogs_.clear();
    minds_.clear();
  }

  void reset(Character character) {
    reset();
    character_ = std::move(character);
  }

  int act(int number, const uint8_t* row, int tokens, Scratch& scratch) {
    Glimpse& glimpse = scratch.glimpse;
    decode(words_, row, tokens, glimpse);
    Cog& cog = cog_of(number);
    ++cog.steps;
    count_position(cog, glimpse);
    if (!cog.mind) join(cog, glimpse);
    cog.at = moved(cog.counted, cog.offset);
    if (!cog.mind->cogs.empty() && is_lost(cog)) find_team(cog, glimpse);
    Mind& mind = *cog.mind;
    mind.step = std::max(mind.step, cog.steps - 1);
    if (!mind.chart.reach(cog.at, kMargin)) {  // no map is that large
      cog.heading = kNowhere;
      return words_.noop_action;
    }
    look(cog, glimpse);
    mind.expect_wave(character_);
    Turn turn{words_, character_, mind, cog, scratch};
    return decide(turn);
  }

  const Cog* find(int number) const {
    return number >= 0 && static_cast<size_t>(number) < cogs_.size() ? cogs_[static_cast<size_t>(number)].get() : nullptr;
  }

 private:
  Cog& cog_of(int number) {
    if (static_cast<size_t>(number) >= cogs_.size()) cogs_.resize(static_cast<size_t>(number) + 1);
    std::unique_ptr<Cog>& cog = cogs_[static_cast<size_t>(number)];
    if (!cog) {
      cog = std::make_unique<Cog>();
      cog->number = number;
      cog->dice = 2463534242u + 7919u * static_cast<uint32_t>(number);
    }
    return *cog;
  }

  // Where the cog is in its own frame: as the game shows it, otherwise by counting its steps.
  void count_position(Cog& cog, const Glimpse& glimpse) {
    const Spot before = cog.counted;
    if (cog.heading != kNowhere && glimpse.moved) {
      cog.counted.row = static_cast<int16_t>(cog.counted.row + kRowStep[cog.heading]);
      cog.counted.col = static_cast<int16_t>(cog.counted.col + kColStep[cog.heading]);
    }
    cog.position_shown |= glimpse.east || glimpse.west || glimpse.north || glimpse.south;
    if (cog.position_shown && std::max({glimpse.east, glimpse.west, glimpse.north, glimpse.south}) < 255) {
      cog.counted =
          Spot{static_cast<int16_t>(glimpse.south - glimpse.north), static_cast<int16_t>(glimpse.east - glimpse.west)};
    }
    const bool as_planned = cog.heading != kNowhere && cog.counted.row == before.row + kRowStep[cog.heading] &&
                            cog.counted.col == before.col + kColStep[cog.heading];
    if (as_planned && !cog.path.empty() && cog.path.back() == cog.heading) cog.path.pop_back();
    else if (cog.counted != before) cog.path.clear();
  }

  static Spot moved(Spot at, Spot by, int sign = 1) {
    return Spot{static_cast<int16_t>(at.row + sign * by.row), static_cast<int16_t>(at.col + sign * by.col)};
  }

  Spot in_window(const Cog& cog, uint8_t location) const {
    return Spot{static_cast<int16_t>(cog.at.row + (location >> 4) - words_.height / 2),
                static_cast<int16_t>(cog.at.col + (location & 15) - words_.width / 2)};
  }

  // The first cog of a team makes its mind; others join it where they recognise something, or stay alone at first.
  void join(Cog& cog, const Glimpse& glimpse) {
    const int team = glimpse.teams ? __builtin_ctz(glimpse.teams) : -1;
    cog.mind = new_mind(team);
    cog.mind->cogs.push_back(&cog);
  }

  Mind* new_mind(int team) {
    minds_.push_back(std::make_unique<Mind>());
    minds_.back()->team = team;
    return minds_.back().get();
  }

  // Whether the cog is not yet in the mind of its team.
  bool is_lost(const Cog& cog) const { return cog.mind->team >= 0 && home_mind(cog.mind->team) != cog.mind; }

  Mind* home_mind(int team) const {
    for (const std::unique_ptr<Mind>& mind : minds_) {
      if (mind->team == team) return mind.get();
    }
    return nullptr;
  }

  // Joins the team's mind if the cog sees the team's hub or a cog of it, and the walls in view agree.
  void find_team(Cog& cog, const Glimpse& glimpse) {
    Mind* team = home_mind(cog.mind->team);
    for (int i = 0; i < glimpse.sightings; ++i) {
      const Sighting& seen = glimpse.seen[i];
      const Spot step{static_cast<int16_t>((seen.location >> 4) - words_.height / 2),
                      static_cast<int16_t>((seen.location & 15) - words_.width / 2)};
      if (seen.kind == kHub && (seen.teams >> team->team & 1) && team->hub >= 0) {
        if (agree(*team, glimpse, moved(team->object(team->hub).at, step, -1)))
          return merge(cog, *team, moved(team->object(team->hub).at, step, -1));
      }
      if (seen.kind != kAgent || seen.agent_id < 0) continue;
      const Cog* mate = find(seen.agent_id);
      if (!mate || mate->mind != team || mate->steps != cog.steps) continue;
      if (agree(*team, glimpse, moved(mate->at, step, -1))) return merge(cog, *team, moved(mate->at, step, -1));
    }
  }

  // Whether the walls in view are those of a mind, were the cog at a place on its map.
  bool agree(const Mind& mind, const Glimpse& glimpse, Spot at) const {
    for (int row = 0; row < words_.height; ++row) {
      for (int col = words_.first_col[static_cast<size_t>(row)]; col <= words_.last_col[static_cast<size_t>(row)]; ++col) {
        const Spot there{static_cast<int16_t>(at.row + row - words_.height / 2),
                         static_cast<int16_t>(at.col + col - words_.width / 2)};
        if (!mind.chart.contains(there)) continue;
        const Ground known = mind.chart.ground(mind.chart.cell(there));
        if (known != kUnknown && (known == kBlocked) != (glimpse.cells[row][col] == kBlocked)) return false;
      }
    }
    return true;
  }

  // Moves a lost cog, and all it knows, to the mind of its team.
  void merge(Cog& cog, Mind& team, Spot at) {
    Mind& alone = *cog.mind;
    const Spot shift = moved(at, cog.at, -1);
    for (int cell = 0; cell < alone.chart.size(); ++cell) {
      const Ground ground = alone.chart.ground(cell);
      if (ground == kUnknown) continue;
      const Spot there = moved(alone.chart.spot(cell), shift);
      if (!team.chart.reach(there, kMargin)) continue;
      const int to = team.chart.cell(there);
      if (team.chart.ground(to) != kUnknown) continue;
      if (ground != kObject) {
        team.chart.set_ground(to, ground);
        continue;
      }
      const Object& object = alone.object(alone.chart.object_at(cell));
      const Sighting seen{0, object.kind, object.teams, object.lanes, -1, 0, static_cast<int16_t>(object.content)};
      team.object(team.note(there, seen)).seen = object.seen;
    }
    std::erase(alone.cogs, &cog);
    team.cogs.push_back(&cog);
    cog.mind = &team;
    cog.offset = moved(cog.offset, shift);
    cog.at = at;
    cog.goal = kIdle;
    cog.target = -1;
    cog.path.clear();
    std::erase_if(minds_, [&](const std::unique_ptr<Mind>& mind) { return mind.get() == &alone; });
  }

  void look(Cog& cog, const Glimpse& glimpse) {
    Mind& mind = *cog.mind;
    const bool changed = cog.hearts != glimpse.hearts || cog.gear != glimpse.gear ||
                         std::memcmp(cog.cargo_of, glimpse.cargo, sizeof cog.cargo_of) != 0;
    if (changed) cog.failures = 0;
    if (cog.hearts != glimpse.hearts) cog.deferring_since = -1;
    if (cog.hearts < glimpse.hearts && cog.steps > 1) cog.fetched = mind.step;
    cog.hp = glimpse.hp;
    cog.hearts = glimpse.hearts;
    cog.gear = glimpse.gear;
    cog.territory = glimpse.territory;
    cog.hp_outside = cog.territory == kOurs ? 0 : std::min(kMostHp, cog.hp_outside + (cog.territory == kTheirs ? 2 : 1));
    cog.cargo = 0;
    for (int element = 0; element < kElements; ++element) {
      cog.mined_of[element] += std::max(0, glimpse.cargo[element] - cog.cargo_of[element]);
      cog.cargo_of[element] = glimpse.cargo[element];
      cog.cargo += glimpse.cargo[element];
      mind.stock[element] = glimpse.stock[element];
    }
    if (cog.gear == kMiner && cog.cargo > kMinerCargo) {
      mind.knows_cargo = true;
      mind.miner_cargo = kEndlessLoad;
    }
    mind.chart.visit(mind.chart.cell(cog.at), mind.step);
    look_at_ground(cog, mind, glimpse);
    cog.near.clear();
    for (int i = 0; i < glimpse.sightings; ++i) {
      const Sighting& seen = glimpse.seen[i];
      const Spot at = in_window(cog, seen.location);
      if (seen.kind == kAgent) {
        cog.near.push_back(mind.chart.cell(at));
      } else {
        mind.note(at, seen);
      }
    }
  }

  void look_at_ground(const Cog& cog, Mind& mind, const Glimpse& glimpse) {
    for (int row = 0; row < words_.height; ++row) {
      const int first = words_.first_col[static_cast<size_t>(row)], last = words_.last_col[static_cast<size_t>(row)];
      const int cell = mind.chart.cell(Spot{static_cast<int16_t>(cog.at.row + row - words_.height / 2),
                                            static_cast<int16_t>(cog.at.col + first - words_.width / 2)});
      const uint8_t* seen = &glimpse.cells[row][first];
      if (std::memcmp(mind.chart.row_at(cell), seen, static_cast<size_t>(last - first + 1)) == 0) continue;
      for (int col = 0; col <= last - first; ++col) {
        const Ground known = mind.chart.ground(cell + col), now = static_cast<Ground>(seen[col]);
        if (known == now || now == kObject) continue;
        if (known == kObject) mind.forget(mind.chart.object_at(cell + col));
        mind.chart.set_ground(cell + col, now);
      }
    }
  }

  static constexpr int kMargin = 9;  // more than a window reaches

  const Vocabulary& words_;
  Character character_;
  std::vector<std::unique_ptr<Cog>> cogs_;
  std::vector<std::unique_ptr<Mind>> minds_;
};

}  // namespace planner
