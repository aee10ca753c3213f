// Outside the box: starts it, forwards its output and its links, enforces the limits, ends it, and reports the result.
#pragma once

#include "inner.hpp"
#include "links.hpp"
#include "usage.hpp"

namespace guard {

// Copies output of the program to a log outside; the limit counts both streams together. `from` is -1 after its end.
struct Stream {
  int from, to;
};

// The caller has cancelled the box before its program started.
struct AskedToEnd {};

class Outer {
 public:
  // A child of the caller may hold the caller's end of the socket open, so watch the caller's process as well.
  explicit Outer(int caller) : caller_(caller), caller_process_(int(syscall(kPidfdOpen, getppid(), 0))) {}

  int run() {
    Message first = receive_message(caller_);
    if (first.closed) return 1;
    plan_ = Plan::parse(first.bytes);
    groups_ = Groups::of(plan_);
    std::string verdict;
    if (!plan_.has("pid_namespace")) prctl(PR_SET_CHILD_SUBREAPER, 1);
    try {
      start(first);
      verdict = watch();
    } catch (const AskedToEnd&) { verdict = "killed"; } catch (const Failure& failure) {
      verdict = "start_failure";
      detail_ = failure.text();
    }
    end_tree();
    carry_rest();
    if (ended_by_itself_) links_.drain(kDrainUs);
    look();
    report(verdict);
    if (plan_.has("listen")) end_launcher();
    groups_.remove();
    return 0;
  }

 private:
  static constexpr int kTickMs = 20, kPidfdSendSignal = 424, kPidfdOpen = 434;
  static constexpr int64_t kDiskEveryUs = 250'000, kStartUs = 60'000'000, kDrainUs = 1'000'000;

  void start(const Message& first) {
    // The caller's descriptors: standard input, the two logs, then the doors, then the channels.
    const auto doors = first.fds.begin() + 3, channels = doors + ptrdiff_t(plan_.list("door").size());
    if (first.fds.size() < 3 + plan_.list("door").size()) fail("reading the plan's descriptors", EINVAL);
    // The box never gets the caller's files: a program could reopen their descriptors with other access modes.
    int in[2], out[2], err[2];
    must(pipe2(in, O_CLOEXEC), "making a pipe");
    must(pipe2(out, O_CLOEXEC), "making a pipe");
    must(pipe2(err, O_CLOEXEC), "making a pipe");
    streams_ = {{out[0], first.fds[1]}, {err[0], first.fds[2]}};
    for (Stream& stream : streams_) fcntl(stream.from, F_SETFL, O_NONBLOCK);
    input_ = {first.fds[0], in[1]};
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    // With one log for both streams, their lines stay in order.
    if (plan_.has("one_output")) must(dup3(out[1], err[1], O_CLOEXEC), "joining the outputs");
    std::vector<int> given{in[0], out[1], err[1]};
    if (plan_.has("uid"))  // so that the box's user can open /dev/stdout
      for (int fd : given) must(fchown(fd, uid_t(plan_.number("uid", -1)), gid_t(-1)), "giving the pipes to the box");
    given.insert(given.end(), channels, first.fds.end());
    links_.open_doors(plan_, {doors, channels});

    launch();
    send_message(inner_, first.bytes, given);
    for (int fd : given) close(fd);
    Message ready = hear("ready");
    reaper_ = ready.sender;
    reaper_fd_ = must(int(syscall(kPidfdOpen, reaper_, 0)), "holding on to the box's first process");
    links_.open(plan_, ready.fds);
    groups_.attach(reaper_);
    send_message(inner_, "go");
    hear("started");
    began_ = now_us();
    send_message(caller_, "started " + std::to_string(reaper_));
  }

