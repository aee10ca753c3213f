// Messages over a Unix stream socket: a four-byte length, the payload, and file descriptors as ancillary data.
#pragma once

#include "base.hpp"

#include <sys/socket.h>

namespace guard {

inline constexpr size_t kMaxFds = 64;
inline constexpr uint32_t kMaxMessage = 16u << 20;  // much larger than a plan with a large environment

struct Message {
  std::string bytes;
  std::vector<int> fds;
  pid_t sender = 0;  // as the receiver's pid namespace sees it; set when the socket has SO_PASSCRED
  bool closed = false;
};

inline void send_message(int socket, std::string_view bytes, const std::vector<int>& fds = {}) {
  if (fds.size() > kMaxFds) fail("sending more than 64 descriptors", EINVAL);
  uint32_t length = uint32_t(bytes.size());
  std::string framed(reinterpret_cast<const char*>(&length), sizeof length);
  framed += bytes;
  size_t sent = 0;
  while (sent < framed.size()) {
    iovec part{framed.data() + sent, framed.size() - sent};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds)] = {};
    if (sent == 0 && !fds.empty()) {
      header.msg_control = control;
      header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
      cmsghdr* rights = CMSG_FIRSTHDR(&header);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
      std::memcpy(CMSG_DATA(rights), fds.data(), sizeof(int) * fds.size());
    }
    ssize_t count = sendmsg(socket, &header, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("sending a message");
    sent += size_t(count);
  }
}

// Blocks until one whole message has arrived; sets `closed` if the peer has closed the socket.
inline Message receive_message(int socket) {
  Message message;
  std::string framed;
  size_t wanted = sizeof(uint32_t);
  while (framed.size() < wanted) {
    char block[65536];
    iovec part{block, std::min(sizeof block, wanted - framed.size())};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFds) + CMSG_SPACE(sizeof(ucred))];
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    ssize_t count = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      message.closed = true;
      return message;
    }
    for (cmsghdr* item = CMSG_FIRSTHDR(&header); item; item = CMSG_NXTHDR(&header, item)) {
      if (item->cmsg_level != SOL_SOCKET) continue;
      if (item->cmsg_type == SCM_RIGHTS) {
        size_t number = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        const int* fds = reinterpret_cast<const int*>(CMSG_DATA(item));
        message.fds.insert(message.fds.end(), fds, fds + number);
      } else if (item->cmsg_type == SCM_CREDENTIALS) {
        message.sender = reinterpret_cast<const ucred*>(CMSG_DATA(item))->pid;
      }
    }
    framed.append(block, size_t(count));
    if (wanted == sizeof(uint32_t) && framed.size() == wanted) {
      uint32_t length;
      std::memcpy(&length, framed.data(), sizeof length);
      if (length > kMaxMessage) fail("receiving a message", EMSGSIZE);
      wanted += length;
    }
  }
  message.bytes = framed.substr(sizeof(uint32_t));
  return message;
}

}  // namespace guard
