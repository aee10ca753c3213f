// The kernels. `mettagrid/gpu/compiler.py` compiles this file with NVRTC, `emulate.hpp` runs the same functions on the CPU.
#include "core/hash.hpp"
#include "gpu/draw.hpp"
#include "gpu/play.hpp"

namespace gpu {

__device__ int64_t thread_index() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

// One per block: tables of the program, read by all its threads.
#define MG_SHARED_PROGRAM(name)                                 \
  __shared__ mg::Program name;                                  \
  if (threadIdx.x == 0) name = mg::Program::view(b.words);      \
  __syncthreads();

// Freshens the lines of a world, observes its agents and settles. All threads of a block, 32 per agent in turn.
__device__ void observe_world(const Batch& b, const mg::Program& p, const mg::World& w, int64_t world, Stage* stages) {
  const int32_t thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  freshen(p, w, thread, threads);
  __syncthreads();
  clear_marks(w, thread, threads);
  for (int32_t agent = thread / kLanes; agent < w.h->agents; agent += threads / kLanes) {
    observe_agent(b, p, w, world, agent, stages[thread / kLanes]);
  }
  __syncthreads();
  if (thread < kLanes) settle(b, p, w, world);
}

}  // namespace gpu

using namespace gpu;

constexpr int kMostWarps = 8;  // per block of the kernels with a block per world

// Worlds whose episode is over begin the next one: the threads of a block look at `chunk` worlds, and begin the due ones together.
extern "C" __global__ void __launch_bounds__(32 * kMostWarps) begin_kernel(const __grid_constant__ Batch b, int32_t chunk) {
  __shared__ bool begins[32 * kMostWarps];
  __shared__ Stage stages[kMostWarps];
  __shared__ mg::Program p;
  const int32_t thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const int64_t first = int64_t{blockIdx.x} * chunk;
  bool own = false;
  if (thread < chunk && first + thread < b.worlds) own = must_begin(b, first + thread);
  begins[thread] = own;
  if (!__syncthreads_or(own)) return;
  if (thread == 0) p = mg::Program::view(b.words);
  for (int32_t i = 0; i < chunk; ++i) {
    __syncthreads();
    if (!begins[i]) continue;
    const int64_t world = first + i;
    const Episode e = next_episode(b, world);
    copy_start(b, world, e, thread, threads);
    __syncthreads();
    if (thread == 0) start(b, p, world, e);
    __syncthreads();
    const mg::World w = world_of(b, world);
    // The first observation of a world is written, and counted, twice.
    for (int32_t time = 0; time < 2; ++time) {
      __syncthreads();
      const bool failed = w.h->fault != 0;
      __syncthreads();
      if (failed) break;
      if (thread == 0) begin_observing(b, p, world);
      __syncthreads();
      if (!b.in_order) observe_world(b, p, w, world, stages);
    }
  }
}

// `spread` threads per world, of which the first one works: 1 = neighbours share a warp, 32 = a warp per world.
extern "C" __global__ void __launch_bounds__(128) rules_kernel(const __grid_constant__ Batch b, int32_t spread) {
  MG_SHARED_PROGRAM(p)
  const int64_t thread = thread_index(), world = thread / spread;
  if (thread % spread != 0 || world >= b.worlds) return;
  play_rules(b, p, world);
}

// A block per world.
extern "C" __global__ void __launch_bounds__(32 * kMostWarps) observe_kernel(const __grid_constant__ Batch b) {
  __shared__ Stage stages[kMostWarps];
  __shared__ mg::World w;
  if (threadIdx.x == 0) w = world_of(b, blockIdx.x);
  MG_SHARED_PROGRAM(p)
  if (w.h->fault != 0) return;
  observe_world(b, p, w, blockIdx.x, stages);
}

// A thread per agent.
extern "C" __global__ void draw_kernel(const __grid_constant__ Batch b, uint64_t seed) {
  if (thread_index() < b.worlds * b.agents) draw_actions(b, thread_index(), seed);
}

extern "C" __global__ void sum_kernel(const __grid_constant__ Batch b) {
  if (thread_index() < b.worlds * b.agents) b.sums[thread_index()] += b.rewards[thread_index()];
}

// A thread per world.
extern "C" __global__ void hash_kernel(const __grid_constant__ Batch b) {
  const int64_t world = thread_index();
  if (world < b.worlds) b.hashes[world] = mg::state_hash(world_of(b, world));
}
