// The extension module `cogames_agents._native`: players of many worlds, with observations and actions in NumPy arrays.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "batches.hpp"
#include "planner/world.hpp"

namespace nb = nanobind;
using namespace planner;

namespace {

using Row = nb::ndarray<const uint8_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Agents = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The traits of a character by their names in Python.
Character read_character(const nb::dict& traits) {
  Character character;
  for (auto [key, value] : traits) {
    const std::string name = nb::cast<std::string>(key);
    const auto read = [&]<typename T>(const char* trait, T& into) {
      if (name != trait) return false;
      into = nb::cast<T>(value);
      return true;
    };
    const bool known =
        read("roster", character.roster) || read("opening", character.opening) || read("co_owns", character.co_owns) ||
        read("guards", character.guards) || read("shows_vibe", character.shows_vibe) ||
        read("waiting_hearts", character.waiting_hearts) || read("sharing_steps", character.sharing_steps) ||
        read("miner_income", character.miner_income) || read("income_after", character.income_after) ||
        read("gear_steps", character.gear_steps) || read("surveyors", character.surveyors) ||
        read("survey_until", character.survey_until) || read("courtesy", character.courtesy) ||
        read("enough_hearts", character.enough_hearts) || read("exploring_lead", character.exploring_lead) ||
        read("worthwhile_hearts", character.worthwhile_hearts) || read("steps_per_heart", character.steps_per_heart) ||
        read("least_miners", character.least_miners) || read("expected_junctions", character.expected_junctions) ||
        read("novelty_weight", character.novelty_weight) || read("direction_weight", character.direction_weight) ||
        read("crowd_weight", character.crowd_weight) || read("knows_compound", character.knows_compound) ||
        read("first_roles_until", character.first_roles_until) || read("most_hearts", character.most_hearts) ||
        read("surplus_weight", character.surplus_weight) || read("hp_reserve", character.hp_reserve) ||
        read("reserve_hearts", character.reserve_hearts) || read("habit_weight", character.habit_weight) ||
        read("patient_hearts", character.patient_hearts) || read("deferring_steps", character.deferring_steps) ||
        read("patience", character.patience) || read("first_wave", character.first_wave) ||
        read("wave_period", character.wave_period) || read("next_load_weight", character.next_load_weight);
    if (!known) throw nb::value_error(("the planner has no trait " + name).c_str());
  }
  return character;
}

class Planner {
 public:
  Planner(const std::vector<std::string>& tags, const std::vector<std::tuple<int, std::string, double>>& features,
          const std::vector<std::string>& actions, std::pair<int, int> window, const std::vector<std::pair<int, int>>& visible,
          const nb::dict& traits, int worlds)
      : words_(tags, names(features), actions, window.first, window.second, visible) {
    const Character character = read_character(traits);
    scratches_.push_back(std::make_unique<Scratch>());
    for (int i = 0; i < worlds; ++i) worlds_.push_back(std::make_unique<World>(words_, character));
  }

  Planner(const Planner&) = delete;

  void reset(int world) { world_of(worlds_, world).reset(); }

  // Begins an episode of a world with another character.
  void reset_as(int world, const nb::dict& traits) { world_of(worlds_, world).reset(read_character(traits)); }

  // Decides for some agents of a world; the rows are those of all agents.
  void step(int world, Agents agents, Observations observations, Actions actions) {
    World& at = world_of(worlds_, world);
    check(observations, actions);
    for (size_t i = 0; i < agents.shape(0); ++i) {
      if (agents.data()[i] < 0 || static_cast<size_t>(agents.data()[i]) >= observations.shape(0)) {
        throw nb::value_error(("there is no observation of agent " + std::to_string(agents.data()[i])).c_str());
      }
    }
    nb::gil_scoped_release release;
    const size_t row = observations.shape(1) * 3;
    for (size_t i = 0; i < agents.shape(0); ++i) {
      const size_t agent = static_cast<size_t>(agents.data()[i]);
      actions.data()[agent] = at.act(static_cast<int>(agent), observations.data() + agent * row,
                                     static_cast<int>(observations.shape(1)), *scratches_[0]);
    }
  }

  int step_one(int world, int agent, Row row) {
    if (agent < 0 || agent > kAgentsMax) throw nb::value_error(("there is no agent " + std::to_string(agent)).c_str());
    return world_of(worlds_, world).act(agent, row.data(), static_cast<int>(row.shape(0)), *scratches_[0]);
  }

  // Rows are all worlds one after the other, each with the same number of agents.
  void step_worlds(Observations observations, Actions actions, int threads) {
    step_all(worlds_, scratches_, observations, actions, threads);
  }

  // What a cog is up to; an empty dict before its first step.
  nb::dict intention(int world, int agent) const {
    nb::dict infos;
    const Cog* cog = world_of(worlds_, world).find(agent);
    if (!cog || !cog->mind) return infos;
    const Mind& mind = *cog->mind;
    infos["role"] = nb::str(kRoleNames[cog->role].data());
    infos["goal"] = nb::str(kGoalNames[cog->goal].data());
    if (cog->target >= 0) infos["target_type"] = nb::str(kind_name(mind.object(cog->target).kind).c_str());
    if (cog->goal != kIdle) {
      nb::list target;
      target.append(cog->place.row - cog->at.row);
      target.append(cog->place.col - cog->at.col);
      infos["target"] = target;
    }
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
    const Cog* cog = world_of(worlds_, world).find(agent);
    if (!cog || !cog->mind) return known;
    for (const Object& object : cog->mind->chart.objects) {
      if (!object.exists) continue;
      known.append(nb::make_tuple(object.at.row - cog->at.row, object.at.col - cog->at.col, kind_name(object.kind),
                                  cog->mind->is_ours(object), cog->mind->is_theirs(object), object.seen));
    }
    return known;
  }

 private:
  static std::vector<FeatureName> names(const std::vector<std::tuple<int, std::string, double>>& features) {
    std::vector<FeatureName> found;
    for (const auto& [id, name, normalization] : features) found.push_back({id, name, normalization});
    return found;
  }

  static constexpr int kAgentsMax = 1 << 16;

  Vocabulary words_;
  std::vector<std::unique_ptr<Scratch>> scratches_;  // one for each thread; the first also for single worlds
  std::vector<std::unique_ptr<World>> worlds_;
};

}  // namespace

void bind_starter(nb::module_& module);

NB_MODULE(_native, module) {
  module.doc() = "Players of Cogs vs Clips.";
  bind_starter(module);
  nb::class_<Planner>(module, "Planner")
      .def(nb::init<const std::vector<std::string>&, const std::vector<std::tuple<int, std::string, double>>&,
                    const std::vector<std::string>&, std::pair<int, int>, const std::vector<std::pair<int, int>>&,
                    const nb::dict&, int>())
      .def("reset", &Planner::reset)
      .def("reset_as", &Planner::reset_as)
      .def("step", &Planner::step)
      .def("step_one", &Planner::step_one)
      .def("intention", &Planner::intention)
      .def("known_objects", &Planner::known_objects)
      .def("step_worlds", &Planner::step_worlds);
}
