// The resource usage of the box: from its control groups if it has them, otherwise by sampling its processes.
#pragma once

#include "tree.hpp"

#include <dirent.h>
#include <map>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

namespace guard {

struct Usage {
  int64_t memory = 0;  // bytes now
  int64_t peak = 0;    // bytes, highest sample
  int64_t cpu_us = 0;  // of all processes, including ended ones
  int64_t tasks = 0;   // processes and threads
  bool out_of_memory = false;
  bool too_many = false;
};

// Paths of the box's own groups, created by cogbox/_cgroups.py; empty if that controller is not available.
struct Groups {
  int version = 0;  // 1, 2, or 0 for none
  std::string memory, pids, cpu, quota;

  static Groups of(const Plan& plan) {
    return {int(plan.number("cgroup_version", 0)), plan.text("cgroup_memory"), plan.text("cgroup_pids"),
            plan.text("cgroup_cpu"), plan.text("cgroup_quota")};
  }
  std::vector<std::string> folders() const {
    std::vector<std::string> all;
    for (const std::string* folder : {&memory, &pids, &cpu, &quota})
      if (!folder->empty() && (all.empty() || all.back() != *folder)) all.push_back(*folder);
    return all;
  }
  void attach(pid_t pid) const {
    for (const std::string& folder : folders())
      if (!write_file(folder + "/cgroup.procs", std::to_string(pid))) fail("entering the control group " + folder);
  }
  void remove() const {
    for (const std::string& folder : folders())
      for (int attempt = 0; attempt < 200 && rmdir(folder.c_str()) < 0 && errno == EBUSY; ++attempt) usleep(5000);
  }
  void read(Usage& usage) const {
    bool one = version == 1;
    if (!memory.empty()) {
      usage.memory = read_number(memory + (one ? "/memory.usage_in_bytes" : "/memory.current"));
      int64_t peak = read_number(memory + (one ? "/memory.max_usage_in_bytes" : "/memory.peak"));
      usage.peak = std::max({usage.peak, usage.memory, peak});
      int64_t killed =
          one ? read_number(memory + "/memory.oom_control", "oom_kill") : read_number(memory + "/memory.events", "oom_kill");
      // Under v1, `under_oom` shows an out-of-memory condition even if the kernel does not count kills.
      usage.out_of_memory |= killed > 0 || (one && read_number(memory + "/memory.oom_control", "under_oom") > 0);
    }
    if (!pids.empty()) {
      usage.tasks = read_number(pids + "/pids.current");
      usage.too_many |= read_number(pids + "/pids.events", "max") > 0;
    }
    if (!cpu.empty())
      usage.cpu_us = one ? read_number(cpu + "/cpuacct.usage") / 1000 : read_number(cpu + "/cpu.stat", "usage_usec");
  }
};

// Samples `reaper` and all its descendants.
class Sampler {
 public:
  // `scratch`: in-memory file systems, as paths inside the box; they count as memory.
  Sampler(int64_t memory_limit, int64_t task_limit, std::vector<std::string> scratch)
      : memory_limit_(memory_limit), task_limit_(task_limit), scratch_(std::move(scratch)) {}

  void read(pid_t reaper, const Groups& groups, Usage& usage) {
    bool want_memory = groups.memory.empty(), want_tasks = groups.pids.empty(), want_cpu = groups.cpu.empty();
    if (!want_memory && !want_tasks && !want_cpu) return;
    std::vector<pid_t> all = descendants(reaper);
    int64_t tick = 1'000'000 / sysconf(_SC_CLK_TCK);
    int64_t resident = 0, tables = 0, tasks = 0, ticks = look(reaper).ticks;
    std::map<std::pair<pid_t, int64_t>, int64_t> seen;
    for (pid_t pid : all) {
      Process process = look(pid);
      ticks += process.ticks;
      tasks += process.threads;
      if (process.started) seen[{pid, process.started}] = process.own_ticks;
      std::string status = want_memory ? memory_status(pid) : "";
      resident += kilobytes(status, "\nVmRSS:");
      tables += kilobytes(status, "\nVmPTE:");
    }
    if (want_cpu) {
      // The parent's total omits a child that it never waits for; the last sample of that child still counts.
      for (const auto& [process, own] : own_ticks_)
        if (!seen.contains(process)) gone_ticks_ += own;
      int64_t sum = gone_ticks_;
      for (const auto& [process, own] : seen) sum += own;
      own_ticks_ = std::move(seen);
      usage.cpu_us = std::max({usage.cpu_us, ticks * tick, sum * tick});
    }
    if (want_tasks) {
      usage.tasks = tasks;
      usage.too_many |= task_limit_ > 0 && tasks > task_limit_;
    }
    if (!want_memory) return;
    // Shared pages must count once; measuring that is slow, so do it only near the limit.
    if (memory_limit_ > 0 && resident + tables > memory_limit_) resident = proportional(all);
    usage.memory = resident + tables + scratch_used(reaper);
    usage.peak = std::max(usage.peak, usage.memory);
    usage.out_of_memory |= memory_limit_ > 0 && usage.memory > memory_limit_;
  }

