// Inside the box: process 1 (or, without a pid namespace, the reaper of the program), then the program itself.
#pragma once

#include "landlock.hpp"
#include "namespaces.hpp"
#include "seccomp.hpp"
#include "tree.hpp"
#include "wire.hpp"

#include <arpa/inet.h>
#include <grp.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

namespace guard::inner {

inline void drop_capabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) prctl(PR_CAPBSET_DROP, capability);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  must(int(syscall(SYS_capset, &header, none)), "dropping the capabilities");
}

// Switches to the box's own uid if root started it. Always drops all capabilities and forbids new privileges.
inline void drop_privileges(const Plan& plan) {
  uid_t id = uid_t(plan.number("uid", -1));
  if (plan.has("uid") && geteuid() != id) {  // unless a container engine already did it
    must(setgroups(0, nullptr), "dropping the groups");
    must(setresgid(id, id, id), "taking the box's group");
    // Drop the bounding set before the uid changes; afterwards this process no longer has the right to.
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) prctl(PR_CAPBSET_DROP, capability);
    must(setresuid(id, id, id), "taking the box's user");
  }
  drop_capabilities();
  must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "refusing new privileges");
  if (geteuid() == 0 && !plan.has("allow_root")) fail("the program would run as root", 0);
}

// The OOM killer picks boxes first. If root writes the score, the program cannot lower it again.
inline void go_first() { write_file("/proc/self/oom_score_adj", "500"); }

inline void set_limits(const Plan& plan) {
  struct Kind {
    const char* key;
    decltype(RLIMIT_DATA) resource;
  };
  const Kind kinds[] = {{"rlimit_data", RLIMIT_DATA},
                        {"rlimit_nproc", RLIMIT_NPROC},
                        {"rlimit_nofile", RLIMIT_NOFILE},
                        {"rlimit_fsize", RLIMIT_FSIZE},
                        {"rlimit_core", RLIMIT_CORE},
                        {"rlimit_cpu", RLIMIT_CPU},
                        {"rlimit_memlock", RLIMIT_MEMLOCK},
                        {"rlimit_msgqueue", RLIMIT_MSGQUEUE},
                        {"rlimit_rtprio", RLIMIT_RTPRIO},
                        {"rlimit_nice", RLIMIT_NICE},
                        {"rlimit_sigpending", RLIMIT_SIGPENDING}};
  for (const Kind& kind : kinds) {
    int64_t value = plan.number(kind.key, -1);
    if (value < 0) continue;
    rlimit limit{rlim_t(value), rlim_t(value)}, old;
    getrlimit(kind.resource, &old);
    if (old.rlim_max < limit.rlim_max) limit = {old.rlim_max, old.rlim_max};
    must(setrlimit(kind.resource, &limit), std::string("setting ") + kind.key);
  }
}

// Opens one listening socket per link in the box's network namespace; the outer guard accepts on them from outside.
inline std::vector<int> open_links(const Plan& plan) {
  std::vector<int> sockets;
  for (const std::string& value : plan.list("link")) {
    int fd = must(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "opening a link");
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(uint16_t(std::strtol(fields(value).at(0).c_str(), nullptr, 10)));
    must(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), "opening the link on port " + fields(value)[0]);
    must(listen(fd, 64), "opening a link");
    sockets.push_back(fd);
  }
  return sockets;
}

// The last steps before exec: set up descriptors 0 to 2 and the channels, and close all others.
inline void become_program(const Plan& plan, const std::vector<int>& fds) {
  // Move all descriptors up first: the source of a descriptor may occupy the target number of another.
  std::vector<int> high;
  for (int fd : fds) high.push_back(must(fcntl(fd, F_DUPFD_CLOEXEC, int(fds.size()) + 64), "arranging descriptors"));
  for (size_t index = 0; index < high.size(); ++index) must(dup2(high[index], int(index)), "arranging descriptors");
  syscall(SYS_close_range, unsigned(high.size()), ~0u, 0x4 /* CLOSE_RANGE_CLOEXEC */);
  setsid();
  for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  umask(022);
  set_limits(plan);
  must(chdir(plan.text("cwd", "/").c_str()), "entering " + plan.text("cwd", "/"));
  std::vector<std::string> argv = plan.list("argv"), environment = plan.list("env");
  auto words = as_argv(argv), variables = as_argv(environment);
  if (plan.has("landlock")) landlock::restrict_to(plan.list("readable"), plan.list("writable"), !plan.has("unmetered"));
  if (plan.has("seccomp")) Filter(plan.text("seccomp") == "shared", plan.has("unmetered")).install();
  environ = variables.data();
  execvpe(words[0], words.data(), variables.data());
  fail("starting " + argv[0]);
}

