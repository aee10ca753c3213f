// A thread pool for numbered pieces of work: created once, asleep while idle.
#pragma once

#include <unistd.h>

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
    if (static_cast<uint32_t>(threads) <= std::thread::hardware_concurrency()) {
      crew_->helper_spins = kSpins;
      crew_->caller_spins = kCallerSpins;
    }
    for (int32_t i = 1; i < threads; ++i) {
      crew_->helpers.emplace_back([crew = crew_.get()] { crew->help(); });
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

  // work(i) for every i in [0, count), on the caller and the helpers; returns when all are done. `work` must not throw.
  template <class Work>
  void share(int32_t count, const Work& work) {
    if (crew_->helpers.empty() || count < 2) {
      for (int32_t i = 0; i < count; ++i) work(i);
      return;
    }
    crew_->share(count, [](const void* context, int32_t i) { (*static_cast<const Work*>(context))(i); }, &work);
  }

 private:
  // Some microseconds for a helper that waits for work. A caller waits for helpers that work already, and waits longer:
  // sleeping and waking up would take tens of microseconds.
  static constexpr int32_t kSpins = 200, kCallerSpins = 20 * kSpins;

  struct Crew {
    std::vector<std::thread> helpers;
    int32_t helper_spins = 0, caller_spins = 0;

    // The job. The caller writes it while no piece is taken; only threads that hold a piece read it.
    void (*call)(const void*, int32_t) = nullptr;
    const void* context = nullptr;
    int32_t count = 0;

    // The number of pieces that are not taken yet, below the number of the job. A helper that wakes up late finds none, or
    // pieces of the next job, which is fine; so no thread waits for it.
    alignas(64) std::atomic<uint64_t> left{0};
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
      left.store(uint64_t{next} << 32 | static_cast<uint32_t>(pieces), std::memory_order_release);
      bool any_asleep = false;
      {
        const std::lock_guard lock(mutex);
        job.store(next, std::memory_order_release);
        any_asleep = sleepers > 0;
      }
      if (any_asleep) wake.notify_all();
      work_off();
      const auto is_done = [&] { return done.load(std::memory_order_acquire) == pieces; };
      if (spin(is_done, caller_spins)) return;
      std::unique_lock lock(mutex);
      finished.wait(lock, is_done);
    }

    void help() {
      for (uint32_t seen = 0;;) {
        const auto is_new = [&] { return job.load(std::memory_order_acquire) != seen; };
        const bool is_awake = spin(is_new, helper_spins);
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
        work_off();
      }
    }

    // Takes pieces until none is left.
    void work_off() {
      uint64_t now = left.load(std::memory_order_acquire);
      while (static_cast<uint32_t>(now) != 0) {
        if (!left.compare_exchange_weak(now, now - 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
        const int32_t pieces = count;  // the caller may write the next job as soon as this piece is done
        call(context, pieces - static_cast<int32_t>(static_cast<uint32_t>(now)));
        if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == pieces) {
          { const std::lock_guard lock(mutex); }  // now the caller has either seen it or is asleep
          finished.notify_one();
        }
        now = left.load(std::memory_order_acquire);
      }
    }

    template <class Test>
    static bool spin(const Test& is_so, int32_t times) {
      for (int32_t i = 0; i < times; ++i) {
        if (is_so()) return true;
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
