// Addresses of Unix sockets. A path that is too long throws: truncated, it would name another file.
#pragma once

#include "base.hpp"

#include <sys/socket.h>
#include <sys/un.h>

namespace guard {

inline sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  constexpr size_t most = sizeof address.sun_path - 1;  // a NUL ends the path
  if (path.empty()) fail("the path of a Unix socket is empty: give the path of the socket", 0);
  if (path.size() > most) {
    fail("the socket path " + path + " has " + std::to_string(path.size()) + " bytes, a Unix socket address holds " +
             std::to_string(most) + ": use a shorter path",
         0);
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

}  // namespace guard