 private:
  struct Process {
    int64_t ticks = 0;      // CPU time including children it has waited for
    int64_t own_ticks = 0;  // without
    int64_t threads = 0, started = 0;
  };

  static std::string proc(pid_t pid) { return "/proc/" + std::to_string(pid); }

  static int64_t kilobytes(const std::string& text, const char* name) {
    size_t at = text.find(name);
    return at == text.npos ? 0 : 1024 * std::strtoll(text.c_str() + at + std::strlen(name), nullptr, 10);
  }

  // The status of a thread that still reports the process's memory.
  static std::string memory_status(pid_t pid) {
    std::string status = read_file(proc(pid) + "/status");
    if (status.find("\nVmRSS:") != status.npos) return status;
    for (const std::string& thread : threads_of(pid)) {
      status = read_file(thread + "/status");
      if (status.find("\nVmRSS:") != status.npos) return status;
    }
    return "";
  }

  static Process look(pid_t pid) {
    std::string stat = read_file(proc(pid) + "/stat");
    size_t end = stat.rfind(')');  // the process name may contain any character
    if (end == stat.npos || end + 4 > stat.size()) return {};
    long long number[19] = {};  // fields 4 to 22
    char* next = stat.data() + end + 3;
    for (long long& value : number) value = std::strtoll(next, &next, 10);
    int64_t own = number[10] + number[11];
    return {own + number[12] + number[13], own, number[16], number[18]};
  }

  int64_t scratch_used(pid_t inside) const {
    int64_t used = 0;
    for (const std::string& folder : scratch_) {
      struct statvfs info;
      if (statvfs(("/proc/" + std::to_string(inside) + "/root" + folder).c_str(), &info) == 0)
        used += int64_t(info.f_blocks - info.f_bfree) * int64_t(info.f_frsize);
    }
    return used;
  }

  // Memory with shared pages counted once; a process that cannot be inspected counts in full.
  static int64_t proportional(const std::vector<pid_t>& all) {
    int64_t sum = 0;
    for (pid_t pid : all) {
      std::string text = read_file(proc(pid) + "/smaps_rollup");
      bool is_told = text.find("\nPss:") != text.npos;
      sum += is_told ? kilobytes(text, "\nPss:") : kilobytes(memory_status(pid), "\nVmRSS:");
    }
    return sum;
  }

  int64_t memory_limit_, task_limit_;
  std::vector<std::string> scratch_;
  std::map<std::pair<pid_t, int64_t>, int64_t> own_ticks_;  // of the last sample, by pid and start time
  int64_t gone_ticks_ = 0;                                  // of processes that were seen before
};

// Counts bytes and entries below the writable folders, open files without a name, and entries of in-memory file systems
// that have no other limit (`scratch_at`, paths inside the box). Stops counting above the limits. Follows no links.
class Disk {
 public:
  Disk(const Plan& plan)
      : folders_(plan.list("disk")),
        scratch_(plan.list("scratch_at")),
        most_bytes_(plan.number("disk_bytes", -1)),
        most_files_(plan.number("disk_files", -1)),
        most_scratch_(plan.number("scratch_files", -1)),
        most_file_(plan.number("rlimit_fsize", 0)) {}

  bool over(pid_t inside) {
    bytes_ = files_ = 0;
    for (const std::string& folder : scratch_) {
      struct statvfs info;
      if (statvfs(("/proc/" + std::to_string(inside) + "/root" + folder).c_str(), &info) == 0 &&
          int64_t(info.f_files - info.f_ffree) > most_scratch_)
        return true;
    }
    dev_t device = 0;
    for (const std::string& folder : folders_) {
      int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (fd < 0 && errno == EACCES) return true;  // only the program itself can have closed it to us
      if (fd < 0) continue;
      struct stat info;
      if (fstat(fd, &info) == 0) device = info.st_dev;
      if (walk(fd, 0)) return true;
    }
    return nameless(inside, device);
  }