inline pid_t start_program(const Plan& plan, const std::vector<int>& fds, bool drop_here) {
  int report[2];
  must(pipe2(report, O_CLOEXEC), "making a pipe");
  pid_t child = must(fork(), "starting the program");
  if (child == 0) {
    try {
      int kept = must(fcntl(report[1], F_DUPFD_CLOEXEC, int(fds.size()) + 32), "arranging descriptors");
      report[1] = kept;
      if (drop_here) {
        go_first();
        drop_privileges(plan);
      }
      become_program(plan, fds);
    } catch (const Failure& failure) {
      std::string text = failure.text();
      if (write(report[1], text.data(), text.size()) < 0) _exit(127);
      _exit(127);
    }
  }
  close(report[1]);
  char text[1024];
  ssize_t count = read(report[0], text, sizeof text);
  close(report[0]);
  if (count > 0) {
    waitpid(child, nullptr, 0);
    fail(std::string(text, size_t(count)), 0);
  }
  return child;
}

// Reaps all processes, reports the end of the program, and opens sockets in the box's network for the outer guard. Returns
// when the outer guard sends `end` or exits.
inline void watch(int control, pid_t program, int signals) {
  bool running = true;
  while (true) {
    pollfd wait[2] = {{control, POLLIN, 0}, {signals, POLLIN, 0}};
    if (poll(wait, 2, -1) < 0 && errno != EINTR) return;
    if (wait[1].revents) {
      signalfd_siginfo info;
      if (read(signals, &info, sizeof info) < 0) return;
      int status;
      pid_t gone;
      while ((gone = waitpid(-1, &status, WNOHANG)) > 0) {
        if (gone != program || !running) continue;
        running = false;
        rusage usage;
        getrusage(RUSAGE_CHILDREN, &usage);
        auto us = [](timeval time) { return int64_t(time.tv_sec) * 1'000'000 + time.tv_usec; };
        send_message(control, "exit " + std::to_string(status) + " " + std::to_string(us(usage.ru_utime) + us(usage.ru_stime)) +
                                  " " + std::to_string(usage.ru_maxrss * 1024));
      }
    }
    if (wait[0].revents) {
      if (receive_message(control).bytes != "socket") return;  // `end`, or the outer guard has exited
      // A socket in the box's network namespace, for a connection accepted at a door.
      int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      send_message(control, "socket", fd >= 0 ? std::vector<int>{fd} : std::vector<int>{});
      close(fd);
    }
  }
}

// Runs the process inside the box. `entered`: bubblewrap or a container engine has already created its namespaces.
inline int run(int control, bool entered) {
  try {
    Message first = receive_message(control);
    if (first.closed) return 1;
    Plan plan = Plan::parse(first.bytes);
    bool init = getpid() == 1;
    if (plan.has("pid_namespace") && !init) fail("the launcher has made no pid namespace", 0);
    sigset_t mask;
    sigfillset(&mask);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    // When process 1 exits, the kernel kills its pid namespace; without a namespace this process kills the tree itself.
    if (init) prctl(PR_SET_PDEATHSIG, SIGKILL);
    else prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!entered && plan.text("level") == "namespaces") {
      sethostname("box", 3);
      namespaces::enter_root(plan);
      namespaces::raise_loopback();
    }
    if (init) namespaces::small_buffers();
    send_message(control, "ready", open_links(plan));
    if (receive_message(control).bytes != "go") return 1;
    if (init) {
      go_first();
      drop_privileges(plan);
    }
    prctl(PR_SET_DUMPABLE, 0);
    if (init) prctl(PR_SET_PDEATHSIG, SIGKILL);  // a change of user clears it
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    int signals = must(signalfd(-1, &children, SFD_CLOEXEC), "watching for the end of the program");
    // Without a pid namespace this process must outlive the program, to kill the processes it leaves behind.
    if (!init) write_file("/proc/self/oom_score_adj", "-1000");
    bool alone = false;
    if (!init && plan.has("landlock") && !plan.has("uid")) {
      must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "refusing new privileges");
      alone = landlock::keep_signals_inside();
    }
    pid_t program = start_program(plan, first.fds, !init);
    for (int fd : first.fds) close(fd);
    send_message(control, "started " + std::to_string(program));
    watch(control, program, signals);
    if (!init) end_descendants(plan.number("uid", -1), alone);
  } catch (const Failure& failure) {
    try {
      send_message(control, "failed " + failure.text());
    } catch (const Failure&) {}
    return 1;
  }
  return 0;
}

}  // namespace guard::inner
