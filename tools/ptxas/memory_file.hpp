// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_MEMORY_FILE_HPP
#define PASTA_TOOLS_PTXAS_MEMORY_FILE_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace pasta::ptxas {

/// Who opens a memory file by its name.
enum class opened_by : std::uint8_t {
  the_child_itself,  ///< it inherits the descriptor; its name does not change from run to run
  its_children_too   ///< a script's children, which may not inherit it
};

/// A file without a place on disk. It goes with the processes that have it open, however they end, needs no TMPDIR and
/// cannot meet another file's name. Readable by name as long as this process lives.
class memory_file {
 public:
  /// @throws std::system_error
  memory_file();
  explicit memory_file(std::string_view text);
  memory_file(memory_file&& other) noexcept;
  memory_file& operator=(memory_file&& other) noexcept;
  ~memory_file();

  /// Not inherited unless the start of a child says so.
  int descriptor() const { return descriptor_; }
  std::string name(opened_by who) const;

  /// @throws std::system_error
  void append(std::string_view text);
  /// Appends what a descriptor gives, to its end.
  /// @throws std::system_error
  void append_all_of(int descriptor);
  /// @throws std::system_error, std::bad_alloc
  std::string read() const;
  /// For a child's standard input, which starts where the offset stands.
  void rewind() const;

 private:
  int descriptor_;
};

}  // namespace pasta::ptxas
#endif
