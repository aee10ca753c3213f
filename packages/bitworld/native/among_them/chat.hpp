// The text of a message: printable ASCII, without spaces at its ends, cut to the length of a chat line.
#pragma once

#include <cstddef>
#include <string_view>

#include "among_them/state.hpp"

namespace bitworld::among_them {

class ChatText {
 public:
  explicit ChatText(std::string_view text) {
    for (const char c : text) {
      if (c < 0x20 || c > 0x7e || (length_ == 0 && c == ' ')) continue;
      if (length_ == kChatLength) break;
      text_[length_++] = c;
    }
    while (length_ > 0 && text_[length_ - 1] == ' ') --length_;
  }

  std::string_view view() const { return {text_, length_}; }

 private:
  char text_[kChatLength];
  std::size_t length_ = 0;
};

}  // namespace bitworld::among_them
