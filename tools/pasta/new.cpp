// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>

#include "command.hpp"
#include "installed_tools.hpp"
#include "new_templates.hpp"
#include "output.hpp"
#include "parse.hpp"

namespace pasta::cli {

namespace {

constexpr std::array keywords{
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq",      "main",     "std",        "pasta"};

/// @throws usage_error if no class can have this name
void check_name(std::string const& name) {
  bool const has_good_letters =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x80 && (std::isalnum(c) || c == '_'); });
  if (!has_good_letters || std::isdigit(static_cast<unsigned char>(name.front()))) {
    throw usage_error(fmt::format("'{}' is not a C++ name: letters, digits and _, not a digit first", visible(name)));
  }
  if (name.front() == '_' || name.find("__") != std::string::npos) {
    throw usage_error(fmt::format("'{}' is reserved for the compiler: no _ first, no double _", name));
  }
  if (name.size() > 100) throw usage_error("the name is longer than 100 letters");
  if (std::find(keywords.begin(), keywords.end(), std::string_view(name)) != keywords.end()) {
    throw usage_error(fmt::format("'{}' has a meaning in C++ already; take another name", name));
  }
}

std::string filled(std::string_view text, std::string const& name) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string result(text);
  for (auto const& [mark, value] :
       {std::pair<std::string_view, std::string const&>{"@NAME@", name}, {"@NAME_UPPER@", upper}}) {
    for (auto i = result.find(mark); i != std::string::npos; i = result.find(mark, i + value.size())) {
      result.replace(i, mark.size(), value);
    }
  }
  return result;
}

/// Removes what was made of a folder unless all of it was.
class unfinished_folder {
 public:
  explicit unfinished_folder(std::string path) : path_(std::move(path)) {}
  unfinished_folder(unfinished_folder const&) = delete;
  unfinished_folder& operator=(unfinished_folder const&) = delete;
  ~unfinished_folder() {
    if (is_finished_) return;
    for (std::string const& file : files_) ::unlink(file.c_str());
    ::rmdir(path_.c_str());
  }
  void add(std::string const& file) { files_.push_back(file); }
  void finish() { is_finished_ = true; }

 private:
  std::string path_;
  std::vector<std::string> files_;
  bool is_finished_ = false;
};

}  // namespace

namespace {
// As a shell takes it.
std::string shell_word(std::string const& text) {
  bool const is_plain =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=:,@%") ==
      std::string::npos;
  if (is_plain && !text.empty()) return text;
  std::string quoted = "'";
  for (char const letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}
}  // namespace

int run_new(arguments const& words) {
  std::string name, parent = ".";
  auto const app =
      make_app("pasta new NAME [--path FOLDER]",
               "Makes the folder NAME with a small tool of that name, its test and a program to try it on.\n"
               "It builds and passes its test as it is.");
  app->add_option("NAME", name, "the tool's name, and its class's");
  app->add_option("--path", parent, "where to make the folder")->type_name("FOLDER");
  app->footer("Example:\n  pasta new stride_check && cmake -S stride_check -B stride_check/build");
  if (parse(*app, words) == parsed::help_was_shown) return exit_done;
  if (name.empty()) throw usage_error("which name? pasta new NAME");
  check_name(name);

  std::string const folder =
      parent == "." ? name : fmt::format("{}{}{}", parent, parent.ends_with('/') ? "" : "/", name);
  if (::mkdir(folder.c_str(), 0777) != 0) {
    int const error = errno;
    if (error == EEXIST) throw command_error(fmt::format("{} is there already; nothing was changed", visible(folder)));
    throw command_error(fmt::format("cannot make {}: {}", visible(folder), std::generic_category().message(error)));
  }
  unfinished_folder made(folder);
  std::string names;
  for (file_template const& file : new_tool_templates()) {
    std::string const path = fmt::format("{}/{}", folder, filled(file.name, name));
    made.add(path);
    write_file(filled(file.text, name), path);
    names += fmt::format("  {}\n", visible(path));
  }
  made.finish();

  std::string const package = own_package_folder();
  std::string const shown = shell_word(visible(folder));
  print(fmt::format(
      "made\n{0}\nnext\n  cmake -S {1} -B {1}/build{2}\n  cmake --build {1}/build && ctest --test-dir {1}/build\n"
      "  pasta run {3} -- {1}/build/{3}_example\n",
      names, shown, package.empty() ? "" : " -Dpasta_DIR=" + shell_word(visible(package)), name));
  return exit_done;
}

}  // namespace pasta::cli
