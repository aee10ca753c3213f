// Landlock: the program may open only files below the given folders, and signal only its own processes.
// The build machine's kernel headers may be older than the kernel, so the interface is declared here.
#pragma once

#include "base.hpp"

namespace guard::landlock {

struct RulesetAttr {
  uint64_t fs, net, scoped;
};
struct __attribute__((packed)) PathBeneath {
  uint64_t allowed;
  int32_t parent;
};

inline constexpr uint64_t kExecute = 1, kWriteFile = 2, kReadFile = 4, kReadDir = 8, kRefer = 1 << 13, kTruncate = 1 << 14,
                          kIoctlDev = 1 << 15;
inline constexpr uint64_t kRead = kExecute | kReadFile | kReadDir;
inline constexpr int kCreate = 444, kAddRule = 445, kRestrict = 446;

// The Landlock ABI version of the kernel, 0 for none.
inline int version() {
  long found = syscall(kCreate, nullptr, 0, 1);
  return found < 0 ? 0 : int(found);
}

inline void allow(int ruleset, const std::string& path, uint64_t access) {
  int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT || errno == EACCES) return;  // missing, or inaccessible anyway
    fail("Landlock: opening " + path);
  }
  struct stat info;
  must(fstat(fd, &info), "Landlock: looking at " + path);
  if (!S_ISDIR(info.st_mode)) access &= kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;
  PathBeneath rule{access, fd};
  must(int(syscall(kAddRule, ruleset, 1, &rule, 0)), "Landlock: allowing " + path);
  close(fd);
}

// Restricts signals to this process and its descendants: kill(-1) then reaches exactly those.
inline bool keep_signals_inside() {
  if (version() < 6) return false;
  RulesetAttr attr{0, 0, 2};
  int ruleset = must(int(syscall(kCreate, &attr, sizeof attr, 0)), "Landlock: making the rules");
  must(int(syscall(kRestrict, ruleset, 0)), "Landlock: entering the rules");
  close(ruleset);
  return true;
}

inline void restrict_to(const std::vector<std::string>& readable, const std::vector<std::string>& writable, bool metered) {
  int abi = version();
  if (abi < 1) fail("Landlock is not in this kernel", 0);
  uint64_t known = (1ull << 13) - 1;
  if (abi >= 2) known |= kRefer;
  if (abi >= 3) known |= kTruncate;
  if (abi >= 5) known |= kIoctlDev;
  RulesetAttr attr{known, abi >= 4 ? 3ull : 0, abi >= 6 ? 3ull : 0};  // TCP bind, connect; abstract sockets, signals
  size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  int ruleset = must(int(syscall(kCreate, &attr, size, 0)), "Landlock: making the rules");
  for (const std::string& path : readable) allow(ruleset, path, kRead);
  for (const std::string& path : writable) allow(ruleset, path, known & ~kIoctlDev);
  for (const char* device : {"/dev/null", "/dev/full", "/dev/random", "/dev/urandom"})
    allow(ruleset, device, kReadFile | kWriteFile);
  if (metered) allow(ruleset, "/dev/zero", kReadFile | kWriteFile);
  must(int(syscall(kRestrict, ruleset, 0)), "Landlock: entering the rules");
  close(ruleset);
}

}  // namespace guard::landlock
