// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_LINES_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_LINES_HPP

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::patch {

/// A place in the source.
struct source_line {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string function;  ///< that is inlined there, as the module spells it; "" if none is
};

/// Where the instructions of a module come from.
class line_table {
 public:
  /// Reads the .debug_line of machine code for a GPU. What is not such a file, or has none, has no lines.
  /// @param image an ELF file in memory; taken over, as what it says of functions is written into it
  explicit line_table(std::vector<char> image);

  bool is_empty() const { return functions_.empty(); }
  /// The line that the instruction was made for, then those that it is inlined at, outwards; empty where nothing is
  /// known.
  /// @param function as the module spells it @param offset from the function's begin [bytes]
  std::vector<source_line> find(std::string const& function, std::uint64_t offset) const;

 private:
  static constexpr std::uint32_t nowhere = UINT32_MAX;
  struct place {
    std::uint32_t file, line, column, caller;  // the caller's place, or nowhere
    std::string function;
  };
  struct row {
    std::uint64_t offset;
    std::uint32_t place;  // nowhere: nothing is known from here on
  };
  class unit_reader;

  std::vector<std::string> files_;
  std::vector<place> places_;
  std::map<std::string, std::vector<row>> functions_;  // by offset
};

/// What is to be known of machine code when it is loaded.
struct code_names {
  bool has_lines = false;  ///< only then its image is worth keeping
  std::vector<std::string> kernels;
  std::vector<std::string> called;  ///< functions that are no kernels
};
/// Any thread. @param image an ELF file in memory; anything else has no names
code_names read_names(std::string_view image);

}  // namespace pasta::patch
#endif
