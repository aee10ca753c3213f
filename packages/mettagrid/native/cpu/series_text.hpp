// Writes changes of objects as JSON text. The caller defines the text piece by piece; this file only writes values that
// change over time: the value alone if it never changes, [[index, value], ...] otherwise.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace cpu {

// X(name): how a column is written. A table has several values by key and is rewritten when one changes.
#define MG_TEXT_STYLES(X)                                                      \
  X(nothing)                                                                   \
  X(id) /* of the object */                                                    \
  X(number)                                                                    \
  X(boolean)                                                                   \
  X(alive)   /* boolean; before an object appears it is false */               \
  X(place)   /* row << 16 | column as [column, row] */                         \
  X(pairs)   /* table as [[key, value], ...], zeros left out */                \
  X(keys)    /* table as [key, ...], zeros left out */                         \
  X(renamed) /* table as [[name, value], ...], by the piece's list of names */ \
  X(real)    /* bits of a 32-bit float; null when it is not finite */          \
  X(sum)     /* the sum of such numbers over all indices so far */

enum class Style : int32_t {
#define MG_STYLE_NAME(name) k_##name,
  MG_TEXT_STYLES(MG_STYLE_NAME)
#undef MG_STYLE_NAME
};

// Some text, and a column after it.
struct Piece {
  std::string text;
  Style style;
  int32_t field;
  std::string default_text;
  std::vector<std::pair<int32_t, int32_t>> names;  // (name, key), in the order in which they are written
};

// Rows as columns, sorted by field, object, key and tick.
struct Columns {
  const uint8_t* field;
  const uint32_t* object;
  const uint16_t* key;
  const int32_t* tick;
  const int32_t* value;
  int64_t size;
};

// The content to write: ticks from `base` on, which is index 0, and the objects that exist in one of them.
struct Story {
  int32_t base, length;
  int32_t alive_field;
  bool tells_missing;  // also objects that do not exist at index 0
  int32_t objects;
  const int32_t* ids;
  const uint8_t* is_static;  // only first values are written, and nothing if it appears later
};

class SeriesText {
 public:
  static constexpr int32_t kFields = 32;

  SeriesText(const Columns& rows, const Story& story) : story_(story) {
    first_.assign(static_cast<std::size_t>(kFields) * static_cast<std::size_t>(story.objects), 0);
    count_ = first_;
    rows_.reserve(static_cast<std::size_t>(rows.size));
    for (int64_t i = 0; i < rows.size; ++i) {
      if (rows.field[i] >= kFields || rows.object[i] >= static_cast<uint32_t>(story.objects)) continue;
      if (is_outdated(rows, i)) continue;
      const std::size_t at = place(rows.field[i], static_cast<int32_t>(rows.object[i]));
      if (count_[at]++ == 0) first_[at] = static_cast<int32_t>(rows_.size());
      rows_.push_back(Entry{std::max(0, rows.tick[i] - story.base), rows.value[i], rows.key[i]});
    }
    find_subjects();
  }

  // Numbers of the written objects: by first appearance, then by id.
  const std::vector<int32_t>& order() const { return order_; }

  void write(std::string& text, int32_t object, const std::vector<Piece>& pieces) {
    const Subject& subject = subjects_[static_cast<std::size_t>(object)];
    for (const Piece& piece : pieces) {
      text += piece.text;
      if (piece.style == Style::k_id) {
        put_number(text, subject.id);
      } else if (piece.style != Style::k_nothing) {
        put_column(text, object, subject, piece);
      }
    }
  }

 private:
  struct Entry {
    int32_t index, value;
    uint16_t key;
  };
  struct Subject {
    int32_t id, begin;  // index at which it appears, -1 if it is not written
    bool is_static;
  };

  // Only the last value up to the first index counts.
  bool is_outdated(const Columns& rows, int64_t i) const {
    const int64_t next = i + 1;
    return next < rows.size && rows.tick[next] <= story_.base && rows.field[next] == rows.field[i] &&
           rows.object[next] == rows.object[i] && rows.key[next] == rows.key[i];
  }

