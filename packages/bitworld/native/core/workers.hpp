// A thread pool for numbered pieces of work. Created once; sharing work allocates nothing.
#pragma once

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace bitworld {

class Workers {
 public:
  // The caller of `share` works too, so there are `threads` - 1 helpers.
  explicit Workers(int32_t threads) : crew_(std::make_unique<Crew>()) {
    for (int32_t i = 1; i < threads; ++i) {
      crew_->helpers.emplace_back([crew = crew_.get()] { crew->help(); });
    }
  }
  // After a fork the helpers do not exist while their locks may be held: the crew is leaked.
  ~Workers() {
    if (is_lost()) static_cast<void>(crew_.release());
  }
  Workers(const Workers&) = delete;

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
  struct Crew {
    std::vector<std::thread> helpers;
    std::mutex mutex;
    std::condition_variable wake, finished;

    // The job. Written under the lock while no helper is busy.
    void (*call)(const void*, int32_t) = nullptr;
    const void* context = nullptr;
    int32_t count = 0;
    uint64_t job = 0;
    int32_t busy = 0;  // helpers that have not finished the job
    bool is_stopping = false;

    std::atomic<int32_t> next{0};

    ~Crew() {
      {
        const std::lock_guard lock(mutex);
        is_stopping = true;
      }
      wake.notify_all();
      for (std::thread& helper : helpers) helper.join();
    }

    void share(int32_t pieces, void (*work)(const void*, int32_t), const void* work_context) {
      {
        const std::lock_guard lock(mutex);
        call = work;
        context = work_context;
        count = pieces;
        busy = static_cast<int32_t>(helpers.size());
        next.store(0, std::memory_order_relaxed);
        ++job;
      }
      wake.notify_all();
      work_off();
      std::unique_lock lock(mutex);
      finished.wait(lock, [&] { return busy == 0; });
    }

    void help() {
      std::unique_lock lock(mutex);
      for (uint64_t seen = 0;;) {
        wake.wait(lock, [&] { return is_stopping || job != seen; });
        if (is_stopping) return;
        seen = job;
        lock.unlock();
        work_off();
        lock.lock();
        if (--busy == 0) finished.notify_one();
      }
    }

    // Takes pieces until none is left.
    void work_off() {
      for (int32_t i = next.fetch_add(1, std::memory_order_relaxed); i < count;
           i = next.fetch_add(1, std::memory_order_relaxed)) {
        call(context, i);
      }
    }
  };

  std::unique_ptr<Crew> crew_;
  pid_t owner_ = getpid();
};

}  // namespace bitworld
