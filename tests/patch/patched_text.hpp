// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the Compute Sanitizer does to machine code, done to PTX: before each access a call of the patch, by the lanes
/// that execute it.
#ifndef PASTA_TESTS_PATCH_PATCHED_TEXT_HPP
#define PASTA_TESTS_PATCH_PATCHED_TEXT_HPP

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <pasta/instrument/patch_needs.hpp>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/edits.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pasta_test {

namespace ptx = pasta::ptx;
using pasta::detail::patch_function;

/// Where the "machine code" of a statement lies.
using address_maker = std::function<std::uint64_t(ptx::statement const&)>;

class patched_text {
 public:
  /// @param functions which patches are to be called: bits by patch_bit() @param user_data of all kernels
  /// @param patches the tool's patches as PTX
  static std::string make(ptx::module const& from, std::uint32_t functions, std::uint64_t user_data,
                          std::string const& patches, address_maker const& address_of) {
    patched_text made(from, functions, user_data, address_of);
    std::uint32_t begun = ptx::no_function;
    for (ptx::statement const& each : from.statements) {
      if (each.kind == ptx::statement_kind::instruction) {
        if (from.functions[each.function].is_entry && each.function != begun) {
          begun = each.function;
          made.thread(each, patch_function::thread_enter, {});
        }
        made.patch(each);
        ptx::instruction const what = ptx::read_instruction(each.text);
        if (what.name == "exit" || (what.name == "ret" && from.functions[each.function].is_entry))
          made.thread(each, patch_function::thread_exit, what.guard);
      }
      if (each.kind == ptx::statement_kind::directive && each.text.starts_with(".address_size"))
        made.changes_.insert_after(each.text, "\n" + patches.substr(patches.find("\n.visible .func")) + "\n");
    }
    return made.changes_.apply();
  }

 private:
  struct argument {
    int bits;
    std::string text;  // a register or a number
  };

  patched_text(ptx::module const& from, std::uint32_t functions, std::uint64_t user_data,
               address_maker const& address_of)
      : changes_(from.source), functions_(functions), user_data_(user_data), address_of_(&address_of) {}

  bool is_wanted(patch_function which) const { return (functions_ & pasta::detail::patch_bit(which)) != 0; }

  void thread(ptx::statement const& at, patch_function which, ptx::guard const& guard) {
    if (!is_wanted(which)) return;
    changes_.insert_before(at.text, call(which, first_arguments(at), guard, ""));
  }
  std::vector<argument> first_arguments(ptx::statement const& at) const {
    return {{64, std::to_string(user_data_)}, {64, std::to_string((*address_of_)(at))}};
  }

  void patch(ptx::statement const& at) {
    ptx::instruction const what = ptx::read_instruction(at.text);
    ptx::site const site = ptx::classify(what);
    std::string code;
    patch_function which{};
    std::vector<argument> arguments = first_arguments(at);
    if (site.kind == ptx::site_kind::copy && what.name == "cp") {
      which = patch_function::copy_async;
      ptx::access const &read = site.all[0], &write = site.all[1];
      arguments.push_back({64, address(what, read, "%pasta_from", code)});
      if (read.limit == ptx::limit::bytes_or_predicate || read.limit == ptx::limit::bytes) {
        // The vendor gives no address where nothing is read.
        code += fmt::format("setp.eq.u32 %pasta_none, {}, 0;\nselp.b64 %pasta_from, 0, %pasta_from, %pasta_none;\n",
                            what.operands[read.limit_operand]);
      }
      std::string const to = address(what, write, "%pasta_to", code);
      code += fmt::format("cvt.u32.u64 %pasta_low, {};\n", to);
      arguments.push_back({32, "%pasta_low"});
      arguments.push_back({32, std::to_string(write.size_bytes)});
    } else if (site.kind == ptx::site_kind::access && site.access_count == 1) {
      ptx::access const& access = site.all[0];
      switch (access.space) {
        case ptx::state_space::generic:
        case ptx::state_space::global:
          which = patch_function::global_access;
          break;
        case ptx::state_space::shared:
          which = patch_function::shared_access;
          break;
        case ptx::state_space::local:
          which = patch_function::local_access;
          break;
        default:
          return;
      }
      int const flags = access.kind == pasta::access_kind::load ? 1 : access.kind == pasta::access_kind::store ? 2 : 3;
      arguments.push_back({64, address(what, access, "%pasta_from", code)});
      arguments.push_back({32, std::to_string(access.size_bytes)});
      arguments.push_back({32, std::to_string(flags)});
      arguments.push_back({64, "0"});
    } else if (site.kind == ptx::site_kind::barrier && what.name == "bar") {
      which = what.has("warp") ? patch_function::warp_barrier : patch_function::barrier;
      arguments.push_back({32, "0"});
      if (!what.has("warp")) arguments.insert(arguments.end(), {{32, "0"}, {32, "0"}});
    } else if (site.kind == ptx::site_kind::call && !site.is_indirect) {
      which = patch_function::call;
      arguments.push_back({64, "4096"});  // somewhere
      arguments.push_back({32, "0"});
    } else {
      return;
    }
    if (!is_wanted(which)) return;
    changes_.insert_before(at.text, call(which, arguments, what.guard, code));
  }

  /// @return a register of 64 bits with the address that a lane accesses
  static std::string address(ptx::instruction const& what, ptx::access const& access, std::string const& into,
                             std::string& code) {
    ptx::address const at = ptx::read_address(what.operands[access.address_operand]);
    if (at.base.empty()) throw std::runtime_error("no address: " + std::string(what.text));
    bool const is_shared = access.space == ptx::state_space::shared, is_register = at.base.starts_with('%');
    if (is_shared && is_register) {
      code += fmt::format("cvt.u64.u32 {}, {};\n", into, at.base);
    } else {
      code += fmt::format("mov.u64 {}, {};\n", into, at.base);
    }
    if (!at.offset.empty()) code += fmt::format("add.s64 {0}, {0}, {1};\n", into, at.offset);
    return into;
  }

  static std::string call(patch_function which, std::vector<argument> const& arguments, ptx::guard const& guard,
                          std::string const& before) {
    std::string text =
                    "{\n.reg .b64 %pasta_from, %pasta_to, %pasta_value;\n.reg .b32 %pasta_low, %pasta_word;\n"
                    ".reg .pred %pasta_none;\n.param .b32 pasta_result;\n" +
                    before,
                names;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      argument const& each = arguments[i];
      std::string const value = each.bits == 64 ? "%pasta_value" : "%pasta_word";
      text += fmt::format(".param .b{0} pasta_p{1};\nmov.b{0} {2}, {3};\nst.param.b{0} [pasta_p{1}], {2};\n", each.bits,
                          i, value, each.text);
      names += fmt::format("{}pasta_p{}", i == 0 ? "" : ", ", i);
    }
    std::string held;
    if (guard) held = fmt::format("@{}{} ", guard.is_negated ? "!" : "", guard.predicate);
    return text + fmt::format("{}call (pasta_result), pasta_patch_{}_{}, ({});\n}}\n", held, PASTA_PATCH_VERSION,
                              to_string(which), names);
  }

  ptx::edits changes_;
  std::uint32_t functions_;
  std::uint64_t user_data_;
  address_maker const* address_of_;
};

}  // namespace pasta_test
#endif
