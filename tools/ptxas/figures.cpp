// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "figures.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lines.hpp"

namespace pasta::ptxas {

namespace {

constexpr std::string_view info = "ptxas info    : ", of_function = "Function properties for ";

/// `    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads`
struct frame {
  std::uint64_t stack_bytes = 0, store_bytes = 0, load_bytes = 0;
};

bool read_frame(std::string_view line, frame& read) {
  while (take(line, " ")) {
  }
  return take_number(line, read.stack_bytes) && take(line, " bytes stack frame, ") &&
         take_number(line, read.store_bytes) && take(line, " bytes spill stores, ") &&
         take_number(line, read.load_bytes) && take(line, " bytes spill loads") && line.empty();
}

/// `Compiling entry function 'f' for 'sm_90'`
bool read_entry(std::string_view line, kernel_figures& read) {
  if (!take(line, "Compiling entry function '") || !line.ends_with('\'')) return false;
  std::size_t const middle = line.find("' for '");
  if (middle == std::string_view::npos) return false;
  read.name = line.substr(0, middle);
  read.target = line.substr(middle + 7, line.size() - middle - 8);
  return true;
}

/// `Used 32 registers, used 1 barriers, 47104 bytes smem, 368 bytes cmem[0]`
bool read_usage(std::string_view line, kernel_figures& read) {
  if (!take(line, "Used ") || !take_number(line, read.registers) || !take(line, " registers")) return false;
  std::size_t const end = line.find(" bytes smem");
  if (end == std::string_view::npos) return true;
  std::string_view number = line.substr(0, end);
  number.remove_prefix(number.rfind(' ') + 1);  // npos + 1 is 0
  return take_number(number, read.static_shared);
}

}  // namespace

std::vector<kernel_figures> read_figures(std::string_view messages, linking how) {
  std::vector<kernel_figures> all;
  enum class known : std::uint8_t { nothing, frame_only, everything };
  known current = known::nothing;
  bool is_kernel_itself = false, is_frame_next = false;
  auto const drop_unfinished = [&] {
    if (!all.empty() && current != known::everything) all.pop_back();
  };
  while (!messages.empty()) {
    std::string_view line = take_line(messages);
    if (frame read; is_frame_next && read_frame(line, read)) {
      is_frame_next = false;
      if (all.empty()) continue;
      if (is_kernel_itself) {
        all.back().stack_bytes = read.stack_bytes;
        if (current == known::nothing) current = known::frame_only;
      }
      if (is_kernel_itself || how == linking::whole_program)
        all.back().spill_bytes += read.store_bytes + read.load_bytes;
      continue;
    }
    if (!take(line, info)) continue;
    is_frame_next = false;
    if (kernel_figures entry; read_entry(line, entry)) {
      drop_unfinished();
      current = known::nothing;
      all.push_back(std::move(entry));
    } else if (take(line, of_function)) {
      is_frame_next = true;
      is_kernel_itself = !all.empty() && line == all.back().name && current == known::nothing;
    } else if (current == known::frame_only && read_usage(line, all.back())) {
      current = known::everything;
    }
  }
  drop_unfinished();
  return all;
}

std::string without_figures(std::string_view messages) {
  // What -v adds. Other lines of this kind, such as `(C7508) Potential Performance Loss`, are there without it.
  constexpr std::array<std::string_view, 6> added{
      "Compiling entry function '",        of_function, "Used ", "Compile time = ", "Overriding global maxrregcount ",
      "Overriding maximum register limit "};
  std::string kept;
  bool is_frame_next = false;
  while (!messages.empty()) {
    std::string_view const whole = messages;
    std::string_view line = take_line(messages);
    std::string_view const with_end = whole.substr(0, whole.size() - messages.size());
    bool const may_be_frame = std::exchange(is_frame_next, false);
    if (frame ignored; may_be_frame && read_frame(line, ignored)) continue;
    if (take(line, info)) {
      is_frame_next = line.starts_with(of_function);
      std::uint64_t number = 0;
      bool const is_memory = std::string_view(line).find(" bytes gmem") != std::string_view::npos &&
                             take_number(line, number) && line.starts_with(" bytes gmem");
      auto const begins = [&](std::string_view words) { return line.starts_with(words); };
      if (is_memory || std::any_of(added.begin(), added.end(), begins)) continue;
    }
    kept += with_end;
  }
  return kept;
}

}  // namespace pasta::ptxas
