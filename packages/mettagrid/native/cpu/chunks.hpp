// Memory for the blocks of worlds: side by side in chunks that the system may map as one page each. The worlds of a batch lie
// on more small pages than a processor knows at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#if defined(__linux__)
#include <pthread.h>
#include <sys/mman.h>
#endif

namespace cpu {

class Chunks {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 21, kAlign = 64;

  // Blocks of this size come from here.
  static bool hold(std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)  // which finds accesses past the end of a block only if there is a gap
    (void)bytes;
    return false;
#else
    return bytes <= kBytes / 4;
#endif
  }

  static Chunks& shared() {
    static Chunks* const chunks = new Chunks;  // never destroyed: blocks may outlive all static objects
    return *chunks;
  }

  // Null if there is no memory. The contents are arbitrary.
  void* take(std::size_t bytes) {
    const Size size = size_for(bytes);
    const std::lock_guard<std::mutex> lock(mutex_);
    Chunk*& first = open_[size.index];
    if (first == nullptr && !add(first, size.bytes)) return nullptr;
    Chunk& chunk = *first;
    Free* block = chunk.free;
    if (block != nullptr) {
      chunk.free = block->next;
    } else {
      block = reinterpret_cast<Free*>(reinterpret_cast<char*>(&chunk) + chunk.made);
      chunk.made += chunk.size;
    }
    ++chunk.used;
    if (is_full(chunk)) unlink(first, chunk);
    return block;
  }

  void give(void* block) {
    Chunk& chunk = *reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(block) & ~(uintptr_t{kBytes} - 1));
    const std::lock_guard<std::mutex> lock(mutex_);
    Chunk*& first = open_[size_for(chunk.size).index];
    if (is_full(chunk)) link(first, chunk);
    chunk.free = new (block) Free{chunk.free};
    if (--chunk.used > 0) return;
    unlink(first, chunk);
    if (spare_ != nullptr) unmap(spare_);
    spare_ = &chunk;
  }

 private:
  struct Free {
    Free* next;
  };
  // At the start of each chunk, which is aligned to its size.
  struct alignas(kAlign) Chunk {
    std::size_t size;  // of its blocks
    std::size_t made;  // bytes handed out at least once, these included
    Free* free;
    uint32_t used;
    Chunk *next, *before;  // of the chunks of this size that are not full
  };
  static_assert(sizeof(Chunk) == kAlign, "blocks follow at once");

  struct Size {
    std::size_t index, bytes;
  };

  // Eight sizes between two powers of two. Each is an odd number of cache lines: otherwise the same array of many worlds would
  // compete for few sets of a cache.
  static Size size_for(std::size_t bytes) {
    std::size_t index = 0, size = kFewest, step = kFewest / 8;
    for (; size - kAlign < bytes; size += step, ++index) {
      if (size == step * 16) step *= 2;
    }
    return Size{index, size - kAlign};
  }
  static constexpr std::size_t kFewest = 4096, kSizes = 64;

  static bool is_full(const Chunk& chunk) { return chunk.free == nullptr && chunk.made + chunk.size > kBytes; }

  static void link(Chunk*& first, Chunk& chunk) {
    chunk.next = first;
    chunk.before = nullptr;
    if (first != nullptr) first->before = &chunk;
    first = &chunk;
  }
  static void unlink(Chunk*& first, Chunk& chunk) {
    if (chunk.next != nullptr) chunk.next->before = chunk.before;
    (chunk.before != nullptr ? chunk.before->next : first) = chunk.next;
  }

  bool add(Chunk*& first, std::size_t size) {
    void* const memory = spare_ != nullptr ? spare_ : map();
    spare_ = nullptr;
    if (memory == nullptr) return false;
    link(first, *new (memory) Chunk{size, sizeof(Chunk), nullptr, 0, nullptr, nullptr});
    return true;
  }

#if defined(__linux__)
  static void* map() {
    void* const all = mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    const std::size_t before = -reinterpret_cast<uintptr_t>(all) & (kBytes - 1);
    char* const chunk = static_cast<char*>(all) + before;
    if (before > 0) munmap(all, before);
    munmap(chunk + kBytes, kBytes - before);
    madvise(chunk, kBytes, MADV_HUGEPAGE);  // a wish: fulfilled or not, only the speed differs
    return chunk;
  }
  static void unmap(void* chunk) { munmap(chunk, kBytes); }
#else
  static void* map() { return std::aligned_alloc(kBytes, kBytes); }
  static void unmap(void* chunk) { std::free(chunk); }
#endif

  Chunks() {
#if defined(__linux__)
    // A process that forks while another thread is in here would leave the lock closed in its child.
    pthread_atfork([] { shared().mutex_.lock(); }, [] { shared().mutex_.unlock(); }, [] { shared().mutex_.unlock(); });
#endif
  }

  std::mutex mutex_;
  Chunk* open_[kSizes] = {};  // by size, those with room
  void* spare_ = nullptr;     // an empty one
};

}  // namespace cpu
