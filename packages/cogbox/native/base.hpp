// Shared by all parts of the guard: the plan, errors that name the failed step, small file helpers.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace guard {

// A step of the set-up that failed. The outer guard reports `step` and the error's text as a start failure.
struct Failure {
  std::string step;
  int error;
  std::string text() const { return error ? step + ": " + std::strerror(error) : step; }
};

[[noreturn]] inline void fail(std::string step, int error = errno) { throw Failure{std::move(step), error}; }

inline int must(int result, const std::string& step) {
  if (result < 0) fail(step);
  return result;
}

// The plan of a box: ordered (key, value) pairs; lists are repeated keys. Written by cogbox/_plan.py.
class Plan {
 public:
  // `bytes` is key NUL value NUL key NUL value NUL ...
  static Plan parse(std::string_view bytes) {
    Plan plan;
    while (!bytes.empty()) {
      std::string key = take(bytes);
      plan.pairs_.emplace_back(std::move(key), take(bytes));
    }
    return plan;
  }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string text(std::string_view key, std::string fallback = "") const {
    const std::string* value = find(key);
    return value ? *value : fallback;
  }
  int64_t number(std::string_view key, int64_t fallback) const {
    const std::string* value = find(key);
    return value ? std::strtoll(value->c_str(), nullptr, 10) : fallback;
  }
  std::vector<std::string> list(std::string_view key) const {
    std::vector<std::string> values;
    for (const auto& [name, value] : pairs_)
      if (name == key) values.push_back(value);
    return values;
  }

 private:
  static std::string take(std::string_view& bytes) {
    size_t end = bytes.find('\0');
    if (end == bytes.npos) fail("reading the plan", EINVAL);
    std::string word(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    return word;
  }
  const std::string* find(std::string_view key) const {
    for (const auto& [name, value] : pairs_)
      if (name == key) return &value;
    return nullptr;
  }
  std::vector<std::pair<std::string, std::string>> pairs_;
};

// The newline-separated fields of one list value (cogbox/_plan.py rejects paths with newlines).
inline std::vector<std::string> fields(const std::string& value) {
  std::vector<std::string> parts(1);
  for (char letter : value)
    if (letter == '\n') parts.emplace_back();
    else parts.back() += letter;
  return parts;
}

inline std::vector<char*> as_argv(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

inline int64_t now_us() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1'000'000 + time.tv_nsec / 1000;
}

// The contents of a small file, or "" if it cannot be read.
inline std::string read_file(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string text;
  char block[4096];
  ssize_t count;
  while ((count = read(fd, block, sizeof block)) > 0) text.append(block, size_t(count));
  close(fd);
  return text;
}

inline bool write_file(const std::string& path, const std::string& text) {
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool done = write(fd, text.data(), text.size()) == ssize_t(text.size());
  close(fd);
  return done;
}

// The number after `name ` in a file of `name number` lines, or the only number of a file; -1 if absent.
inline int64_t read_number(const std::string& path, std::string_view name = "") {
  std::string text = read_file(path);
  if (text.empty()) return -1;
  if (name.empty()) return std::strtoll(text.c_str(), nullptr, 10);
  for (const std::string& line : fields(text))
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ')
      return std::strtoll(line.c_str() + name.size() + 1, nullptr, 10);
  return -1;
}

}  // namespace guard
