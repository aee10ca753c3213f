// Traces a step: the duration of its parts, the rules that fired, their objects and their changes.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>

#include "cpu/world.hpp"

namespace cpu {

constexpr std::size_t kPhases = static_cast<std::size_t>(mg::Phase::kDone);

// Attaches a watcher to the steps of this thread during its lifetime.
class Watching {
 public:
  Watching(mg::Scratch& scratch, mg::Watcher& watcher) : scratch_(scratch) { scratch_.watcher = &watcher; }
  ~Watching() { scratch_.watcher = nullptr; }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

 private:
  mg::Scratch& scratch_;
};

// Nanoseconds of each part of a step.
class PhaseClock : public mg::Watcher {
 public:
  PhaseClock() : mg::Watcher{&begin, [](mg::Watcher&, int32_t, int32_t) {}, nullptr} {}
  std::array<int64_t, kPhases> nanoseconds{};

 private:
  static void begin(mg::Watcher& watcher, mg::Phase phase) {
    PhaseClock& self = static_cast<PhaseClock&>(watcher);
    const auto now = std::chrono::steady_clock::now();
    if (phase != mg::Phase::kActions) {
      self.nanoseconds[static_cast<std::size_t>(phase) - 1] =
          std::chrono::duration_cast<std::chrono::nanoseconds>(now - self.began_).count();
    }
    self.began_ = now;
  }
  std::chrono::steady_clock::time_point began_;
};

// One number of the state that changed: `array` is an index into the names of the state arrays.
struct Change {
  const char* array;
  int64_t index;
  double before, after;
};

enum class Cause : int32_t { kPhase, kAction, kRule };

// An event, and all changes from then until the next entry. Phase: a = phase. Action: a = agent, b = action.
// Rule: a = name, b = actor, c = target, as slots or -1.
struct TraceEntry {
  Cause cause;
  int32_t a, b, c;
  std::vector<Change> changes;
};

// Fields of structs count as separate numbers.
template <class T>
const T* numbers(const T* values) {
  return values;
}
inline const int32_t* numbers(const mg::AreaSource* sources) { return &sources->slot; }
inline const int32_t* numbers(const mg::Claim* claims) { return &claims->slot; }

inline std::vector<int32_t> slots_of(const mg::Ground* grid, int64_t cells) {
  std::vector<int32_t> slots(static_cast<std::size_t>(cells));
  std::transform(grid, grid + cells, slots.begin(), [](mg::Ground ground) { return ground.slot(); });
  return slots;
}

template <class T, class Visit>
void visit_array(const char* name, const T* a, const T* b, int64_t count, Visit& visit) {
  visit(name, numbers(a), numbers(b), count * static_cast<int64_t>(sizeof *a / sizeof *numbers(a)));
}
// Borders derive from the rest.
template <class Visit>
void visit_array(const char* name, const mg::Ground* a, const mg::Ground* b, int64_t count, Visit& visit) {
  visit(name, slots_of(a, count).data(), slots_of(b, count).data(), count);
}

// Calls visit(name, numbers of a, numbers of b, count) for each array of the state. Both worlds have one shape.
template <class Visit>
void for_each_state_array(const mg::World& a, const mg::World& b, Visit visit) {
  using mg::kInvalidIds;
  const mg::Header &h = *a.h, &there = *b.h;
  visit("step", &h.step, &there.step, int64_t{1});
  visit("random", h.random.state, there.random.state, int64_t{mg::Random::kWords});
  visit("random_next", &h.random.next, &there.random.next, int64_t{1});
#define MG_VISIT(Type, name, count) visit_array(#name, a.name, b.name, int64_t{1} * (count), visit);
  MG_STATE(MG_VISIT)
#undef MG_VISIT
}

inline std::vector<Change> changes_between(const mg::World& before, const mg::World& after, std::size_t most) {
  std::vector<Change> found;
  for_each_state_array(before, after, [&](const char* name, const auto* a, const auto* b, int64_t count) {
    if (std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof *a) == 0) return;
    for (int64_t i = 0; i < count && found.size() < most; ++i) {
      if (std::memcmp(a + i, b + i, sizeof *a) != 0)
        found.push_back(Change{name, i, static_cast<double>(a[i]), static_cast<double>(b[i])});
    }
  });
  return found;
}

// Compares the state with a copy at every event; slow, and not used unless tracing.
class Tracer : public mg::Watcher {
 public:
  explicit Tracer(const mg::World& world)
      : mg::Watcher{&on_phase, &on_action, &on_rule}, world_(world), copy_(zeroed_block(world.h->bytes)) {
    std::memcpy(copy_.get(), world.h, world.h->state_bytes);
  }
  std::vector<TraceEntry> entries;

 private:
  static Tracer& self(mg::Watcher& watcher) { return static_cast<Tracer&>(watcher); }
  static void on_phase(mg::Watcher& w, mg::Phase phase) { self(w).add(Cause::kPhase, static_cast<int32_t>(phase), 0, 0); }
  static void on_action(mg::Watcher& w, int32_t agent, int32_t id) { self(w).add(Cause::kAction, agent, id, 0); }
  static void on_rule(mg::Watcher& w, int32_t name, int32_t actor, int32_t target) {
    self(w).add(Cause::kRule, name, actor, target);
  }

  void add(Cause cause, int32_t a, int32_t b, int32_t c) {
    const mg::World before = mg::World::view(copy_.get(), world_.scenery.h);
    if (!entries.empty()) entries.back().changes = changes_between(before, world_, SIZE_MAX);
    std::memcpy(copy_.get(), world_.h, world_.h->state_bytes);
    entries.push_back(TraceEntry{cause, a, b, c, {}});
  }

  const mg::World& world_;
  Block copy_;
};

}  // namespace cpu
