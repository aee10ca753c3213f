// The kernels. `mettagrid/gpu/compiler.py` compiles this file with NVRTC, `emulate.hpp` runs the same functions on the CPU.
#include "core/state/hash.hpp"
#include "gpu/draw.hpp"
#include "gpu/play.hpp"

namespace gpu {

__device__ int64_t thread_index() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

// Copies views to memory that a block shares: threads [first, first + threads) of it, 8 bytes each.
template <class View>
__device__ void share(View* to, const View* from, int32_t count, int32_t thread, int32_t threads) {
  static_assert(sizeof(View) % 8 == 0, "copied by words");
  const uint64_t* source = reinterpret_cast<const uint64_t*>(from);
  for (int32_t i = thread; i < count * static_cast<int32_t>(sizeof(View) / 8); i += threads) {
    reinterpret_cast<uint64_t*>(to)[i] = source[i];
  }
}

constexpr int32_t kMostWarps = 8;  // per block of the kernels with a block per world

// Memory that the threads of a block share while they observe.
struct Room {
  Stage stages[kMostWarps];
  Marked marked;
  int32_t attempted[kMostWarps];
};

// Encodes what has changed in a world and observes its agents, one per warp at a time. All threads of a block.
__device__ void observe_world(const DeviceBatch& b, const mg::Program& p, const mg::World& w, int64_t world, Room& room) {
  const int32_t thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const int32_t warp = thread / kLanes, warps = threads / kLanes, agents = w.h->agents;
  mg::freshen_lines(p, w, thread, threads);
  clear_marked(w, room.marked, thread, threads);
  __syncthreads();
  for (int32_t first = 0; first < agents; first += warps) {
    const int32_t agent = first + warp, here = mg::min_of(warps, agents - first);
    AgentSight sight;
    int32_t unseen = 0;
    if (warp < here) {
      observe_agent(b, p, w, world, agent, room.stages[warp], sight);
      if (thread % kLanes == 0) room.attempted[warp] = sight.attempted;
    }
    for (int32_t turn = 0; turn < here; ++turn) {
      __syncthreads();
      if (warp == turn) unseen = claim_seen(w, sight, room.marked);
    }
    if (warp < here) note_seen(p, w, agent, sight, unseen);
    if (thread == 0) count_tokens(b, p, w, world, first, first + here, room.attempted);
    __syncthreads();
  }
}

// Updates the territory of those of a warp's worlds whose claims have changed: all its lanes, one world after the other. The
// first lanes have a world each; `views` are those of the first lane on.
__device__ void settle_worlds(const mg::Program& p, const mg::World* views, int32_t lane, bool plays) {
  PerLane<bool> stale{plays && mg::is_stale(views[lane])};
  for (uint32_t rest = ballot(stale); rest != 0; rest &= rest - 1) settle_together(p, views[mg::lowest_bit(rest)]);
}

}  // namespace gpu

using namespace gpu;

// Worlds whose episode is over begin the next one: the threads of a block look at `chunk` worlds, and begin the due ones
// together.
extern "C" __global__ void __launch_bounds__(32 * kMostWarps)
    begin_kernel(const __grid_constant__ DeviceBatch b, int32_t chunk) {
  __shared__ bool begins[32 * kMostWarps];
  __shared__ Room room;
  __shared__ mg::Program p;
  const int32_t thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const int64_t first = int64_t{blockIdx.x} * chunk;
  bool own = false;
  if (thread < chunk && first + thread < b.worlds) own = must_begin(b, first + thread);
  begins[thread] = own;
  if (!__syncthreads_or(own)) return;
  if (thread == 0) p = mg::Program::view(b.words);  // the batch's own may not exist yet
  for (int32_t i = 0; i < chunk; ++i) {
    __syncthreads();
    if (!begins[i]) continue;
    const int64_t world = first + i;
    const Episode e = next_episode(b, world);
    copy_start(b, world, e, thread, threads);
    __syncthreads();
    if (thread == 0) start(b, p, world, e);
    __syncthreads();
    const mg::World& w = world_of(b, world);
    // The first observation of a world is written, and counted, twice.
    for (int32_t time = 0; time < 2; ++time) {
      __syncthreads();
      const bool failed = w.h->fault != 0;
      __syncthreads();
      if (failed) break;
      if (thread == 0) begin_observing(b, p, world);
      __syncthreads();
      if (!b.in_order) observe_world(b, p, w, world, room);
    }
  }
}

#ifndef MG_RULES_BLOCKS
#define MG_RULES_BLOCKS 6  // of 128 threads, at least, on a multiprocessor: limits the registers of a thread
#endif
constexpr int32_t kMostViews = 32;

// 32 / `spread` worlds per warp, on its first lanes, so that their stacks share cache lines. At most 32 worlds per block.
extern "C" __global__ void __launch_bounds__(128, MG_RULES_BLOCKS)
    rules_kernel(const __grid_constant__ DeviceBatch b, int32_t spread) {
  __shared__ mg::World views[kMostViews];
  __shared__ mg::Program p;
  const int32_t each = kLanes / spread, thread = static_cast<int32_t>(threadIdx.x), lane = thread % kLanes;
  const int32_t worlds = static_cast<int32_t>(blockDim.x) / kLanes * each, of_warp = thread / kLanes * each,
                own = of_warp + lane;
  const int64_t first = int64_t{blockIdx.x} * worlds, world = first + own;
  const int32_t here = static_cast<int32_t>(mg::min_of<int64_t>(worlds, b.worlds - first));
  share(&p, b.tables, 1, thread, static_cast<int32_t>(blockDim.x));
  share(views, b.views + first, here, thread, static_cast<int32_t>(blockDim.x));
  __syncthreads();
  const bool plays = lane < each && own < here && can_play(views[own]);
  if (plays) play_actions(b, p, views[own], world);
  settle_worlds(p, views + of_warp, lane, plays);
  if (plays) play_effects(b, p, views[own], world);
  settle_worlds(p, views + of_warp, lane, plays);
  if (plays) play_end(b, p, views[own], world);
}

#ifndef MG_OBSERVE_BLOCKS
#define MG_OBSERVE_BLOCKS 4
#endif

// A block per world.
extern "C" __global__ void __launch_bounds__(32 * kMostWarps, MG_OBSERVE_BLOCKS)
    observe_kernel(const __grid_constant__ DeviceBatch b) {
  __shared__ Room room;
  __shared__ mg::World w;
  __shared__ mg::Program p;
  share(&w, b.views + blockIdx.x, 1, static_cast<int32_t>(threadIdx.x), static_cast<int32_t>(blockDim.x));
  share(&p, b.tables, 1, static_cast<int32_t>(threadIdx.x), static_cast<int32_t>(blockDim.x));
  __syncthreads();
  if (w.h->fault != 0) return;
  observe_world(b, p, w, blockIdx.x, room);
}

// A thread per agent.
extern "C" __global__ void draw_kernel(const __grid_constant__ DeviceBatch b, uint64_t seed) {
  if (thread_index() < b.worlds * b.agents) draw_actions(b, thread_index(), seed);
}

extern "C" __global__ void sum_kernel(const __grid_constant__ DeviceBatch b) {
  if (thread_index() < b.worlds * b.agents) b.sums[thread_index()] += b.rewards[thread_index()];
}

// A thread per world.
extern "C" __global__ void hash_kernel(const __grid_constant__ DeviceBatch b) {
  const int64_t world = thread_index();
  if (world < b.worlds) b.hashes[world] = mg::state_hash(world_of(b, world));
}
