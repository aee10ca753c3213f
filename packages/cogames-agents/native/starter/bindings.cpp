// `_native.Starter`: the starter cogs over many worlds.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "batches.hpp"
#include "starter/team.hpp"

namespace nb = nanobind;

namespace {

using Features = std::vector<std::tuple<int, std::string, double>>;

class Starter {
 public:
  Starter(const std::vector<std::string>& tags, const Features& features, const std::vector<std::string>& actions,
          std::pair<int, int> window, const std::vector<std::pair<int, int>>& visible, int agents, int role, int worlds)
      : sight_(tags, names(features), actions, window.first, window.second, visible), agents_(agents) {
    for (int i = 0; i < worlds; ++i) worlds_.push_back(std::make_unique<starter::Team>(sight_, agents, role));
  }

  Starter(const Starter&) = delete;

  void reset(int world) { world_of(worlds_, world).reset(); }

  void step_worlds(const Observations& observations, const Actions& actions, int threads) {
    if (observations.shape(0) != worlds_.size() * static_cast<size_t>(agents_)) {
      throw nb::value_error("there must be one observation for each agent of each world");
    }
    step_all(worlds_, scratches_, observations, actions, threads);
  }

 private:
  static std::vector<starter::FeatureName> names(const Features& features) {
    std::vector<starter::FeatureName> all;
    for (const auto& [id, name, normalization] : features) all.push_back({id, name, normalization});
    return all;
  }

  starter::Sight sight_;
  int agents_;
  std::vector<std::unique_ptr<starter::Scratch>> scratches_;
  std::vector<std::unique_ptr<starter::Team>> worlds_;
};

}  // namespace

void bind_starter(nb::module_& module) {
  nb::class_<Starter>(module, "Starter")
      .def(nb::init<const std::vector<std::string>&, const Features&, const std::vector<std::string>&, std::pair<int, int>,
                    const std::vector<std::pair<int, int>>&, int, int, int>())
      .def("reset", &Starter::reset)
      .def("step_worlds", &Starter::step_worlds);
}
