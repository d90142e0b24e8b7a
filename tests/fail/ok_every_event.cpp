// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect no error
#include <pasta/instrument/check_tool.hpp>

struct right : pasta::tool<right> {
  using events =
      pasta::events<pasta::memory_access, pasta::async_copy, pasta::barrier, pasta::block_enter, pasta::block_exit,
                    pasta::thread_enter, pasta::thread_exit, pasta::branch, pasta::matrix_operation, pasta::call,
                    pasta::kernel_begin, pasta::kernel_end, pasta::memory_copy, pasta::memory_set, pasta::allocation,
                    pasta::deallocation, pasta::synchronization, pasta::annotation>;
  static void on_memory_access(pasta::context<right>& at, pasta::memory_access const& event);
  static void on_async_copy(pasta::context<right>& at, pasta::async_copy const& event);
  static void on_barrier(pasta::context<right>& at, pasta::barrier const& event);
  static void on_block_enter(pasta::context<right>& at, pasta::block_enter const& event);
  static void on_block_exit(pasta::context<right>& at, pasta::block_exit const& event);
  static void on_thread_enter(pasta::context<right>& at, pasta::thread_enter const& event);
  static void on_thread_exit(pasta::context<right>& at, pasta::thread_exit const& event);
  static void on_branch(pasta::context<right>& at, pasta::branch const& event);
  static void on_matrix_operation(pasta::context<right>& at, pasta::matrix_operation const& event);
  static void on_call(pasta::context<right>& at, pasta::call const& event);
  static void on_kernel_begin(pasta::context<right>& at, pasta::kernel_begin const& event);
  static void on_kernel_end(pasta::context<right>& at, pasta::kernel_end const& event);
  static void on_memory_copy(pasta::context<right>& at, pasta::memory_copy const& event);
  static void on_memory_set(pasta::context<right>& at, pasta::memory_set const& event);
  static void on_allocation(pasta::context<right>& at, pasta::allocation const& event);
  static void on_deallocation(pasta::context<right>& at, pasta::deallocation const& event);
  static void on_synchronization(pasta::context<right>& at, pasta::synchronization const& event);
  static void on_annotation(pasta::context<right>& at, pasta::annotation const& event);
  void report(pasta::results<right> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<right>());
