// A port on the box's own loopback that leads to one address outside, and nowhere else. The listening socket was made
// inside the box's network namespace; connections to it are carried here, outside.
#pragma once

#include "base.hpp"

#include <arpa/inet.h>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace guard {

class Links {
 public:
  // One value of the plan's `link` per socket: port inside, then `tcp`, address, port or `unix`, path.
  void open(const Plan& plan, const std::vector<int>& sockets) {
    std::vector<std::string> values = plan.list("link");
    for (size_t index = 0; index < sockets.size() && index < values.size(); ++index) {
      fcntl(sockets[index], F_SETFL, O_NONBLOCK);
      listeners_.push_back({sockets[index], fields(values[index])});
    }
  }

  void add_to(std::vector<pollfd>& waits) const {
    if (pairs_.size() < kMostConnections)
      for (const Listener& listener : listeners_) waits.push_back({listener.fd, POLLIN, 0});
    for (const auto& pair : pairs_)
      for (const Side& side : pair->sides) {
        short events = short((side.buffer.empty() && !side.ended ? POLLIN : 0) | (side.waiting(*pair) ? POLLOUT : 0));
        waits.push_back({events ? side.fd : -1, events, 0});
      }
  }

  void serve(const std::vector<pollfd>& waits) {
    for (const pollfd& wait : waits) {
      if (!wait.revents) continue;
      for (const Listener& listener : listeners_)
        if (listener.fd == wait.fd) accept_on(listener);
      for (auto& pair : pairs_)
        for (int index = 0; index < 2; ++index)
          if (pair->sides[index].fd == wait.fd) pair->move(index, wait.revents);
    }
    std::erase_if(pairs_, [](const auto& pair) { return pair->done(); });
  }

 private:
  static constexpr size_t kMostConnections = 128, kBlock = 65536;

  struct Listener {
    int fd;
    std::vector<std::string> target;
  };
  struct Pair;
  // `buffer`: read from this side, not yet written to the other.
  struct Side {
    int fd;
    std::string buffer;
    bool ended = false, shut = false;
    bool waiting(const Pair& pair) const;
  };
  struct Pair {
    Side sides[2];
    bool broken = false;
    ~Pair() {
      for (Side& side : sides) close(side.fd);
    }
    bool done() const {
      return broken || (sides[0].ended && sides[1].ended && sides[0].buffer.empty() && sides[1].buffer.empty());
    }
    void move(int index, short events) {
      Side &side = sides[index], &other = sides[1 - index];
      if ((events & POLLERR) || ((events & POLLHUP) && side.ended)) broken = true;
      if ((events & (POLLIN | POLLHUP | POLLERR)) && side.buffer.empty() && !side.ended) {
        char block[kBlock];
        ssize_t count = recv(side.fd, block, sizeof block, MSG_DONTWAIT);
        if (count > 0)
          side.buffer.assign(block, size_t(count));
        else if (count == 0)
          side.ended = true;
        else if (errno != EAGAIN && errno != EINTR)
          broken = true;
      }
      flush(side, other);
      flush(other, side);
    }
    void flush(Side& from, Side& to) {
      if (!from.buffer.empty()) {
        ssize_t count = send(to.fd, from.buffer.data(), from.buffer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0)
          from.buffer.erase(0, size_t(count));
        else if (count < 0 && errno != EAGAIN && errno != EINTR && errno != ENOTCONN && errno != EINPROGRESS)
          broken = true;
      }
      if (from.ended && from.buffer.empty() && !to.shut) {
        shutdown(to.fd, SHUT_WR);
        to.shut = true;
      }
    }
  };

  static int connect_to(const std::vector<std::string>& target) {
    int fd = -1, result = -1;
    if (target.size() >= 3 && target[1] == "unix") {
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      std::strncpy(address.sun_path, target[2].c_str(), sizeof address.sun_path - 1);
      fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      result = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
    } else if (target.size() >= 4 && target[2].find(':') != std::string::npos) {
      sockaddr_in6 address{};
      address.sin6_family = AF_INET6;
      address.sin6_port = htons(uint16_t(std::strtol(target[3].c_str(), nullptr, 10)));
      inet_pton(AF_INET6, target[2].c_str(), &address.sin6_addr);
      fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      result = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
    } else if (target.size() >= 4) {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(uint16_t(std::strtol(target[3].c_str(), nullptr, 10)));
      inet_pton(AF_INET, target[2].c_str(), &address.sin_addr);
      fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      result = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
    if (fd >= 0 && result < 0 && errno != EINPROGRESS) {
      close(fd);
      return -1;
    }
    return fd;
  }

  void accept_on(const Listener& listener) {
    int inside = accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (inside < 0) return;
    int outside = connect_to(listener.target);
    if (outside < 0) {
      close(inside);
      return;
    }
    int yes = 1;
    for (int fd : {inside, outside}) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    auto pair = std::make_unique<Pair>();
    pair->sides[0].fd = inside;
    pair->sides[1].fd = outside;
    pairs_.push_back(std::move(pair));
  }

  std::vector<Listener> listeners_;
  std::vector<std::unique_ptr<Pair>> pairs_;
};

// There is something for this side to take.
inline bool Links::Side::waiting(const Pair& pair) const {
  const Side& other = &pair.sides[0] == this ? pair.sides[1] : pair.sides[0];
  return !other.buffer.empty();
}

}  // namespace guard
