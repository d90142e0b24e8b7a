// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A tool's hook as PTX (instrument/hook_abi.hpp), and the bodies of its functions at a site.
#ifndef PASTA_INSTRUMENT_PTX_HOOK_HPP
#define PASTA_INSTRUMENT_PTX_HOOK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <pasta/instrument/hook_abi.hpp>
#include <pasta/instrument/ptx/hook_operand.hpp>
#include <pasta/instrument/ptx/site.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {

using pasta::detail::hook_function;

/// A hook that breaks the ABI. what() is half a line: `the hook of coalescing calls a function (line 31)`.
struct bad_hook : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class hook {
 public:
  /// A tool that only counts, and has no code.
  static hook counting(std::string tool);
  /// @param text of a module, copied. @throws bad_hook, read_error
  hook(std::string tool, std::string_view text);

  std::string const& tool() const { return tool_; }
  bool handles(hook_function event) const { return (events() & pasta::detail::handled_bit(event)) != 0; }
  bool counts(hook_function event) const { return (events() & pasta::detail::counted_bit(event)) != 0; }
  bool handles_accesses() const { return handles(hook_function::memory_access); }
  bool counts_accesses() const { return counts(hook_function::memory_access); }
  /// Whether it handles any event.
  bool has_code() const;
  bool has_state() const { return state_words() != 0; }
  std::uint32_t state_words() const { return words_[pasta::detail::abi_thread_state_words]; }
  /// The same tool without its handlers, as if it handled nothing.
  hook silent() const;
  /// Whether the handler wants the accesses of such a site. @param space none: the address tells
  bool watches(access_kind kind, state_space space, std::uint32_t size_bytes) const;

  /// Whether what a request adds may be added later, as often as requests like it follow.
  bool may_keep() const { return words_[pasta::detail::abi_kept_counts] <= pasta::detail::max_kept_counts; }

  /// Of each row [bytes], and others.
  std::uint32_t word(pasta::detail::hook_abi_word which) const { return words_[which]; }

  /// 90 of `.target sm_90a`, 803 of `.version 8.3`; 0 without code.
  unsigned architecture() const { return architecture_; }
  unsigned version() const { return version_; }
  std::string_view version_text() const { return version_text_; }

  /// What stands in a module once, however often the body does: constants of the handler.
  std::string const& declarations() const { return declarations_; }
  /// The body of a function as a scope of its own. Behind it control goes on, and %pasta_kept has what it returned; the
  /// state_register()s have the thread's state before and behind.
  /// @param operands the function's parameters, in order @param number that no other body in the module has
  std::string body(std::span<hook_operand const> operands, std::size_t number,
                   hook_function which = hook_function::memory_access) const;

  /// `%pasta_state_TOOL_`: the registers that hold the thread's state are this and a number each.
  std::string state_register() const;

  /// All that the code consists of, for a hash.
  std::string_view source() const { return source_; }

 private:
  // Text, and then something that differs from site to site.
  struct piece {
    enum class tail : std::uint8_t { nothing, number, read } what = tail::nothing;
    std::string text;
    std::size_t parameter = 0;  // read: a move of this parameter …
    std::string type, into;     // … as `.u32`, to this register
    std::uint32_t bits = 0;     // … of so many bits
  };
  hook() = default;
  std::uint32_t events() const { return words_[pasta::detail::abi_events]; }

  std::string tool_, source_, declarations_, version_text_;
  std::array<std::uint32_t, pasta::detail::hook_abi_words> words_{};
  std::array<std::vector<piece>, pasta::detail::hook_function_count> pieces_;
  unsigned architecture_ = 0, version_ = 0;

  friend class hook_reader;
};

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/hook_reader.inl>

#include <pasta/instrument/ptx/detail/hook.inl>
#endif
