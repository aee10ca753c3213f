// A Paint Arena player: change `choose`, leave the rest. Needs nothing but a C++17 compiler and sockets.
//
// It reads the game's address from COWORLD_PLAYER_WS_URL, answers every observation with a move, connects again when
// the line breaks, and exits 0 at the end of the game.
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct State {
  int slot = 0, width = 0, height = 0;
  std::vector<int> positions;    // x0, y0, x1, y1, ...
  std::vector<int> tile_owners;  // row by row, -1 is unpainted
  bool done = false;
};

// Go to the nearest unpainted tile; when none is left, to the nearest tile that is not ours.
std::string choose(const State& state) {
  const int x = state.positions[2 * state.slot], y = state.positions[2 * state.slot + 1];
  bool free = false;
  for (const int owner : state.tile_owners) free = free || owner == -1;
  int best = 1 << 30, across = 0, down = 0;
  for (int tile = 0; tile < state.width * state.height; ++tile) {
    const int dx = tile % state.width - x, dy = tile / state.width - y, distance = std::abs(dx) + std::abs(dy);
    const bool wanted = free ? state.tile_owners[tile] == -1 : state.tile_owners[tile] != state.slot;
    if (!wanted || distance == 0 || distance >= best) continue;
    best = distance, across = dx, down = dy;
  }
  if (across != 0) return across > 0 ? "right" : "left";
  if (down != 0) return down > 0 ? "down" : "up";
  return "stay";
}

// --- just enough JSON: whole numbers and flags by their key

size_t after(const std::string& text, const std::string& key) {
  const size_t at = text.find("\"" + key + "\":");  // inside a text the quotes would be escaped
  if (at == std::string::npos) throw std::runtime_error("the game's message has no " + key);
  return at + key.size() + 3;
}

int number(const std::string& text, const std::string& key) { return std::atoi(text.c_str() + after(text, key)); }

std::vector<int> numbers(const std::string& text, const std::string& key) {
  std::vector<int> found;
  int depth = 0;
  for (size_t at = after(text, key); at < text.size(); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']' && --depth == 0) break;
    if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
      char* end = nullptr;
      found.push_back(static_cast<int>(std::strtol(text.c_str() + at, &end, 10)));
      at = end - text.c_str() - 1;
    }
  }
  return found;
}

State parse(const std::string& text) {
  State state;
  state.slot = number(text, "slot"), state.width = number(text, "width"), state.height = number(text, "height");
  state.positions = numbers(text, "positions"), state.tile_owners = numbers(text, "tile_owners");
  const size_t done = text.find_first_not_of(' ', after(text, "done"));
  state.done = text.compare(done, 4, "true") == 0;
  const size_t seats = static_cast<size_t>(state.slot) * 2 + 2, tiles = static_cast<size_t>(state.width) * state.height;
  if (state.slot < 0 || state.positions.size() < seats || state.tile_owners.size() != tiles)
    throw std::runtime_error("the game's message is not a state");
  return state;
}

// --- just enough websocket: text both ways, answers to pings

class Game {
 public:
  explicit Game(const std::string& address) {
    const std::string scheme = "ws://";
    if (address.compare(0, scheme.size(), scheme) != 0) throw std::runtime_error("the address must begin with ws://");
    const size_t slash = address.find('/', scheme.size());
    const std::string place = address.substr(scheme.size(), slash - scheme.size());
    const std::string path = slash == std::string::npos ? "/" : address.substr(slash);
    const size_t colon = place.rfind(':');
    const std::string host = place.substr(0, colon), port = colon == std::string::npos ? "80" : place.substr(colon + 1);
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) throw std::runtime_error("unknown host");
    socket_ = socket(found->ai_family, found->ai_socktype, 0);
    const bool reached = socket_ >= 0 && connect(socket_, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    if (!reached) fail("the game cannot be reached");
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    write("GET " + path + " HTTP/1.1\r\nHost: " + place + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
          "Sec-WebSocket-Key: cGFpbnQgYXJlbmEgcGxheQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    std::string answer;
    while (answer.size() < 4 || answer.compare(answer.size() - 4, 4, "\r\n\r\n") != 0) answer += read(1);
    if (answer.compare(0, 12, "HTTP/1.1 101") != 0) fail("the game refused the connection");
  }
  ~Game() { close(); }
  Game(const Game&) = delete;

  // The next text; throws when the line breaks.
  std::string receive() {
    std::string message;
    while (true) {
      const std::string head = read(2);
      const int kind = head[0] & 0x0f;
      uint64_t size = head[1] & 0x7f;
      if (size >= 126) {
        const std::string more = read(size == 126 ? 2 : 8);
        size = 0;
        for (const char byte : more) size = size << 8 | static_cast<uint8_t>(byte);
      }
      if (size > (64u << 20)) fail("the game's message is too large");
      const std::string body = read(size);
      if (kind == 8) fail("the game closed the connection");
      if (kind == 9) send(body, 10);
      if (kind > 2) continue;
      message += body;
      if (head[0] & 0x80) return message;
    }
  }

  void send(const std::string& text, int kind = 1) {
    if (text.size() > 125) fail("only short messages are sent");
    // A client masks what it sends; a mask of zeros leaves it as it is.
    write(std::string{static_cast<char>(0x80 | kind), static_cast<char>(0x80 | text.size()), 0, 0, 0, 0} + text);
  }

 private:
  int socket_ = -1;

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  [[noreturn]] void fail(const char* why) {
    close();
    throw std::runtime_error(why);
  }
  void write(const std::string& data) {
    for (size_t sent = 0; sent < data.size();) {
      const ssize_t count = ::send(socket_, data.data() + sent, data.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) fail("the line broke");
      sent += count;
    }
  }
  std::string read(size_t size) {
    std::string data(size, '\0');
    for (size_t got = 0; got < size;) {
      const ssize_t count = ::recv(socket_, &data[got], size - got, 0);
      if (count <= 0) fail("the line broke");
      got += count;
    }
    return data;
  }
};

int main() {
  using clock = std::chrono::steady_clock;
  const char* address = std::getenv("COWORLD_PLAYER_WS_URL");
  if (!address) address = std::getenv("COGAMES_ENGINE_WS_URL");
  if (!address) {
    std::fprintf(stderr, "COWORLD_PLAYER_WS_URL is not set\n");
    return 2;
  }
  const auto patience = std::chrono::seconds(20);
  for (auto deadline = clock::now() + patience; clock::now() < deadline;) {
    try {
      Game game(address);
      while (true) {
        const State state = parse(game.receive());
        deadline = clock::now() + patience;
        if (state.done) {
          std::printf("finished\n");
          return 0;
        }
        game.send("{\"move\":\"" + choose(state) + "\"}");
      }
    } catch (const std::exception& error) { std::fprintf(stderr, "%s\n", error.what()); }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return 1;
}