  void find_subjects() {
    for (int32_t object = 0; object < story_.objects; ++object) {
      const std::size_t at = place(story_.alive_field, object);
      Subject subject{story_.ids[object], -1, story_.is_static[object] != 0};
      if (count_[at] > 0) {
        const Entry& first = entry(first_[at]);
        if (first.value != 0) {
          subject.begin = first.index;
        } else if (story_.tells_missing) {
          subject.begin = 0;
        }
      }
      if (subject.begin == 0 || (subject.begin > 0 && !subject.is_static)) order_.push_back(object);
      subjects_.push_back(subject);
    }
    std::stable_sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) {
      const Subject &x = subjects_[static_cast<std::size_t>(a)], &y = subjects_[static_cast<std::size_t>(b)];
      return x.begin != y.begin ? x.begin < y.begin : x.id < y.id;
    });
  }

  const Entry& entry(int64_t i) const { return rows_[static_cast<std::size_t>(i)]; }
  std::size_t place(int32_t field, int32_t object) const {
    return static_cast<std::size_t>(field) * static_cast<std::size_t>(story_.objects) + static_cast<std::size_t>(object);
  }

  // Values are collected as texts first, because the form depends on whether there is more than one.
  void put_column(std::string& out, int32_t object, const Subject& subject, const Piece& piece) {
    values_.clear();
    ends_.clear();
    indices_.clear();
    const bool has_field = piece.field >= 0 && piece.field < kFields;
    const std::size_t at = has_field ? place(piece.field, object) : 0;
    const int64_t first = has_field ? first_[at] : 0, count = has_field ? count_[at] : 0;
    if (piece.style == Style::k_alive && subject.begin > 0) add(0, "false");
    const bool has_begin = count > 0 && is_single(piece.style) && entry(first).index <= subject.begin;
    const bool is_alive = piece.style == Style::k_alive;
    if (!is_alive && !has_begin && is_single(piece.style)) add(subject.begin, piece.default_text);
    switch (piece.style) {
      case Style::k_pairs:
      case Style::k_keys:
      case Style::k_renamed: add_tables(first, count, subject, piece); break;
      case Style::k_sum: add_sums(first, count); break;
      default:
        for (int64_t i = first; i < first + count; ++i) {
          begin_value();
          put_value(piece.style, entry(i).value);
          end_value(entry(i).index);
        }
    }
    put_collected(out, subject, piece);
  }

  static bool is_single(Style style) {
    return style == Style::k_number || style == Style::k_boolean || style == Style::k_place || style == Style::k_real;
  }

  void put_collected(std::string& out, const Subject& subject, const Piece& piece) const {
    if (ends_.empty()) {
      out += piece.default_text;
    } else if (ends_.size() == 1 || subject.is_static) {
      out.append(values_, 0, ends_[0]);
    } else {
      for (std::size_t i = 0; i < ends_.size(); ++i) {
        out += i == 0 ? "[[0," : ",[";
        if (i != 0) {
          put_number(out, indices_[i]);
          out += ',';
        }
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        out.append(values_, begin, ends_[i] - begin);
        out += ']';
      }
      out += ']';
    }
  }

  void put_value(Style style, int32_t value) {
    switch (style) {
      case Style::k_boolean:
      case Style::k_alive: values_ += value != 0 ? "true" : "false"; break;
      case Style::k_place:
        values_ += '[';
        put_number(values_, value & 0xFFFF);
        values_ += ',';
        put_number(values_, value >> 16);
        values_ += ']';
        break;
      case Style::k_real: put_real(values_, real(value)); break;
      default: put_number(values_, value);
    }
  }

  void add_tables(int64_t first, int64_t count, const Subject& subject, const Piece& piece) {
    by_time_.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < by_time_.size(); ++i) by_time_[i] = first + static_cast<int64_t>(i);
    std::stable_sort(by_time_.begin(), by_time_.end(), [&](int64_t a, int64_t b) { return entry(a).index < entry(b).index; });
    if (by_time_.empty() || entry(by_time_[0]).index > subject.begin) add(subject.begin, piece.default_text);
    held_.clear();
    for (std::size_t i = 0; i < by_time_.size(); ++i) {
      const int64_t row = by_time_[i];
      set_held(entry(row).key, entry(row).value, piece.style == Style::k_renamed);
      if (i + 1 < by_time_.size() && entry(by_time_[i + 1]).index == entry(row).index) continue;
      begin_value();
      put_table(piece);
      end_value(entry(row).index);
    }
  }

  void set_held(int32_t key, int32_t value, bool keeps_zeros) {
    const auto at =
        std::lower_bound(held_.begin(), held_.end(), key, [](const auto& entry, int32_t k) { return entry.first < k; });
    const bool is_there = at != held_.end() && at->first == key;
    if (value == 0 && !keeps_zeros) {
      if (is_there) held_.erase(at);
    } else if (is_there) {
      at->second = value;
    } else {
      held_.insert(at, {key, value});
    }
  }

  void put_table(const Piece& piece) {
    values_ += '[';
    bool is_first = true;
    const auto put_pair = [&](int32_t name, int32_t value) {
      if (!is_first) values_ += ',';
      is_first = false;
      values_ += '[';
      put_number(values_, name);
      values_ += ',';
      put_number(values_, value);
      values_ += ']';
    };
    if (piece.style == Style::k_renamed) {
      for (const auto& [name, key] : piece.names) {
        for (const auto& entry : held_) {
          if (entry.first == key) put_pair(name, entry.second);
        }
      }
    } else {
      for (const auto& [key, value] : held_) {
        if (piece.style == Style::k_pairs) {
          put_pair(key, value);
        } else {
          if (!is_first) values_ += ',';
          is_first = false;
          put_number(values_, key);
        }
      }
    }
    values_ += ']';
  }

  void add_sums(int64_t first, int64_t count) {
    double sum = 0.0, told = 0.0;
    float now = 0.0f;
    int64_t row = first;
    for (int32_t index = 0; index < story_.length; ++index) {
      for (; row < first + count && entry(row).index <= index; ++row) now = real(entry(row).value);
      sum += static_cast<double>(now);
      if (index > 0 && (sum == told || (std::isnan(sum) && std::isnan(told)))) continue;
      told = sum;
      begin_value();
      put_real(values_, sum);
      end_value(index);
    }
  }

  static float real(int32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  static void put_number(std::string& out, int32_t value) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, value);
    out.append(digits, static_cast<std::size_t>(end.ptr - digits));
  }

  // The shortest text that parses as the same number, written as a float.
  static void put_real(std::string& out, double value) {
    if (!std::isfinite(value)) {
      out += "null";
      return;
    }
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, value);
    const std::size_t size = static_cast<std::size_t>(end.ptr - digits);
    out.append(digits, size);
    if (std::find_if(digits, digits + size, [](char c) { return c == '.' || c == 'e'; }) == digits + size) out += ".0";
  }

  void add(int32_t index, const std::string& text) {
    begin_value();
    values_ += text;
    end_value(index);
  }
  void begin_value() { began_ = values_.size(); }
  // A value that equals the previous one is not written again.
  void end_value(int32_t index) {
    const std::size_t size = values_.size() - began_;
    if (!ends_.empty()) {
      const std::size_t before = ends_.size() > 1 ? ends_[ends_.size() - 2] : 0;
      if (began_ - before == size && values_.compare(before, size, values_, began_, size) == 0) {
        values_.resize(began_);
        return;
      }
    }
    ends_.push_back(values_.size());
    indices_.push_back(index);
  }

  const Story story_;
  std::vector<Entry> rows_;
  std::vector<int32_t> first_, count_;  // [field][object]: slice of the rows
  std::vector<Subject> subjects_;
  std::vector<int32_t> order_;
  // The current column: its concatenated texts, their ends, and their indices.
  std::string values_;
  std::size_t began_ = 0;
  std::vector<std::size_t> ends_;
  std::vector<int32_t> indices_;
  std::vector<int64_t> by_time_;
  std::vector<std::pair<int32_t, int32_t>> held_;
};

}  // namespace cpu