 private:
  static constexpr int kDeepest = 64;

  bool add(const struct stat& info) {
    bytes_ += int64_t(info.st_blocks) * 512;
    ++files_;
    return (most_bytes_ >= 0 && bytes_ > most_bytes_) || (most_files_ >= 0 && files_ > most_files_);
  }

  bool walk(int fd, int depth) {
    DIR* folder = fdopendir(fd);
    if (!folder) {
      close(fd);
      return false;
    }
    bool over = depth > kDeepest;
    while (dirent* entry = over ? nullptr : readdir(folder)) {
      if (!std::strcmp(entry->d_name, ".") || !std::strcmp(entry->d_name, "..")) continue;
      struct stat info;
      if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0) {
        over = errno == EACCES;
        continue;
      }
      over = add(info);
      if (!over && S_ISDIR(info.st_mode)) {
        int below = openat(dirfd(folder), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        over = below >= 0 ? walk(below, depth + 1) : errno == EACCES;
      }
    }
    closedir(folder);
    return over;
  }

  // Descriptors of any thread, or mappings, keep files without a name alive.
  bool nameless(pid_t inside, dev_t device) {
    std::vector<ino_t> seen;
    auto is_new = [&seen](ino_t inode) {
      if (std::find(seen.begin(), seen.end(), inode) != seen.end()) return false;
      seen.push_back(inode);
      return true;
    };
    std::vector<pid_t> closed;
    for (pid_t pid : descendants(inside))
      for (const std::string& thread : threads_of(pid)) {
        DIR* folder = opendir((thread + "/fd").c_str());
        if (!folder) {
          if (errno == EACCES && is_alive(thread)) closed.push_back(pid);
          continue;
        }
        bool over = false;
        while (dirent* entry = over ? nullptr : readdir(folder)) {
          struct stat info;
          if (entry->d_name[0] == '.' || fstatat(dirfd(folder), entry->d_name, &info, 0) < 0) continue;
          if (S_ISREG(info.st_mode) && info.st_nlink == 0 && info.st_dev == device && is_new(info.st_ino)) over = add(info);
        }
        closedir(folder);
        if (over || mapped(thread, device, is_new)) return true;
      }
    // A process that made itself unreadable hides its open files. During exec a process is briefly unreadable too, so
    // require two samples in a row.
    bool hides = std::any_of(closed.begin(), closed.end(), [this](pid_t pid) {
      return std::find(closed_before_.begin(), closed_before_.end(), pid) != closed_before_.end();
    });
    closed_before_ = std::move(closed);
    return hides;
  }

  // Whether the process runs; false for a zombie.
  static bool is_alive(const std::string& thread) {
    std::string stat = read_file(thread + "/stat");
    size_t end = stat.rfind(')');
    return end != stat.npos && end + 2 < stat.size() && stat[end + 2] != 'Z' && stat[end + 2] != 'X';
  }

  template <class IsNew>
  bool mapped(const std::string& thread, dev_t device, IsNew is_new) {
    std::string maps = read_file(thread + "/maps");
    if (maps.find(" (deleted)") == maps.npos) return false;
    for (const std::string& line : fields(maps)) {
      unsigned long long from, to, inode;
      unsigned major_number, minor_number;
      if (!line.ends_with(" (deleted)") ||
          std::sscanf(line.c_str(), "%llx-%llx %*s %*s %x:%x %llu", &from, &to, &major_number, &minor_number, &inode) != 5)
        continue;
      if (makedev(major_number, minor_number) != device || !is_new(ino_t(inode))) continue;
      // One mapped page keeps a whole file alive. If its size cannot be read through the mapping, it counts as a file of
      // the maximum size.
      struct stat info{};
      char name[64];
      std::snprintf(name, sizeof name, "/map_files/%llx-%llx", from, to);
      if (stat((thread.substr(0, thread.find("/task/")) + name).c_str(), &info) < 0)
        info.st_blocks = blkcnt_t(most_file_ / 512);
      if (add(info)) return true;
    }
    return false;
  }

  std::vector<std::string> folders_, scratch_;
  int64_t most_bytes_, most_files_, most_scratch_, most_file_;
  int64_t bytes_ = 0, files_ = 0;
  std::vector<pid_t> closed_before_;
};

}  // namespace guard
