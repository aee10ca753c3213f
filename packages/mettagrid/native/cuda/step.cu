// The step on a GPU: one warp per world.
#include "cuda/place.hpp"
//
#include <stdexcept>

namespace gpu {

namespace {

constexpr int32_t kLanes = 32;
constexpr int32_t kWarps = 4;  // per thread block

__device__ int32_t world_index() { return static_cast<int32_t>((blockIdx.x * blockDim.x + threadIdx.x) / kLanes); }
__device__ int32_t lane_index() { return static_cast<int32_t>(threadIdx.x % kLanes); }

__global__ void start_worlds(Batch b) {
  if (world_index() < b.worlds) start_one(b, world_index(), lane_index(), kLanes);
}

__global__ void step_worlds(Batch b) {
  if (world_index() < b.worlds) step_one(b, world_index(), lane_index());
}

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

template <class Kernel>
void launch(Kernel kernel, const Batch& b, const char* what) {
  kernel<<<static_cast<unsigned>((b.worlds + kWarps - 1) / kWarps), kLanes * kWarps>>>(b);
  check(cudaGetLastError(), what);
  check(cudaDeviceSynchronize(), what);
}

}  // namespace

std::string Gpu::name() {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "looking for a GPU");
  return device.name;
}

void* Gpu::zeroed(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "taking memory");
  check(cudaMemset(memory, 0, bytes), "clearing memory");
  return memory;
}

void Gpu::release(void* memory) { cudaFree(memory); }

void Gpu::upload(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the GPU");
}

void Gpu::download(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the GPU");
}

void Gpu::start(const Batch& b) { launch(start_worlds, b, "starting worlds"); }

void Gpu::step(const Batch& b) { launch(step_worlds, b, "stepping worlds"); }

}  // namespace gpu
