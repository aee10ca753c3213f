// Maps that other threads build while worlds are played.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "cpu/world.hpp"

namespace cpu {

class MapPool {
 public:
  explicit MapPool(int32_t size) : size_(size), entries_(std::make_unique<Entry[]>(static_cast<std::size_t>(size))) {}

  int32_t size() const { return size_; }

  // The map, or null while it is not built.
  const BuiltMap* map(int32_t i) const { return entry(i).map.load(std::memory_order_acquire); }
  // The map is lost: it could not be built, or building has stopped.
  bool is_lost(int32_t i) const {
    return map(i) == nullptr && (entry(i).has_failed.load(std::memory_order_acquire) || is_closed());
  }
  // Closed, or created before a fork: the building threads are in the other process.
  bool is_closed() const { return is_closed_.load(std::memory_order_acquire) || getpid() != owner_; }

  // The map must live as long as the pool.
  void put(int32_t i, const BuiltMap& map) {
    change([&] { entry(i).map.store(&map, std::memory_order_release); });
  }
  void fail(int32_t i) {
    change([&] { entry(i).has_failed.store(true, std::memory_order_release); });
  }
  void close() {
    change([&] { is_closed_.store(true, std::memory_order_release); });
  }

  // Waits a while; true if the map is built or lost.
  bool wait(int32_t i, std::chrono::milliseconds most) {
    const auto is_known = [&] { return map(i) != nullptr || is_lost(i); };
    if (is_known()) return true;  // also in the child of a fork, where the lock may be held forever
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, most, is_known);
  }

 private:
  struct Entry {
    std::atomic<const BuiltMap*> map{nullptr};
    std::atomic<bool> has_failed{false};
  };
  Entry& entry(int32_t i) const { return entries_[static_cast<std::size_t>(i)]; }

  template <class Change>
  void change(const Change& apply) {
    {
      const std::lock_guard lock(mutex_);
      apply();
    }
    changed_.notify_all();
  }

  int32_t size_;
  std::unique_ptr<Entry[]> entries_;
  std::atomic<bool> is_closed_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  pid_t owner_ = getpid();
};

}  // namespace cpu
