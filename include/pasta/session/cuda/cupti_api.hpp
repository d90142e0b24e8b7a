// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What is used of CUPTI, declared here: a program's build need not have its headers, nor link it. The stand-in of the
/// tests (tests/cuda/stand_in/cupti.cpp) compares with them.
#ifndef PASTA_SESSION_CUDA_CUPTI_API_HPP
#define PASTA_SESSION_CUDA_CUPTI_API_HPP

#include <cstddef>
#include <cstdint>
#include <pasta/session/find_cupti.hpp>

namespace pasta::detail::cupti {

/// The begin of CUPTI's record of a kernel, the same from CUDA 12.0 on; later ones add to its end. Times in CUPTI's
/// nanoseconds.
struct kernel_record {
  std::uint32_t kind;
  std::uint8_t cache[2];
  std::uint16_t registers_per_thread;
  std::uint32_t partitioned_cache[2];
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared_bytes, dynamic_shared_bytes;
  std::uint32_t local_bytes_per_thread, local_bytes, correlation;
};
static_assert(offsetof(kernel_record, start) == 16 && offsetof(kernel_record, correlation) == 92);

/// What a callback before a call of CUDA gets.
struct call_data {
  std::uint32_t site;  ///< 0: before the call
  char const* function;
  void const* parameters;
  void* result;
  char const* symbol;
  void* context;
  std::uint32_t context_id;
  std::uint64_t* own_data;
  std::uint32_t correlation;
};

inline constexpr int success = 0, taken = 39;                    // CUptiResult
inline constexpr std::uint32_t concurrent_kernel = 10;           // CUpti_ActivityKind
inline constexpr std::uint32_t driver_api = 1, runtime_api = 2;  // CUpti_CallbackDomain
/// By which functions pasta::launch may come to the driver; each exists with a _ptsz of its own.
inline constexpr std::uint32_t runtime_launches[] = {211, 214, 430, 431}, driver_launches[] = {307, 442, 652, 653};

using on_call = void (*)(void*, std::uint32_t domain, std::uint32_t which, void const* data);
using on_buffer_wanted = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
using on_buffer_filled = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                                  std::size_t filled_bytes);

/// CUPTI's functions, null where there is none.
struct functions {
  int (*get_version)(std::uint32_t*);
  int (*subscribe)(void** subscriber, on_call, void* user_data);
  int (*unsubscribe)(void* subscriber);
  int (*enable_callback)(std::uint32_t is_on, void* subscriber, std::uint32_t domain, std::uint32_t which);
  int (*register_callbacks)(on_buffer_wanted, on_buffer_filled);
  int (*enable)(std::uint32_t kind);
  int (*flush_all)(std::uint32_t flag);
  int (*next_record)(std::uint8_t* buffer, std::size_t filled_bytes, void** record);
  int (*get_timestamp)(std::uint64_t*);

  /// @return whether all are there
  bool load(void* library) {
    bool has_all = true;
    auto const one = [&](auto& into, char const* name) {
      into = reinterpret_cast<std::decay_t<decltype(into)>>(::dlsym(library, name));
      has_all = has_all && into != nullptr;
    };
    one(get_version, "cuptiGetVersion");
    one(subscribe, "cuptiSubscribe");
    one(unsubscribe, "cuptiUnsubscribe");
    one(enable_callback, "cuptiEnableCallback");
    one(register_callbacks, "cuptiActivityRegisterCallbacks");
    one(enable, "cuptiActivityEnable");
    one(flush_all, "cuptiActivityFlushAll");
    one(next_record, "cuptiActivityGetNextRecord");
    one(get_timestamp, "cuptiGetTimestamp");
    return has_all;
  }
};

}  // namespace pasta::detail::cupti
#endif
