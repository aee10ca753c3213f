// The processes below one process, as /proc shows them.
#pragma once

#include "base.hpp"

#include <signal.h>
#include <sys/wait.h>

namespace guard {

// The folders /proc/PID/task/TID of a process's threads; the first thread may have exited while others still run.
inline std::vector<std::string> threads_of(pid_t process) {
  std::string tasks = "/proc/" + std::to_string(process) + "/task/";
  std::vector<std::string> threads;
  if (int fd = open(tasks.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
    char block[8192];
    long size;
    while ((size = syscall(SYS_getdents64, fd, block, sizeof block)) > 0)
      for (long at = 0; at < size;) {
        struct Entry {
          uint64_t inode;
          int64_t offset;
          uint16_t length;
          uint8_t type;
          char name[1];
        }* entry = reinterpret_cast<Entry*>(block + at);
        if (entry->name[0] != '.') threads.push_back(tasks + entry->name);
        at += entry->length;
      }
    close(fd);
  }
  return threads;
}

inline void add_children(pid_t parent, std::vector<pid_t>& found) {
  for (const std::string& thread : threads_of(parent)) {
    std::string text = read_file(thread + "/children");
    for (char* at = text.data(); *at;) {
      char* end;
      pid_t child = pid_t(std::strtol(at, &end, 10));
      if (end == at) break;
      found.push_back(child);
      at = *end ? end + 1 : end;
    }
  }
}

// All descendants of `root`, without `root` itself.
inline std::vector<pid_t> descendants(pid_t root, size_t most = 100'000) {
  std::vector<pid_t> found;
  add_children(root, found);
  for (size_t next = 0; next < found.size() && found.size() < most; ++next) add_children(found[next], found);
  return found;
}

// Kills all descendants of this process, which is their reaper. One kill suffices if the box has its own uid, or if this
// process can signal nothing else (`alone`). Otherwise stop the processes first, until no new one appears: a stopped
// process cannot fork.
inline void end_descendants(int64_t own_uid, bool alone) {
  if (own_uid >= 0) {
    pid_t child = fork();
    if (child == 0) {
      uid_t uid = uid_t(own_uid);
      if (setresuid(uid, uid, uid) == 0) kill(-1, SIGKILL);
      _exit(0);
    }
    if (child > 0) waitpid(child, nullptr, 0);
  }
  while (true) {
    if (alone) {
      kill(-1, SIGKILL);
    } else {
      size_t before = 0;
      for (std::vector<pid_t> all = descendants(getpid()); all.size() > before; all = descendants(getpid())) {
        before = all.size();
        for (pid_t pid : all) kill(pid, SIGSTOP);
      }
      for (pid_t pid : descendants(getpid())) kill(pid, SIGKILL);
    }
    pid_t gone;
    while ((gone = waitpid(-1, nullptr, WNOHANG)) > 0) {}
    if (gone < 0) return;  // no child left
    usleep(1000);
  }
}

}  // namespace guard
