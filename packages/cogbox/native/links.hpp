// A link is a port on the box's own loopback that forwards to exactly one address outside. Its listening socket is in the
// box's network namespace; the outer guard forwards the connections. A door is the reverse: a listening socket outside
// that forwards to one port inside, through a socket that the reaper opens there.
#pragma once

#include "unix_address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <deque>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <utility>

namespace guard {

class Links {
 public:
  // One value of the plan's `link` per socket: port inside, then `tcp`, address, port or `unix`, path.
  void open(const Plan& plan, const std::vector<int>& sockets) {
    std::vector<std::string> values = plan.list("link"), most = plan.list("link_most");
    for (size_t index = 0; index < sockets.size() && index < values.size(); ++index) {
      fcntl(sockets[index], F_SETFL, O_NONBLOCK);
      size_t bound = index < most.size() ? size_t(std::strtol(most[index].c_str(), nullptr, 10)) : kMostConnections;
      std::vector<std::string> target = fields(values[index]);
      if (target.size() >= 3 && target[1] == "unix") unix_address(target[2]);  // throws before the program starts
      listeners_.push_back({sockets[index], std::move(target), std::min(bound, kMostConnections)});
    }
  }

  // One value of the plan's `door` per socket: the port inside.
  void open_doors(const Plan& plan, const std::vector<int>& sockets) {
    std::vector<std::string> values = plan.list("door");
    for (size_t index = 0; index < sockets.size() && index < values.size(); ++index) {
      fcntl(sockets[index], F_SETFL, O_NONBLOCK);
      doors_.push_back({sockets[index], uint16_t(std::strtol(values[index].c_str(), nullptr, 10))});
    }
  }

  // The number of sockets in the box's network to request since the last call.
  size_t wanted() { return std::exchange(wanted_, 0); }

  // Forwards the oldest waiting connection at a door through `fd`, a socket in the box's network; -1 means none.
  void enter(int inside) {
    if (knocking_.empty()) {
      if (inside >= 0) close(inside);
      return;
    }
    auto [outside, port] = knocking_.front();
    knocking_.pop_front();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (inside < 0 || (connect(inside, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0 && errno != EINPROGRESS)) {
      if (inside >= 0) close(inside);
      close(outside);
      return;
    }
    join(inside, outside, kDoor);
  }

  // After all processes of the box have ended: forwards the data they had sent, up to a deadline.
  void drain(int64_t microseconds) {
    for (int64_t end = now_us() + microseconds; now_us() < end;) {
      std::erase_if(pairs_, [](const auto& pair) { return pair->passed_on(0); });
      if (pairs_.empty()) return;
      std::vector<pollfd> waits;
      add_pairs_to(waits);
      poll(waits.data(), waits.size(), 20);
      serve(waits);
    }
  }

  void add_to(std::vector<pollfd>& waits) const {
    for (const Listener& listener : listeners_)
      if (carried(listener.fd) < listener.most) waits.push_back({listener.fd, POLLIN, 0});
    if (carried(kDoor) + knocking_.size() < kMostAtDoors)
      for (const Door& door : doors_) waits.push_back({door.fd, POLLIN, 0});
    add_pairs_to(waits);
  }

  void add_pairs_to(std::vector<pollfd>& waits) const {
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
      for (const Door& door : doors_)
        if (door.fd == wait.fd) accept_at(door);
      for (auto& pair : pairs_)
        for (int index = 0; index < 2; ++index)
          if (pair->sides[index].fd == wait.fd) pair->move(index, wait.revents);
    }
    std::erase_if(pairs_, [](const auto& pair) { return pair->done(); });
  }

 private:
  // The doors accept as many connections as the links of several other boxes can open.
  static constexpr size_t kMostConnections = 128, kMostAtDoors = 400, kBlock = 65536;
  static constexpr int kDoor = -1;

  struct Listener {
    int fd;
    std::vector<std::string> target;
    size_t most;
  };
  struct Door {
    int fd;
    uint16_t port;
  };
  struct Pair;
  // `buffer`: read from this side, not yet written to the other.
  struct Side {
    int fd;
    std::string buffer;
    bool ended = false, shut = false, gone = false;  // EOF read; EOF forwarded; not writable
    bool waiting(const Pair& pair) const;
  };
  struct Pair {
    Side sides[2];  // the inside first
    int listener;
    ~Pair() {
      for (Side& side : sides) close(side.fd);
    }
    bool passed_on(int index) const { return sides[1 - index].gone || (sides[index].ended && sides[index].buffer.empty()); }
    bool done() const { return passed_on(0) && passed_on(1); }
    void move(int index, short events) {
      Side &side = sides[index], &other = sides[1 - index];
      if ((events & POLLHUP) && side.ended) side.gone = true;
      if ((events & (POLLIN | POLLHUP | POLLERR)) && side.buffer.empty() && !side.ended) {
        // Data that arrived before a reset can still be read; it may include the last lines of output of a program.
        char block[kBlock];
        ssize_t count = recv(side.fd, block, sizeof block, MSG_DONTWAIT);
        if (count > 0) side.buffer.assign(block, size_t(count));
        else if (count == 0) side.ended = true;
        else if (errno != EAGAIN && errno != EINTR) side.ended = side.gone = true;
      }
      flush(side, other);
      flush(other, side);
    }
    void flush(Side& from, Side& to) {
      if (!from.buffer.empty() && !to.gone) {
        ssize_t count = send(to.fd, from.buffer.data(), from.buffer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0) from.buffer.erase(0, size_t(count));
        else if (count < 0 && errno != EAGAIN && errno != EINTR && errno != ENOTCONN && errno != EINPROGRESS) to.gone = true;
      }
      if (to.gone) from.buffer.clear();
      if (from.ended && from.buffer.empty() && !to.shut) {
        shutdown(to.fd, SHUT_WR);
        to.shut = true;
      }
    }
  };

  static int connect_to(const std::vector<std::string>& target) {
    int fd = -1, result = -1;
    if (target.size() >= 3 && target[1] == "unix") {
      sockaddr_un address = unix_address(target[2]);
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
    join(inside, outside, listener.fd);
  }

  void accept_at(const Door& door) {
    int outside = accept4(door.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (outside < 0) return;
    knocking_.emplace_back(outside, door.port);
    ++wanted_;
  }

  // Connections accepted by one listener, or by the doors.
  size_t carried(int listener) const {
    return size_t(std::count_if(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair->listener == listener; }));
  }

  void join(int inside, int outside, int listener) {
    int yes = 1;
    for (int fd : {inside, outside}) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    auto pair = std::make_unique<Pair>();
    pair->listener = listener;
    pair->sides[0].fd = inside;
    pair->sides[1].fd = outside;
    pairs_.push_back(std::move(pair));
  }

  std::vector<Listener> listeners_;
  std::vector<Door> doors_;
  std::deque<std::pair<int, uint16_t>> knocking_;  // accepted at a door and not yet forwarded, with the port inside
  size_t wanted_ = 0;
  std::vector<std::unique_ptr<Pair>> pairs_;
};

// Whether data waits to be written to this side.
inline bool Links::Side::waiting(const Pair& pair) const {
  const Side& other = &pair.sides[0] == this ? pair.sides[1] : pair.sides[0];
  return !other.buffer.empty() && !gone;
}

}  // namespace guard
