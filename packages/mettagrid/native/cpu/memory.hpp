// Memory on a CPU: aligned blocks, and scratch memory shared by the worlds of one thread.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "core/phases/create.hpp"
#include "cpu/chunks.hpp"

namespace cpu {

struct FreeBlock {
  std::size_t bytes = 0;
  void operator()(void* block) const { Chunks::hold(bytes) ? Chunks::shared().give(block) : std::free(block); }
};
using Block = std::unique_ptr<void, FreeBlock>;

// A zeroed block that starts on a cache line. `bytes` is a multiple of 64.
inline Block zeroed_block(std::size_t bytes) {
  Block block(Chunks::hold(bytes) ? Chunks::shared().take(bytes) : std::aligned_alloc(64, bytes), FreeBlock{bytes});
  if (!block) throw std::bad_alloc();
  std::memset(block.get(), 0, bytes);
  return block;
}

// The scenery of a map: read-only, shared by the map and its worlds.
using SceneryBlock = std::shared_ptr<void>;

inline SceneryBlock zeroed_scenery(std::size_t bytes) { return zeroed_block(bytes); }

// Scratch memory large enough for worlds of up to `slots` objects.
class ScratchMemory {
 public:
  mg::Scratch& for_slots(int32_t slots) {
    const std::size_t needed = static_cast<std::size_t>(mg::arena_needed(slots));
    if (arena_.size() < needed) arena_.resize(needed);
    if (!scratch_) {
      scratch_ = std::make_unique<mg::Scratch>();  // without a watcher
      borders_ = std::make_unique<mg::BorderCache>();
      scratch_->borders = borders_.get();
    }
    scratch_->arena = arena_.data();
    scratch_->arena_size = static_cast<int32_t>(needed);  // not the whole capacity: the limit must not depend on other worlds
    return *scratch_;
  }

 private:
  std::unique_ptr<mg::Scratch> scratch_;
  std::unique_ptr<mg::BorderCache> borders_;
  std::vector<int32_t> arena_;
};

inline ScratchMemory& thread_scratch() {
  thread_local ScratchMemory memory;
  return memory;
}

}  // namespace cpu
