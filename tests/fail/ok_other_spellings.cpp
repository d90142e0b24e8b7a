// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect no error
#include <pasta/instrument/check_tool.hpp>

// A handler may take the event by value, be a template, be noexcept; a class may say `public`.
class right : public pasta::tool<right> {
 public:
  using events = pasta::events<pasta::memory_access, pasta::barrier, pasta::kernel_end>;
  static void on_memory_access(pasta::context<right>& at, pasta::memory_access event);
  static void on_barrier(auto& at, pasta::barrier const& event) noexcept;
  static constexpr void on_kernel_end(pasta::context<right> const&, pasta::kernel_end const&) {}
  void report(pasta::results<right> const& found, pasta::report& out) const noexcept;

 private:
  static int helper();
};
static_assert(pasta::check_tool<right>());
