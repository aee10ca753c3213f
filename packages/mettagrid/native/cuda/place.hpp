// The memory and the processor of a batch: the host, or a GPU (`step.cu`).
#pragma once

#include "cuda/batch.hpp"  // first: after <unistd.h> nvcc takes the `<` of `loop.read < loop.write` for a template's
//
#include <cstring>
#include <string>

#include "cpu/memory.hpp"

namespace gpu {

struct Host {
  static std::string name() { return "this CPU"; }
  static void* zeroed(std::size_t bytes) { return cpu::zeroed_block((bytes + 63) / 64 * 64).release(); }
  static void release(void* memory) { std::free(memory); }
  static void upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  static void download(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  static void start(const Batch& b) {
    for (int32_t world = 0; world < b.worlds; ++world) start_one(b, world, 0, 1);
  }
  static void step(const Batch& b) {
    for (int32_t world = 0; world < b.worlds; ++world) step_one(b, world, 0);
  }
};

// The same on the first GPU. Calls wait until the work is done; CUDA errors become std::runtime_error.
struct Gpu {
  static std::string name();
  static void* zeroed(std::size_t bytes);
  static void release(void* memory);
  static void upload(void* to, const void* from, std::size_t bytes);
  static void download(void* to, const void* from, std::size_t bytes);
  static void start(const Batch& b);
  static void step(const Batch& b);
};

}  // namespace gpu
