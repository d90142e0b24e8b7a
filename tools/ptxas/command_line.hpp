// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The command line of ptxas, or of nvlink, read as far as is needed to know which words are inputs.
#ifndef PASTA_TOOLS_PTXAS_COMMAND_LINE_HPP
#define PASTA_TOOLS_PTXAS_COMMAND_LINE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptxas {

/// What follows an option. Every option that takes a value also takes it as `--option=value`.
enum class takes : std::uint8_t {
  nothing,
  value,            ///< `-o out`
  value_or_joined,  ///< `-m 64`, `-m64`
  only_joined,      ///< `-O3`; `-O 3` is the option without a value and an input
  text_or_joined    ///< `-L folder`, `-Lfolder`
};

/// What an option is to this program.
enum class meaning : std::uint8_t {
  passed_on,
  informs,       ///< prints something and ends: --version
  options_file,  ///< its value names files with more words
  input_string   ///< its value is an input
};

struct option {
  std::string_view long_name;   ///< `--gpu-name`
  std::string_view short_name;  ///< `-arch`
  takes long_form = takes::nothing, short_form = takes::nothing;
  meaning means = meaning::passed_on;
};

/// The options of ptxas 13.0, as `ptxas --help` lists them.
std::span<option const> known_options();

/// The options of nvlink 13.0, as `nvlink --help` lists them, and what nvcc gives it beside them.
std::span<option const> known_link_options();

enum class input_kind : std::uint8_t { file, standard_input, string };

struct input {
  input_kind kind;
  std::string text;   ///< the file's name, `-`, or the PTX itself
  std::string shown;  ///< its name in messages, where that is not its own

  /// As ptxas's messages should name it.
  std::string name() const;
};

/// An input, or an option with its value.
struct argument {
  option const* of = nullptr;        ///< null: an input
  std::string value;                 ///< of an input its name
  std::vector<std::string> spelled;  ///< one word or two
};

class command_line {
 public:
  /// Reads the words behind the program's name, and the options files that they name. Does not throw for words that
  /// the program would refuse: see reason_not_understood().
  explicit command_line(std::vector<std::string> const& words, std::span<option const> known = known_options());

  /// In ptxas's order: strings behind files, wherever they stand.
  std::vector<input> const& inputs() const { return inputs_; }
  /// --version, --help or --list-version: nothing is assembled.
  bool only_informs() const { return only_informs_; }
  /// Why the words cannot be told apart for sure, for a user; empty if they can.
  std::string const& reason_not_understood() const { return reason_not_understood_; }

  /// The words with other files in the place of inputs. Options stay as they are and in their order; an options file
  /// that names inputs gives way to its words. @param files one for each input; nothing: the input as it is. Of strings
  /// all have a file or none, so that their order stays.
  std::vector<std::string> words_with(std::vector<std::optional<std::string>> const& files) const;

  /// The same with another output file and without options files, whose words stand in their place.
  std::vector<std::string> words_with(std::vector<std::optional<std::string>> const& files,
                                      std::string const& output) const;

  /// Whether an option is given, here or in an options file. @param long_name `--verbose`
  bool has(std::string_view long_name) const;

  /// All, without options files, whose words stand in their place.
  std::vector<argument> arguments() const;

  /// The value that counts, the last one; empty if the option is not given.
  std::string value(std::string_view long_name) const;

 private:
  enum class part : std::uint8_t { other, file, standard_input, string_option, string_value, whole_string, value };
  struct word {
    std::string text;
    part is;
    option const* of = nullptr;  // the option that it is or whose value it is
  };
  // Options files give way to their words everywhere, or only where they name inputs.
  enum class expansion : std::uint8_t { all, inputs_only };

  std::vector<word> read(std::vector<std::string> const& words, unsigned depth, expansion how);
  std::vector<word> read_options_files(std::string_view names, unsigned depth, expansion how);
  std::vector<std::string> join(std::vector<word> const& from,
                                std::vector<std::optional<std::string>> const& files) const;
  void give_up(std::string reason);

  std::span<option const> known_;
  std::vector<word> words_, expanded_;
  std::vector<input> inputs_;
  bool only_informs_ = false;
  std::string reason_not_understood_;
};

/// The words of an options file: parted by blanks; double quotes keep blanks, a backslash the character behind it.
/// @return nothing where ptxas's own reading of quotes and backslashes is not sure
std::optional<std::vector<std::string>> split_options_file(std::string_view text);

}  // namespace pasta::ptxas
#endif
