// The machine that runs compiled rules: its registers and stacks. `run.hpp` has the instructions.
#pragma once

#include "core/state/objects.hpp"
#include "core/program/op.hpp"

namespace mg {

constexpr int32_t kCallDepth = 64;  // nested handlers, queries and loops
constexpr int32_t kNumbers = 256;
constexpr int32_t kSharedValues = 64;  // further ones are computed for each agent
constexpr int32_t kSharedTeams = 4;    // likewise
constexpr int32_t kKeptResults = 16;   // slots for cached query results; two queries may share one
constexpr int32_t kKeptSlots = 256;    // longer results are not cached

struct Context {
  int32_t actor, target, frontier;  // slots or kNone
  int32_t row, col;                 // target cell
};

enum class CallKind : int32_t {
  kInline,    // shares the context; its result is ignored (queries)
  kShared,    // a query whose result is cached
  kRestore,   // has its own context; its result is ignored (tag handlers)
  kUse,       // `use_target`, with its own context: success continues with on_after_use, failure fails the mutation
  kAfterUse,  // on_after_use, shares the context: a failed mutation in it fails the use
};

struct Call {
  int32_t back;  // where to continue
  CallKind kind;
  int32_t fail_at;  // kUse, kAfterUse: where a failure continues, or kNone
  Context kept;
};

// One loop of any kind, over arena[read, end) or the holders of `tag`; its results are arena[begin, write) or, for closures
// and rays, arena[queue, write).
struct Loop {
  int32_t begin, read, end, write;
  int32_t tag;                                     // kNone: arena
  int32_t element;                                 // current element of an Each loop
  int32_t counted, most;                           // Each
  int32_t visited, queue;                          // closure and ray: bit set and result list, in the arena
  int32_t candidate, first_candidate;              // closure; candidates end at `end`
  int32_t first_direction, directions, direction;  // ray
  int32_t distance, range, row, col, spawn;        // ray; spawn: template or kNone
  Context kept;
};

// The parts of a step, in order; kDone is when it is over.
#define MG_PHASES(X) X(Actions) X(Events) X(Ticks) X(Areas) X(GameTick) X(Observations) X(Rewards) X(Done)
enum class Phase : int32_t {
#define MG_PHASE(name) k##name,
  MG_PHASES(MG_PHASE)
#undef MG_PHASE
};

// An observer of a step, for timing or tracing. Only the CPU has one, and only on request; normal steps run without.
struct Watcher {
  void (*phase)(Watcher&, Phase);
  void (*action)(Watcher&, int32_t agent, int32_t id);
  void (*rule)(Watcher&, int32_t name, int32_t actor, int32_t target);  // or null
};

// The cached shared value of the last agents.
struct Shared {
  int32_t count;
  int32_t slot[kSharedTeams];
  float value[kSharedTeams];
};

// The cached result of a query that depends only on the state of the world, or also on the tags of the actor, and the change
// counter at that time.
struct KeptResult {
  uint64_t change;
  int32_t query, actor, count;  // actor: slot or kNone
  int32_t slots[kKeptSlots];
};

// The encoded borders of cells, by group of observers (observe.hpp).
constexpr uint32_t kBorders = 1 << 2 * 5;
struct alignas(16) BorderLine {
  uint8_t bytes[16];
};
static_assert(sizeof(BorderLine) == 1 << 4, "`WindowLook::sides` are shifted by as much");
struct BorderCache {
  uint32_t first;   // feature of the tokens for N
  uint32_t groups;  // bit per group that is encoded
  BorderLine lines[1 << kFewOwners][kBorders];
};

// The encoded global values of a team, in games where all agents of a team share them (observe.hpp).
struct TeamTokens {
  int32_t slot;  // one of its agents
  int32_t bytes;
  uint8_t tokens[128];
};

// The next world of a batch, whose memory a step asks for: see ahead.hpp.
struct Ahead {
  const World* w;
  const Buffers* io;
};

// Working memory of a step. It holds no state between steps, so all worlds of a thread share one.
struct Scratch {
  Watcher* watcher;
  BorderCache* borders;  // on the CPU
  const Ahead* ahead;    // on the CPU; null in most cases
  int32_t* arena;
  int32_t arena_size;
  int32_t top;
  int32_t calls, loops, numbers, flags, results;
  Call call[kCallDepth];
  Loop loop[kCallDepth];
  float number[kNumbers];
  bool flag[kNumbers];
  int32_t result[kCallDepth];  // start of each pending query result; the last one ends at top
  // Deltas that a pass over fixed areas applies at its end, in order of first touch.
  bool deferring;
  int32_t deferred_count;
  int32_t deferred_resource[256];
  int64_t deferred_delta[256];  // by resource
  bool deferred_set[256];
#if METTAGRID_DEBUG_CHECKS
  bool plain;  // no shortcuts: their results are compared with those of the plain rules
#endif
  // Computed once for all agents.
  Shared shared[kSharedValues];
  int32_t teams;
  TeamTokens team[kSharedTeams];
  // Of the agent observed last: another one with the same tags shares it.
  int32_t last_observer;  // slot or kNone
  const BorderLine* last_borders;
  const TeamTokens* last_team;  // null: not shared
  // Counts changes of the world. Between two runs anything may have changed, except while values are read; inside one, only
  // mutations change it.
  uint64_t changes;
  bool is_reading;
  KeptResult kept[kKeptResults];
  int32_t completion;
};

MG_FN int32_t arena_needed(int32_t slots) { return 24 * slots + 4096; }

struct Machine {
  const Program& p;
  const World& w;
  Scratch& s;
  Context ctx;
  int32_t now;  // the step that periodic filters see

