// The extension module `cogames_agents._native`: the planner over many worlds, with observations and actions in NumPy arrays.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "planner/world.hpp"

namespace nb = nanobind;
using namespace planner;

namespace {

using Observations = nb::ndarray<const uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Actions = nb::ndarray<int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Agents = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Character read_character(const nb::dict& options) {
  Character character;
  for (auto [key, value] : options) {
    const std::string name = nb::cast<std::string>(key);
    if (name == "roster") character.roster = nb::cast<std::vector<uint8_t>>(value);
    else if (name == "adapts") character.adapts = nb::cast<bool>(value);
    else if (name == "co_owns") character.co_owns = nb::cast<bool>(value);
    else if (name == "shows_vibe") character.shows_vibe = nb::cast<bool>(value);
    else if (name == "most_hearts") character.most_hearts = nb::cast<int>(value);
    else if (name == "surplus") character.surplus = nb::cast<double>(value);
    else if (name == "trip") character.trip = nb::cast<int>(value);
    else if (name == "queue") character.queue = nb::cast<int>(value);
    else if (name == "income") character.income = nb::cast<double>(value);
    else if (name == "horizon") character.horizon = nb::cast<int>(value);
    else if (name == "detour") character.detour = nb::cast<int>(value);
    else if (name == "explorers") character.explorers = nb::cast<double>(value);
    else if (name == "voronoi") character.voronoi = nb::cast<double>(value);
    else if (name == "stop") character.stop = nb::cast<int>(value);
    else if (name == "far") character.far = nb::cast<double>(value);
    else if (name == "close") character.close = nb::cast<int>(value);
    else if (name == "least_miners") character.least_miners = nb::cast<int>(value);
    else if (name == "spare") character.spare = nb::cast<int>(value);
    else if (name == "hidden") character.hidden = nb::cast<int>(value);
    else if (name == "novelty") character.novelty = nb::cast<double>(value);
    else if (name == "sector") character.sector = nb::cast<double>(value);
    else if (name == "crowd") character.crowd = nb::cast<double>(value);
    else if (name == "corners") character.corners = nb::cast<bool>(value);
    else if (name == "reserve") character.reserve = nb::cast<int>(value);
    else if (name == "guard_slack") character.guard_slack = nb::cast<int>(value);
    else throw nb::value_error(("unknown trait " + name).c_str());
  }
  return character;
}

class Planner {
 public:
  Planner(const std::vector<std::string>& tags, const std::vector<std::tuple<int, std::string, double>>& features,
          const std::vector<std::string>& actions, std::pair<int, int> window, const std::vector<std::pair<int, int>>& visible,
          const nb::dict& character, int worlds)
      : words_(tags, names(features), actions, window.first, window.second, visible), character_(read_character(character)) {
    for (int i = 0; i < worlds; ++i) worlds_.push_back(std::make_unique<World>(words_, character_));
  }

  Planner(const Planner&) = delete;

  void reset(int world) { worlds_.at(static_cast<size_t>(world))->reset(); }

  // Row i of `observations` is agent `agents[i]` of `world`.
  void step(int world, Agents agents, Observations observations, Actions actions) {
    check(observations, actions, agents.shape(0));
    World& at = *worlds_.at(static_cast<size_t>(world));
    nb::gil_scoped_release release;
    const size_t row = observations.shape(1) * 3;
    for (size_t i = 0; i < agents.shape(0); ++i) {
      actions.data()[i] = at.act(agents.data()[i], observations.data() + i * row, static_cast<int>(observations.shape(1)), scratch_);
    }
  }

  // Rows are all worlds one after the other, each with the same number of agents.
  void step_worlds(Observations observations, Actions actions) {
    const size_t count = observations.shape(0) / worlds_.size();
    check(observations, actions, count * worlds_.size());
    nb::gil_scoped_release release;
    const size_t row = observations.shape(1) * 3;
    for (size_t i = 0; i < observations.shape(0); ++i) {
      actions.data()[i] = worlds_[i / count]->act(static_cast<int>(i % count), observations.data() + i * row, static_cast<int>(observations.shape(1)), scratch_);
    }
  }

  // What a cog is up to; an empty dict before its first step.
  nb::dict intention(int world, int agent) const {
    nb::dict infos;
    const Cog* cog = worlds_.at(static_cast<size_t>(world))->find(agent);
    if (!cog || !cog->mind) return infos;
    const Mind& mind = *cog->mind;
    infos["role"] = nb::str(kRoleNames[cog->role].data());
    infos["goal"] = nb::str(kGoalNames[cog->goal].data());
    if (cog->target >= 0) infos["target"] = nb::str(kind_name(mind.object(cog->target).kind).c_str());
    if (cog->goal != kIdle) infos["target_offset"] = nb::make_tuple(cog->place.row - cog->at.row, cog->place.col - cog->at.col);
    int own = 0, stations = 0, junctions = 0, extractors = 0;
    for (const Object& object : mind.chart.objects) {
      if (!object.exists) continue;
      junctions += object.kind == kJunction;
      own += object.kind == kJunction && mind.is_ours(object);
      extractors += object.kind >= kExtractor && object.kind < kStation;
      stations += object.kind >= kStation && object.kind < kOther;
    }
    infos["known_hubs"] = mind.hub >= 0 ? 1 : 0;
    infos["known_stations"] = stations;
    infos["known_junctions"] = junctions;
    infos["known_extractors"] = extractors;
    infos["own_junctions"] = own;
    return infos;
  }

  // What a cog's team knows: (rows and columns from the cog, type, is ours, is theirs, step of the last sighting).
  nb::list known_objects(int world, int agent) const {
    nb::list known;
    const Cog* cog = worlds_.at(static_cast<size_t>(world))->find(agent);
    if (!cog || !cog->mind) return known;
    for (const Object& object : cog->mind->chart.objects) {
      if (!object.exists) continue;
      known.append(nb::make_tuple(object.at.row - cog->at.row, object.at.col - cog->at.col, kind_name(object.kind), cog->mind->is_ours(object),
                                  cog->mind->is_theirs(object), object.seen));
    }
    return known;
  }

 private:
  static std::vector<FeatureName> names(const std::vector<std::tuple<int, std::string, double>>& features) {
    std::vector<FeatureName> found;
    for (const auto& [id, name, normalization] : features) found.push_back({id, name, normalization});
    return found;
  }

  static void check(const Observations& observations, const Actions& actions, size_t rows) {
    if (observations.shape(0) != rows || actions.shape(0) != rows || observations.shape(2) != 3) {
      throw nb::value_error("observations must be uint8 [agents, tokens, 3] and actions int32 [agents]");
    }
  }

  Vocabulary words_;
  Character character_;
  Scratch scratch_;
  std::vector<std::unique_ptr<World>> worlds_;
};

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "The planner of Cogs vs Clips.";
  nb::class_<Planner>(module, "Planner")
      .def(nb::init<const std::vector<std::string>&, const std::vector<std::tuple<int, std::string, double>>&,
                    const std::vector<std::string>&, std::pair<int, int>, const std::vector<std::pair<int, int>>&, const nb::dict&, int>())
      .def("reset", &Planner::reset)
      .def("step", &Planner::step)
      .def("intention", &Planner::intention)
      .def("known_objects", &Planner::known_objects)
      .def("step_worlds", &Planner::step_worlds);
}
