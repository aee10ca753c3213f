// A thread pool for numbered pieces of work: created once, asleep while idle.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cpu {

class Workers {
 public:
  // The caller of `share` works too, so there are `threads` - 1 helpers.
  explicit Workers(int32_t threads) : crew_(std::make_unique<Crew>()) {
    // With more threads than cores, a spinning thread would take the CPU from a working one.
    if (static_cast<uint32_t>(threads) <= std::thread::hardware_concurrency()) { crew_->spins = kSpins; }
    crew_->ranges = std::vector<Range>(static_cast<std::size_t>(std::max(threads, 1)));
    for (std::size_t i = 1; i < crew_->ranges.size(); ++i) {
      crew_->helpers.emplace_back([crew = crew_.get(), i] { crew->help(i); });
#if defined(__linux__)
      pthread_setname_np(crew_->helpers.back().native_handle(), "mettagrid");  // for `top` and debuggers
#endif
    }
  }
  // After a fork the helpers do not exist while their locks may be held: the crew is leaked.
  ~Workers() {
    if (is_lost()) static_cast<void>(crew_.release());
  }
  Workers(const Workers&) = delete;

  // The helpers and the caller.
  int32_t threads() const { return 1 + static_cast<int32_t>(crew_->helpers.size()); }

  // Threads do not survive a fork; the child cannot use these.
  bool is_lost() const { return !crew_->helpers.empty() && getpid() != owner_; }

  // work(i) for every i in [0, count), on the caller and the helpers; returns when all are done. `work` must not throw. Each
  // thread begins with a range of its own, the same one for every job of this size, so that its data stay in the cache of its
  // core; a thread that has finished its range takes pieces of the others. `reserve`: it leaves so many to a thread that is
  // about to take them itself, where moving their data to another core takes longer than waiting.
  template <class Work>
  void share(int32_t count, const Work& work, int32_t reserve = 0) {
    if (crew_->helpers.empty() || count < 2) {
      for (int32_t i = 0; i < count; ++i) work(i);
      return;
    }
    crew_->reserve.store(static_cast<uint32_t>(reserve), std::memory_order_relaxed);
    crew_->share(count, [](const void* context, int32_t i) { (*static_cast<const Work*>(context))(i); }, &work);
  }

  // The end of the range that piece i of `count` belongs to: the thread that takes i takes the pieces up to there next.
  int32_t range_end(int32_t i, int32_t count) const {
    if (count < 2) return count;
    const int64_t all = threads(), range = ((int64_t{i} + 1) * all - 1) / count;
    return range_begin(static_cast<int32_t>(range) + 1, count, all);
  }

 private:
  // How long a thread waits before it sleeps: tens of microseconds, about as long as sleeping and waking up takes.
  static constexpr int32_t kSpins = 4000, kPauses = 100;

  static int32_t range_begin(int32_t range, int32_t count, int64_t ranges) {
    return static_cast<int32_t>(int64_t{range} * count / ranges);
  }

  // Pieces of a job. `left`: how many of them are not taken yet, below the number of the job. A helper that wakes up late finds
  // none, or pieces of the next job, which is fine; so no thread waits for it.
  struct alignas(64) Range {
    std::atomic<uint64_t> left{0};
    int32_t end = 0;
  };

  struct Crew {
    std::vector<std::thread> helpers;
    int32_t spins = 0;

    // The job. The caller writes it while no piece is taken; only threads that hold a piece read it.
    void (*call)(const void*, int32_t) = nullptr;
    const void* context = nullptr;
    int32_t count = 0;
    std::atomic<uint32_t> reserve{0};
    std::vector<Range> ranges;  // one for each thread, that of the caller first

    alignas(64) std::atomic<int32_t> done{0};
    alignas(64) std::atomic<uint32_t> job{0};

    std::mutex mutex;
    std::condition_variable wake, finished;
    int32_t sleepers = 0;
    bool is_stopping = false;

