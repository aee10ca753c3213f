// The raw Snappy format: a greedy compressor and a strict decompressor.
//
// A stream is the length of the content as a variable-length number, then elements. The low two bits of an element's
// first byte tell its kind: literal bytes, or a copy of earlier content with an offset of 11, 16 or 32 bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bitworld::snappy {

enum Kind : unsigned { kLiteral = 0, kCopy11 = 1, kCopy16 = 2, kCopy32 = 3 };

constexpr std::size_t kBlock = 1 << 16;  // copies stay inside a block, so 16 bits hold every offset
constexpr std::size_t kMinMatch = 4;
constexpr std::size_t kMaxCopy = 64;
constexpr unsigned kHashBits = 14;

namespace detail {

inline std::uint32_t load32(const char* at) {
  std::uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

inline void put(std::string& out, std::size_t number, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> (8 * i)));
}

inline void put_literal(std::string& out, std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t last = bytes.size() - 1;
  if (last < 60) {
    put(out, last << 2 | kLiteral, 1);
  } else {
    const unsigned width = last < 256 ? 1 : 2;  // a block has at most 65536 bytes
    put(out, std::size_t{59 + width} << 2 | kLiteral, 1);
    put(out, last, width);
  }
  out.append(bytes);
}

inline void put_copy(std::string& out, std::size_t offset, std::size_t length) {
  while (length > 0) {
    // The last copy must not be shorter than it pays: leave at least kMinMatch bytes for it.
    std::size_t part = length <= kMaxCopy ? length : length < kMaxCopy + kMinMatch ? kMaxCopy - kMinMatch : kMaxCopy;
    put(out, (part - 1) << 2 | kCopy16, 1);
    put(out, offset, 2);
    length -= part;
  }
}

inline void put_block(std::string& out, std::string_view block) {
  std::array<std::uint16_t, std::size_t{1} << kHashBits> last_seen{};
  std::size_t at = 0, literal = 0;
  while (at + kMinMatch <= block.size()) {
    const std::uint32_t word = load32(block.data() + at);
    std::uint16_t& slot = last_seen[(word * 0x9E3779B1u) >> (32 - kHashBits)];
    const std::size_t before = slot;
    slot = static_cast<std::uint16_t>(at);
    if (before >= at || load32(block.data() + before) != word) {
      ++at;
      continue;
    }
    std::size_t length = kMinMatch;
    while (at + length < block.size() && block[before + length] == block[at + length]) ++length;
    put_literal(out, block.substr(literal, at - literal));
    put_copy(out, at - before, length);
    at += length;
    literal = at;
  }
  put_literal(out, block.substr(literal));
}

// Reads little-endian numbers and byte ranges; every read is checked.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  std::size_t number(unsigned width) {
    const std::string_view taken = take(width);
    std::size_t value = 0;
    for (unsigned i = 0; i < width; ++i) value |= std::size_t{static_cast<unsigned char>(taken[i])} << (8 * i);
    return value;
  }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw std::invalid_argument("the Snappy stream is truncated");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::size_t variable_length() {
    std::size_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const std::size_t byte = number(1);
      value |= (byte & 127) << shift;
      if (byte < 128) {
        if (value >> 32) break;
        return value;
      }
    }
    throw std::invalid_argument("the length of the Snappy stream is not a 32-bit number");
  }

 private:
  std::string_view bytes_;
};

}  // namespace detail

inline std::string compress(std::string_view content) {
  std::string out;
  out.reserve(content.size() / 8 + 16);
  std::size_t length = content.size();
  for (; length >= 128; length >>= 7) out.push_back(static_cast<char>(length | 128));
  out.push_back(static_cast<char>(length));
  for (std::size_t at = 0; at < content.size(); at += kBlock) detail::put_block(out, content.substr(at, kBlock));
  return out;
}

// Returns the content of exactly `expected` bytes. Throws std::invalid_argument for any other stream.
inline std::string decompress(std::string_view stream, std::size_t expected) {
  detail::Reader reader(stream);
  const std::size_t declared = reader.variable_length();
  if (declared != expected) {
    throw std::invalid_argument("the Snappy stream declares " + std::to_string(declared) + " bytes instead of " +
                                std::to_string(expected));
  }
  std::string out;
  out.reserve(std::min(expected, stream.size() * 22));  // a copy of 64 bytes takes 3
  while (!reader.done()) {
    const std::size_t tag = reader.number(1);
    std::size_t length = (tag >> 2) + 1, offset = 0;
    switch (tag & 3) {
      case kLiteral:
        if (length > 60) length = reader.number(static_cast<unsigned>(length - 60)) + 1;
        if (length > expected - out.size()) throw std::invalid_argument("the Snappy stream is longer than declared");
        out.append(reader.take(length));
        continue;
      case kCopy11:
        length = (tag >> 2 & 7) + 4;
        offset = tag >> 5 << 8 | reader.number(1);
        break;
      case kCopy16: offset = reader.number(2); break;
      default: offset = reader.number(4);
    }
    if (offset == 0 || offset > out.size()) throw std::invalid_argument("a Snappy copy begins before the content");
    if (length > expected - out.size()) throw std::invalid_argument("the Snappy stream is longer than declared");
    for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - offset]);
  }
  if (out.size() != expected) throw std::invalid_argument("the Snappy stream is shorter than declared");
  return out;
}

}  // namespace bitworld::snappy