  MG_FN Machine(const Program& program, const World& world, Scratch& scratch)
      : p(program), w(world), s(scratch), ctx{kNone, kNone, kNone, 0, 0}, now(world.h->step) {
    s.top = s.calls = s.loops = s.numbers = s.flags = s.results = 0;
    s.deferring = s.is_reading = false;
    s.deferred_count = 0;
  }

  MG_FN bool plain() const {
#if METTAGRID_DEBUG_CHECKS
    return s.plain;
#else
    return false;
#endif
  }

  MG_FN int32_t entity(int32_t which) const {
    if (which == static_cast<int32_t>(Entity::kElement)) return s.loop[s.loops - 1].element;
    if (which == static_cast<int32_t>(Entity::kFrontier)) return ctx.frontier;
    return which == static_cast<int32_t>(Entity::kActor) ? ctx.actor : ctx.target;
  }

  MG_FN void begin(Phase phase) {
#if !defined(__CUDA_ARCH__)
    if (s.watcher != nullptr) s.watcher->phase(*s.watcher, phase);
#else
    (void)phase;
#endif
  }

  MG_FN void fail(Fault fault, int32_t a = 0) { w.fail(fault, a); }
  MG_FN bool ok() const { return w.h->fault == 0; }

  MG_FN void push(float x) {
    if (s.numbers == kNumbers) return fail(Fault::kStack);
    s.number[s.numbers++] = x;
  }
  MG_FN float pop() { return s.number[--s.numbers]; }

  MG_FN void keep(int32_t slot) {
    if (s.top == s.arena_size) return fail(Fault::kArena);
    s.arena[s.top++] = slot;
  }

  MG_FN void push_result(int32_t begin) {
    if (s.results == kCallDepth) return fail(Fault::kStack);
    s.result[s.results++] = begin;
  }
  MG_FN int32_t result_begin() const { return s.result[s.results - 1]; }
  MG_FN void drop_result() { s.top = s.result[--s.results]; }