    ~Crew() {
      {
        const std::lock_guard lock(mutex);
        is_stopping = true;
        job.fetch_add(1);
      }
      wake.notify_all();
      for (std::thread& helper : helpers) helper.join();
    }

    void share(int32_t pieces, void (*work)(const void*, int32_t), const void* work_context) {
      call = work;
      context = work_context;
      count = pieces;
      done.store(0, std::memory_order_relaxed);
      const uint32_t next = job.load(std::memory_order_relaxed) + 1;
      const int64_t all = static_cast<int64_t>(ranges.size());
      for (int32_t i = 0, begin = 0; i < all; ++i) {
        Range& range = ranges[static_cast<std::size_t>(i)];
        range.end = range_begin(i + 1, pieces, all);
        range.left.store(uint64_t{next} << 32 | static_cast<uint32_t>(range.end - begin), std::memory_order_release);
        begin = range.end;
      }
      bool any_asleep = false;
      {
        const std::lock_guard lock(mutex);
        job.store(next, std::memory_order_release);
        any_asleep = sleepers > 0;
      }
      if (any_asleep) wake.notify_all();
      work_off(0);
      const auto is_done = [&] { return done.load(std::memory_order_acquire) == pieces; };
      if (spin(is_done, spins)) return;
      std::unique_lock lock(mutex);
      finished.wait(lock, is_done);
    }

    void help(std::size_t own) {
      for (uint32_t seen = 0;;) {
        const auto is_new = [&] { return job.load(std::memory_order_acquire) != seen; };
        const bool is_awake = spin(is_new, spins);
        {
          std::unique_lock lock(mutex);
          if (!is_awake) {
            ++sleepers;
            wake.wait(lock, is_new);
            --sleepers;
          }
          if (is_stopping) return;
          seen = job.load(std::memory_order_relaxed);
        }
        work_off(own);
      }
    }

    // Takes pieces until none is left, those of its own range first.
    void work_off(std::size_t own) {
      int32_t worked = work_off(ranges[own], 0);
      for (std::size_t i = 1; i < ranges.size(); ++i) {
        Range& range = ranges[own + i < ranges.size() ? own + i : own + i - ranges.size()];
        worked += work_off(range, reserve.load(std::memory_order_relaxed));
        if (is_empty(range)) continue;
        spin([&] { return is_empty(range); }, spins);
        worked += work_off(range, 0);
      }
      if (worked == 0) return;
      const int32_t pieces = count;  // the caller writes the next job after the addition
      if (done.fetch_add(worked, std::memory_order_acq_rel) + worked == pieces) {
        { const std::lock_guard lock(mutex); }  // now the caller has either seen it or is asleep
        finished.notify_one();
      }
    }

    static bool is_empty(const Range& range) { return static_cast<uint32_t>(range.left.load(std::memory_order_relaxed)) == 0; }

    // Takes pieces of a range until `rest` are left.
    int32_t work_off(Range& range, uint32_t rest) const {
      int32_t worked = 0;
      uint64_t now = range.left.load(std::memory_order_acquire);
      while (static_cast<uint32_t>(now) > rest) {
        if (!range.left.compare_exchange_weak(now, now - 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
        call(context, range.end - static_cast<int32_t>(static_cast<uint32_t>(now)));
        ++worked;
        now = range.left.load(std::memory_order_acquire);
      }
      return worked;
    }

    // Waits for a short time. The system may have put this thread on the core of the one that it waits for, hence `yield`.
    template <class Test>
    static bool spin(const Test& is_so, int32_t times) {
      for (int32_t i = 1; i <= times; ++i) {
        if (is_so()) return true;
        if (i % kPauses == 0) std::this_thread::yield();
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
      }
      return is_so();
    }
  };

  std::unique_ptr<Crew> crew_;
  pid_t owner_ = getpid();
};

}  // namespace cpu
