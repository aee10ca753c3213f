// Threads that work on numbered pieces together with the caller: created once, asleep while idle.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace bitworld {

class Workers {
 public:
  // The caller of `share` works too, so there are `threads` - 1 helpers.
  explicit Workers(int threads) {
    for (int i = 1; i < threads; ++i) helpers_.emplace_back([this] { help(); });
  }

  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }

  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls work(i) for every i in [0, count); returns when all are done. `work` must not throw.
  template <class Work>
  void share(int count, const Work& work) {
    if (helpers_.empty() || count < 2) {
      for (int i = 0; i < count; ++i) work(i);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      call_ = [](const void* context, int i) { (*static_cast<const Work*>(context))(i); };
      context_ = &work;
      count_ = count;
      next_.store(0);
      busy_ = static_cast<int>(helpers_.size());
      ++job_;
    }
    wake_.notify_all();
    take_pieces();
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void help() {
    for (std::uint64_t seen = 0;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return is_stopping_ || job_ != seen; });
        if (is_stopping_) return;
        seen = job_;
      }
      take_pieces();
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) finished_.notify_one();
    }
  }

  void take_pieces() {
    for (int i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) call_(context_, i);
  }

  std::vector<std::thread> helpers_;
  std::mutex mutex_;
  std::condition_variable wake_, finished_;
  void (*call_)(const void*, int) = nullptr;
  const void* context_ = nullptr;
  int count_ = 0;
  std::atomic<int> next_{0};
  int busy_ = 0;           // helpers that have not finished the job
  std::uint64_t job_ = 0;  // number of the last job
  bool is_stopping_ = false;
};

}  // namespace bitworld