  MG_FN Loop* open_loop() {
    if (s.loops == kCallDepth) {
      fail(Fault::kStack);
      return nullptr;
    }
    Loop* loop = &s.loop[s.loops++];
    loop->kept = ctx;
    loop->tag = kNone;
    loop->element = kNone;
    return loop;
  }

  MG_FN bool enter(int32_t back, CallKind kind, int32_t entry, int32_t fail_at = kNone) {
    if (s.calls == kCallDepth) {
      fail(Fault::kCallDepth, entry);
      return false;
    }
    s.call[s.calls++] = Call{back, kind, fail_at, ctx};
    return true;
  }

  // Makes the cached result of a query the query result; false if the query must run again.
  MG_FN bool reuse_result(int32_t query, int32_t place, int32_t actor) {
    const KeptResult& kept = s.kept[place];
    if (kept.change != s.changes || kept.query != query || kept.actor != actor || plain()) return false;
    const int32_t begin = s.top;
    for (int32_t i = 0; i < kept.count; ++i) keep(kept.slots[i]);
    push_result(begin);
    return true;
  }

  MG_FN void keep_result(int32_t query, int32_t place, int32_t actor) {
    KeptResult& kept = s.kept[place];
    const int32_t begin = result_begin(), count = s.top - begin;
    if (count > kKeptSlots) return;
    kept.change = s.changes;
    kept.query = query;
    kept.actor = actor;
    kept.count = count;
    for (int32_t i = 0; i < count; ++i) kept.slots[i] = s.arena[begin + i];
  }

  // Runs the routine at `entry` in the context set before; true = success.
  MG_FN bool run(int32_t entry);
  template <bool kWatched>
  MG_FN bool run_code(int32_t entry);

  // Where the trigger gives no target cell, it is (0, 0), as in the published engine.
  MG_FN bool run_for(int32_t entry, int32_t actor, int32_t target) {
    if (entry == 0) return true;
    ctx = Context{actor, target, kNone, 0, 0};
    return run(entry);
  }

  MG_FN bool run_at(int32_t entry, int32_t actor, int32_t target, int32_t row, int32_t col) {
    if (entry == 0) return true;
    ctx = Context{actor, target, kNone, row, col};
    return run(entry);
  }

  // From now on until the last call of `read`, nothing that a value could depend on changes.
  MG_FN void begin_reading() {
    ++s.changes;
    s.is_reading = true;
    for (int32_t i = 0; i < min_of(p.values.size, kSharedValues); ++i) s.shared[i].count = 0;
  }

  // Whether two actors have the same tags of a mask, or it is -1.
  MG_FN bool same_tags(int32_t mask_index, int32_t a, int32_t b) const {
    if (mask_index < 0) return true;
    const int32_t words = w.h->tag_words;
    const uint32_t *mask = p.mask(mask_index), *of_a = w.object_tags + a * words, *of_b = w.object_tags + b * words;
    for (int32_t i = 0; i < words; ++i) {
      if ((of_a[i] ^ of_b[i]) & mask[i]) return false;
    }
    return true;
  }

  // The value of an agent.
  MG_FN float read(int32_t index, int32_t slot) {
    const Value& value = p.values[index];
    if (!value.is_shared || index >= kSharedValues || plain()) return value_for(value.entry, slot, slot);
    Shared& shared = s.shared[index];
    for (int32_t i = 0; i < shared.count; ++i) {
      if (same_tags(value.mask, shared.slot[i], slot)) return shared.value[i];
    }
    const float x = value_for(value.entry, slot, slot);
    if (shared.count < kSharedTeams) {
      shared.slot[shared.count] = slot;
      shared.value[shared.count++] = x;
    }
    return x;
  }

  // The number a value routine leaves on the stack.
  MG_FN float value_for(int32_t entry, int32_t actor, int32_t target) {
    if (entry == 0) return 0.0f;
    run_for(entry, actor, target);
    return ok() && s.numbers > 0 ? pop() : 0.0f;
  }
};

}  // namespace mg