  void launch() {
    std::string level = plan_.text("level");
    if (plan_.has("listen")) return launch_container();
    int ends[2];
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "making a socket pair");
    if (level == "namespaces") {
      bool own_user = !plan_.has("uid");
      int gate[2];
      must(pipe2(gate, O_CLOEXEC), "making a pipe");
      child_ = namespaces::split(own_user);
      if (child_ == 0) {
        char word;
        if (read(gate[0], &word, 1) != 1) _exit(1);
        close_others(ends[1]);
        _exit(inner::run(ends[1], false));
      }
      if (own_user) namespaces::map_user(child_);
      if (write(gate[1], "m", 1) != 1) fail("starting the box");
      close(gate[0]);
      close(gate[1]);
    } else {
      child_ = must(fork(), "starting the box");
      if (child_ == 0) {
        if (plan_.has("launcher")) exec_launcher(ends[1]);
        close_others(ends[1]);
        _exit(inner::run(ends[1], false));
      }
    }
    close(ends[1]);
    inner_ = ends[0];
    pass_credentials();
  }

  // A container engine does not pass descriptors on: the box connects to a socket that is mounted into it.
  void launch_container() {
    sockaddr_un address = unix_address(plan_.text("listen"));
    int listener = must(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "opening the box's socket");
    must(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), "opening the box's socket");
    chmod(address.sun_path, 0666);  // other users cannot enter its folder
    must(listen(listener, 1), "opening the box's socket");
    child_ = must(fork(), "starting the box");
    if (child_ == 0) exec_launcher(-1);
    pollfd waits[3] = {{listener, POLLIN, 0}, {caller_, POLLIN, 0}, {caller_process_, POLLIN, 0}};
    for (int64_t end = now_us() + kStartUs; now_us() < end;) {
      poll(waits, 3, 50);
      if (waits[0].revents || waits[1].revents || waits[2].revents) break;
      if (waitpid(child_, nullptr, WNOHANG) == child_) {
        child_ = 0;
        break;
      }
    }
    if (!waits[0].revents) {
      close(listener);
      if (waits[1].revents || waits[2].revents) throw AskedToEnd{};
      fail("the container engine did not start the box: " + launcher_words(), 0);
    }
    inner_ = must(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), "meeting the box");
    close(listener);
    unlink(address.sun_path);
    pass_credentials();
  }

  [[noreturn]] void exec_launcher(int control) {
    std::vector<std::string> argv = plan_.list("launcher");
    auto words = as_argv(argv);
    int log = open(plan_.text("launcher_log", "/dev/null").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int kept = control >= 0 ? fcntl(control, F_DUPFD, 100) : -1;
    dup2(null, 0);
    dup2(log, 1);
    dup2(log, 2);
    if (kept >= 0) dup2(kept, 3);
    syscall(SYS_close_range, kept >= 0 ? 4u : 3u, ~0u, 0);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(words[0], words.data());
    _exit(127);
  }

  void pass_credentials() {
    int yes = 1;
    setsockopt(inner_, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
  }

  static void close_others(int kept) {
    if (kept > 3) syscall(SYS_close_range, 3u, unsigned(kept - 1), 0);
    syscall(SYS_close_range, unsigned(kept + 1), ~0u, 0);
  }

  std::string launcher_words() {
    std::string text = read_file(plan_.text("launcher_log"));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (text.size() > 1000) text = text.substr(text.size() - 1000);
    return text.empty() ? "it said nothing" : text;
  }

  Message hear(const std::string& word) {
    pollfd waits[3] = {{inner_, POLLIN, 0}, {caller_, POLLIN, 0}, {caller_process_, POLLIN, 0}};
    int64_t end = now_us() + kStartUs;
    while (true) {
      int left = int((end - now_us()) / 1000);
      if (left <= 0) fail("the box did not start in time", 0);
      poll(waits, 3, left);
      if (waits[1].revents || waits[2].revents) throw AskedToEnd{};
      if (waits[0].revents) break;
    }
    Message message = receive_message(inner_);
    if (message.closed) fail(plan_.has("launcher") ? "the box did not start: " + launcher_words() : "the box did not start", 0);
    if (message.bytes.starts_with("failed ")) fail(message.bytes.substr(7), 0);
    if (!message.bytes.starts_with(word)) fail("the box said something else", EPROTO);
    return message;
  }

  // Waits until the program ends or reaches a limit; returns the name of the verdict.
  std::string watch() {
    Sampler sampler(plan_.number("memory", -1), plan_.number("processes", -1), plan_.list("scratch_memory"));
    Disk disk(plan_);
    int64_t wall = plan_.number("wall_us", -1), cpu = plan_.number("cpu_us", -1), next_look = 0,
            next_disk = now_us() + kDiskEveryUs;
    while (true) {
      std::vector<pollfd> waits = {{caller_, POLLIN, 0}, {inner_, POLLIN, 0}, {caller_process_, POLLIN, 0}};
      for (const Stream& stream : streams_) waits.push_back({stream.from, POLLIN, 0});
      if (unfed_.empty()) waits.push_back({input_.from, POLLIN, 0});
      else waits.push_back({input_.to, POLLOUT, 0});
      links_.add_to(waits);
      poll(waits.data(), waits.size(), kTickMs);
      if (waits[0].revents || waits[2].revents) return asked_to_end(waits[2].revents);
      if (waits[5].revents) feed();
      carry_output();
      if (output_ > plan_.number("output", INT64_MAX)) return "output";
      if (waits[1].revents) {
        Message message = receive_message(inner_);
        if (message.closed) return vanished();
        if (std::sscanf(message.bytes.c_str(), "exit %d %lld %lld", &status_, &rusage_cpu_, &rusage_peak_) == 3) return ended();
        if (message.bytes == "socket") links_.enter(message.fds.empty() ? -1 : message.fds[0]);
      }
      links_.serve(waits);
      for (size_t count = links_.wanted(); count > 0; --count) send_message(inner_, "socket");
      int64_t now = now_us();
      if (wall >= 0 && now - began_ > wall) return "wall_time";
      if (now < next_look) continue;
      next_look = now + 1000 * kTickMs;
      groups_.read(usage_);
      sampler.read(reaper_, groups_, usage_);
      if (usage_.out_of_memory) return "memory";
      if (usage_.too_many) return "processes";
      if (cpu >= 0 && usage_.cpu_us > cpu) return "cpu_time";
      if (now < next_disk) continue;
      next_disk = now + kDiskEveryUs;
      if (disk.over(reaper_)) return "disk";
    }
  }

  // The first process of the box died before its program: the OOM killer or another process killed it.
  std::string vanished() {
    groups_.read(usage_);
    return usage_.out_of_memory ? "memory" : usage_.too_many ? "processes" : "vanished";
  }

  std::string asked_to_end(bool process_gone) {
    caller_gone_ = process_gone || receive_message(caller_).closed;
    return "killed";
  }

  std::string ended() {
    ended_by_itself_ = true;
    groups_.read(usage_);
    usage_.cpu_us = std::max(usage_.cpu_us, int64_t(rusage_cpu_));
    usage_.peak = std::max(usage_.peak, int64_t(rusage_peak_));
    carry_rest();
    if (output_ > plan_.number("output", INT64_MAX)) return "output";
    if (Disk(plan_).over(reaper_)) return "disk";
    if (usage_.out_of_memory) return "memory";
    if (usage_.too_many) return "processes";
    if (WIFSIGNALED(status_)) {
      if (WTERMSIG(status_) == SIGXCPU) return "cpu_time";
      if (WTERMSIG(status_) == SIGXFSZ) return "file_size";
      return "signal";
    }
    return WEXITSTATUS(status_) == 0 ? "ok" : "exit";
  }

  void feed() {
    char block[65536];
    if (unfed_.empty()) {
      ssize_t count = read(input_.from, block, sizeof block);
      if (count > 0) unfed_.assign(block, size_t(count));
      if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return stop_feeding();
      if (count < 0) return;
    }
    ssize_t count = write(input_.to, unfed_.data(), unfed_.size());
    if (count > 0) unfed_.erase(0, size_t(count));
    if (count < 0 && errno != EAGAIN && errno != EINTR) stop_feeding();
  }
  void stop_feeding() {
    close(input_.from);
    close(input_.to);
    input_ = {-1, -1};
    unfed_.clear();
  }

  // Reads the program's last output from the pipes, without waiting for children that still hold them open.
  void carry_rest() {
    for (int64_t before = -1; before != output_ && output_ <= plan_.number("output", INT64_MAX);) {
      before = output_;
      carry_output();
    }
  }

  void carry_output() {
    int64_t most = plan_.number("output", INT64_MAX);
    for (Stream& stream : streams_) {
      char block[65536];
      ssize_t count = stream.from < 0 ? -1 : read(stream.from, block, sizeof block);
      if (count == 0) {  // poll reports a pipe without writers as ready forever
        close(stream.from);
        stream.from = -1;
      }
      if (count <= 0) continue;
      int64_t room = std::max<int64_t>(0, most - output_);
      output_ += count;
      for (ssize_t done = 0, wanted = std::min<int64_t>(count, room); done < wanted;) {
        // A terminal or a pipe without a reader must not block the guard: output that does not fit is dropped.
        pollfd ready{stream.to, POLLOUT, 0};
        if (poll(&ready, 1, 200) <= 0) break;
        ssize_t written = write(stream.to, block + done, size_t(std::min<ssize_t>(wanted - done, 4096)));
        if (written <= 0) break;
        done += written;
      }
    }
  }

  void end_tree() {
    if (reaper_fd_ >= 0 && plan_.has("pid_namespace")) syscall(kPidfdSendSignal, reaper_fd_, SIGKILL, nullptr, 0);
    if (inner_ >= 0) {
      if (!plan_.has("pid_namespace")) {
        try {
          send_message(inner_, "end");  // the reaper kills its descendants, then exits
          while (!receive_message(inner_).closed) {}
        } catch (const Failure&) {}
      }
      close(inner_);
    }
    // If the reaper itself was killed, its remaining descendants are now children of this process.
    if (!plan_.has("pid_namespace") && child_ > 0) {
      end_descendants(plan_.number("uid", -1), false);
      child_ = 0;
    }
    // A container engine cleans up for a second or longer after its container has ended: the report does not wait for it.
    pollfd last{reaper_fd_, POLLIN, 0};
    if (!plan_.has("listen")) end_launcher();
    else if (reaper_fd_ >= 0) poll(&last, 1, 10'000);
    wall_ = began_ ? now_us() - began_ : 0;
  }

  // A launcher exits with its box; if it does not, kill it.
  void end_launcher() {
    for (int64_t deadline = now_us() + 10'000'000; child_ > 0;) {
      pid_t gone = waitpid(child_, nullptr, WNOHANG);
      if (gone == child_ || gone < 0) break;
      if (now_us() > deadline || (reaper_ == 0 && !plan_.has("listen"))) {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        break;
      }
      usleep(500);
    }
  }

  // Reads the final usage after all processes have ended.
  void look() {
    int64_t cpu = usage_.cpu_us;
    groups_.read(usage_);
    usage_.cpu_us = std::max(cpu, usage_.cpu_us);
  }

  void report(const std::string& verdict) {
    if (caller_gone_) return;
    auto pair = [](const char* key, const std::string& value) { return std::string(key) + "\n" + value + "\n"; };
    std::string text = "result\n" + pair("verdict", verdict) + pair("status", std::to_string(status_)) +
                       pair("wall_us", std::to_string(wall_)) + pair("cpu_us", std::to_string(usage_.cpu_us)) +
                       pair("peak_memory", std::to_string(usage_.peak)) + pair("output", std::to_string(output_));
    std::string detail = detail_;
    for (char& letter : detail)
      if (letter == '\n') letter = ' ';
    text += pair("detail", detail);
    try {
      send_message(caller_, text);
    } catch (const Failure&) {}
  }

  int caller_, caller_process_, inner_ = -1;
  Plan plan_;
  Groups groups_;
  Links links_;
  std::vector<Stream> streams_;
  Stream input_{-1, -1};
  std::string unfed_;  // read from the caller's input, not yet written to the program
  Usage usage_;
  pid_t child_ = 0, reaper_ = 0;
  int reaper_fd_ = -1;  // identifies the process; its pid may be reused
  int64_t began_ = 0, wall_ = 0, output_ = 0;
  int status_ = 0;
  long long rusage_cpu_ = 0, rusage_peak_ = 0;
  bool caller_gone_ = false, ended_by_itself_ = false;
  std::string detail_;
};

}  // namespace guard
