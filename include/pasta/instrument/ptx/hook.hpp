// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A tool's hook as PTX (instrument/hook_abi.hpp), and its body at a site.
#ifndef PASTA_INSTRUMENT_PTX_HOOK_HPP
#define PASTA_INSTRUMENT_PTX_HOOK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <pasta/instrument/hook_abi.hpp>
#include <pasta/instrument/ptx/site.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {

/// A hook that breaks the ABI. what() is half a line: `the hook of coalescing calls a function (line 31)`.
struct bad_hook : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is known of a parameter where a hook is spliced.
struct hook_operand {
  std::string text;  ///< a register of the parameter's size, or a decimal number
  bool is_number = false;
};

class hook {
 public:
  /// A tool that only counts, and has no code.
  static hook counting(std::string tool);
  /// @param text of a module, copied. @throws bad_hook, read_error
  hook(std::string tool, std::string_view text);

  std::string const& tool() const { return tool_; }
  bool handles_accesses() const { return (words_[pasta::detail::abi_events] & 1) != 0; }
  bool counts_accesses() const { return (words_[pasta::detail::abi_events] & 2) != 0; }
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
  /// The body as a scope of its own. Behind it control goes on, and %pasta_kept has what it returned.
  /// @param operands the hook's parameters, in order @param number that no other body in the module has
  std::string body(std::span<hook_operand const> operands, std::size_t number) const;

  /// All that the code consists of, for a hash.
  std::string_view source() const { return source_; }

  static constexpr std::size_t parameter_count = 10;
  static constexpr std::array<std::uint32_t, parameter_count> parameter_bytes{8, 4, 4, 4, 4, 8, 8, 8, 8, 4};

 private:
  // Text, and then something that differs from site to site.
  struct piece {
    enum class tail : std::uint8_t { nothing, number, read } what = tail::nothing;
    std::string text;
    std::size_t parameter = 0;  // read: a move of this parameter …
    std::string type, into;     // … as `.u32`, to this register
  };
  hook() = default;

  std::string tool_, source_, declarations_, version_text_;
  std::array<std::uint32_t, pasta::detail::hook_abi_words> words_{};
  std::vector<piece> pieces_;
  unsigned architecture_ = 0, version_ = 0;

  friend class hook_reader;
};

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/hook_reader.inl>

#include <pasta/instrument/ptx/detail/hook.inl>
#endif
