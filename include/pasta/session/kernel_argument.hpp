// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_KERNEL_ARGUMENT_HPP
#define PASTA_SESSION_KERNEL_ARGUMENT_HPP

#include <pasta/instrument/thread.hpp>

namespace pasta::detail {

// What is passed to a kernel for an argument of pasta::launch: a buffer becomes its pointer, all else is copied.
template <class T>
requires(!requires(T const& array) { array.device_pointer(); }) T to_parameter(T const& value) { return value; }
template <class T>
requires requires(T const& array) { array.device_pointer(); }
auto to_parameter(T const& array) { return array.device_pointer(); }
template <class T>
using parameter_t = decltype(to_parameter(std::declval<T const&>()));

// What the kernel sees of a parameter: a pointer as a traced array, all else as it is.
template <class Probe, class T>
PASTA_DEVICE traced<T, Probe> to_kernel_argument(T* pointer, typename Probe::handle handle) {
  return traced<T, Probe>(pointer, memory_space::global, handle, pointer);
}
template <class Probe, class T>
requires(!std::is_pointer_v<T>) PASTA_DEVICE T const& to_kernel_argument(T const& value, typename Probe::handle) {
  return value;
}

template <class Kernel, class... Arguments>
concept is_kernel_for = requires(Kernel const& kernel, thread<no_probe>& t,
                                 parameter_t<Arguments> const&... arguments) {
  kernel.template operator()<no_probe>(t, to_kernel_argument<no_probe>(arguments, no_handle{})...);
};

}  // namespace pasta::detail
#endif
