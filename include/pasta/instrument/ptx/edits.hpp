// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_EDITS_HPP
#define PASTA_INSTRUMENT_PTX_EDITS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {

/// Changes to a text, made at once: what no change names comes out byte for byte.
class edits {
 public:
  /// @param source must outlive this.
  explicit edits(std::string_view source) : source_(source) {}

  /// Text before and behind a part of the source. What comes behind a part stands before what comes before the next;
  /// otherwise insertions at one place stay in the order in which they were made.
  /// @throws std::logic_error if the part is not a view of the source, also from replace().
  void insert_before(std::string_view part, std::string text);
  void insert_after(std::string_view part, std::string text);
  /// Puts text in the place of a part. It must not overlap another part that is replaced, and nothing may be inserted
  /// within it: std::logic_error from apply().
  void replace(std::string_view part, std::string text);

  bool empty() const { return changes_.empty(); }
  /// The changed text; the source if there are no changes. Time grows with the length of what comes out, and with the
  /// number of changes n as n log n if they were not made from front to back.
  std::string apply() const;

 private:
  enum class order : std::uint8_t { after, before, instead };  // of changes that begin at one place
  struct change {
    std::size_t begin, end;  // begin == end: an insertion
    order place;
    std::string text;
  };
  std::size_t offset_of(std::string_view part) const;

  std::string_view source_;
  std::vector<change> changes_;
};

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/edits.inl>
#endif
