// cogbox-guard: runs one program in a box and supervises it until none of its processes is left.
//
//   guard outer FD           FD is the caller's socket: it first sends the plan; the guard sends back the result
//   guard inner FD           inside namespaces that bubblewrap created; FD is the outer guard's socket
//   guard connect PATH       inside a container; PATH is the outer guard's socket
//   guard landlock           prints the version of Landlock in this kernel, 0 for none
#include "outer.hpp"

#include <exception>

int main(int argc, char** argv) {
  std::string word = argc > 1 ? argv[1] : "";
  signal(SIGPIPE, SIG_IGN);
  try {
    if (word == "outer" && argc == 3) {
      fcntl(std::atoi(argv[2]), F_SETFD, FD_CLOEXEC);
      return guard::Outer(std::atoi(argv[2])).run();
    }
    if (word == "inner" && argc == 3) {
      fcntl(std::atoi(argv[2]), F_SETFD, FD_CLOEXEC);
      return guard::inner::run(std::atoi(argv[2]), true);
    }
    if (word == "connect" && argc == 3) {
      sockaddr_un address = guard::unix_address(argv[2]);
      int fd = guard::must(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "opening a socket");
      guard::must(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), "meeting the outer guard");
      return guard::inner::run(fd, true);
    }
    if (word == "landlock") {
      std::printf("%d\n", guard::landlock::version());
      return 0;
    }
  } catch (const guard::Failure& failure) {
    std::fprintf(stderr, "guard: %s\n", failure.text().c_str());
    return 1;
  }
  std::fprintf(stderr, "usage: guard outer FD | inner FD | connect PATH | landlock\n");
  return 2;
}
