// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_KERNEL_SECTIONS_HPP
#define PASTA_TOOLS_COLLECTING_KERNEL_SECTIONS_HPP

#include <map>
#include <optional>
#include <pasta/session/ptx/collected.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kept_memory.hpp"
#include "launch_counts.hpp"

namespace pasta::collecting {

/// Sections by name, range and launch, in the order in which they come.
class kernel_sections {
 public:
  explicit kernel_sections(ptx::collected& into) : into_(&into) {}
  /// @param name as in the module
  ptx::collected_kernel& of(std::string const& name, bool& is_new, std::string const& range = "",
                            std::optional<std::uint64_t> launch = std::nullopt);

 private:
  ptx::collected* into_;
  std::map<std::tuple<std::string, std::string, std::optional<std::uint64_t>>, std::size_t> numbers_;
};

/// Adds what is known of a kernel's sample.
void add_sample(sample_count const& from, ptx::collected_kernel& to);

/// "" where the module has the tool, else half a line.
std::string why_without(ptx::read_table const& table, std::string const& tool);

/// Adds launches to what is known of a kernel.
/// @param left_out of them, were not to be analysed
/// @param why_not nothing was counted in them: half a line; "" else
/// @param is_new of() has just made the section
void add_launches(launch_counts const& from, std::uint64_t left_out, std::string const& why_not, bool is_new,
                  ptx::collected_kernel& to);

/// Adds what no launch of the program's is known to have done: functions that are called, and what the GPU launches.
/// @param launched which of the table's functions launches are known of
/// @param how half a line for a kernel that was executed nevertheless
/// @return whether there are functions that kernels call
bool add_others(memory_layout const& layout, std::vector<kept_copy const*> copies,
                std::set<std::size_t> const& launched, std::string const& tool, std::string const& how,
                kernel_sections& to);

/// What a report says where add_others() found functions that kernels call.
inline constexpr char called_functions_note[] =
    "A function that kernels call and that was not inlined stands beside the kernels, with what all calls of it did "
    "and without launches.";

}  // namespace pasta::collecting
#endif
