// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Launching kernels of the probe route.
#ifndef PASTA_SESSION_LAUNCH_HPP
#define PASTA_SESSION_LAUNCH_HPP

#include <pasta/instrument/llvm/plain_kernel.hpp>
#include <pasta/session/session.hpp>

/// Names the tools that a program can be run with; the last line of the header that PASTA_PROBE_TOOLS_HEADER names.
#define PASTA_PROBE_TOOLS(...)                \
  namespace pasta {                           \
  using probe_tools = type_list<__VA_ARGS__>; \
  }

#ifdef PASTA_PROBE_TOOLS_HEADER
#include PASTA_PROBE_TOOLS_HEADER
#else
namespace pasta {
/// What this program was built with: nothing. pasta_instrument() in CMake, or
/// -DPASTA_PROBE_TOOLS_HEADER='"file.hpp"' by hand, brings tools in.
using probe_tools = type_list<>;
}  // namespace pasta
#endif

namespace pasta {

/// How a kernel is launched.
struct launch_config {
  dim3 grid;                     ///< [blocks]
  dim3 block;                    ///< [threads], at most 1024
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of each block
  std::uint64_t stream = 0;      ///< the host engine runs all streams in order
};

namespace detail {

template <class... Tools>
consteval bool check_built_with(type_list<Tools...>) {
  return (is_ready_for_probe<Tools>() && ...);
}

// The program's tools, looked at only when a kernel is launched: a tool's header may come before this file, and its
// class is then complete only after it.
template <class Kernel>
struct tools_of_program_for {
  using type = probe_tools;
};
template <class Kernel>
using tools_of_program = typename tools_of_program_for<Kernel>::type;

// What a pointer points to is accessed through traced, which copies bytes.
template <class Argument>
inline constexpr bool is_traceable_v =
    !std::is_pointer_v<Argument> || std::is_trivially_copyable_v<std::remove_pointer_t<Argument>>;

// Attaches before main, so that wrong settings end the program before it has done anything. A tool's shared library is
// loaded by collectors, and is no program.
#ifndef PASTA_DETAIL_IS_TOOL_MODULE
inline bool const is_begun = (session::instance(probe_tools{}), true);
#endif

// A file compiled by nvcc and one that is not mean different things by the same names.
inline void agree_on_vendor(std::string_view vendor) {
  static std::string_view const first = vendor;
  if (vendor == first) return;
  bool const is_amd = vendor == "hip" || first == "hip";
  say(fmt::format(
      "files of this program that include pasta/pasta.hpp are compiled for the GPU and for the host engine; "
      "compile all of them with {}, or none",
      is_amd ? "hipcc (-x hip)" : "nvcc (-x cu)"));
  ::_exit(2);
}
namespace {
// Each file has its own, on purpose. NOLINTNEXTLINE(misc-definitions-in-headers)
[[maybe_unused]] bool const is_agreed = (agree_on_vendor(PASTA_VENDOR_NAME), true);
}  // namespace

}  // namespace detail

/// Runs a kernel with the attached tool, or without any. Blocks until it has ended (on the host engine). Any host
/// thread; launches from several threads run one after the other.
///
/// `kernel.operator()<Probe>(pasta::thread<Probe>&, arguments...)` is called once per GPU thread; pointers (and
/// pasta::buffer) arrive as `pasta::traced<T, Probe>`, everything else is copied.
/// @throw std::invalid_argument (on the host) for a shape that no GPU accepts, and what the kernel throws
/// @throw vendor_error (on a GPU) for a launch that it refuses, also for a shape
template <class Kernel, class... Arguments>
void launch(Kernel const& kernel, launch_config const& config, Arguments const&... arguments) {
  if constexpr (!(detail::is_traceable_v<std::decay_t<Arguments>> && ...)) {
    static_assert((detail::is_traceable_v<std::decay_t<Arguments>> && ...), "a traced element is trivially copyable");
  } else if constexpr (!detail::is_kernel_for<Kernel, std::decay_t<Arguments>...>) {
    static_assert(detail::is_kernel_for<Kernel, std::decay_t<Arguments>...>,
                  "this kernel cannot be called with these arguments; it is written: template <class Probe> void "
                  "operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> array, int number) const");
  } else if constexpr (detail::check_built_with(detail::tools_of_program<Kernel>{})) {
    session::instance(probe_tools{})
        .launch(probe_tools{}, detail::kernel_name(kernel), kernel, {config.grid, config.block, config.shared_bytes},
                config.stream, arguments...);
  }
}

/// As above for a function that knows nothing of probes, e.g. a `__global__` function with the names of
/// pasta/cuda_names.hpp: pointers arrive as they are. Its accesses are seen where it was compiled by the llvm route.
template <class... Parameters, class... Arguments>
requires std::is_same_v<vendor::current, vendor::host>
void launch(void (*kernel)(Parameters...), launch_config const& config, Arguments const&... arguments) {
  launch(plain_kernel<Parameters...>(kernel), config, arguments...);
}

/// Waits until all launches of the calling thread have ended. Tools see it as a synchronization.
/// @throw vendor_error (on a GPU) for a kernel that went wrong
inline void synchronize() {
  session* const here = session::existing();
  if (here == nullptr) return;
  get_nanoseconds<vendor::host> const now;
  std::uint64_t const begin_ns = now();
  here->runs().synchronize();
  here->happened(synchronization{0, here->runs().current_device(), begin_ns, now()});
}

/// A kernel that is a function template on its probe, with its name for reports: see PASTA_KERNEL.
template <class Function>
struct named_kernel {
  char const* name;
  Function function;
  template <class Probe, class... Arguments>
  requires requires(Function const& f, Arguments const&... arguments) { f.template operator()<Probe>(arguments...); }
  void operator()(thread<Probe>&, Arguments const&... arguments) const {
    function.template operator()<Probe>(arguments...);
  }
};
template <class Function>
named_kernel(char const*, Function) -> named_kernel<Function>;

}  // namespace pasta

/// The function template `f<Probe>(arguments...)` as a kernel for pasta::launch; pasta/cuda_names.hpp gives it
/// threadIdx and the like.
#define PASTA_KERNEL(f)                                                                                              \
  ::pasta::named_kernel {                                                                                            \
#f, [] < class Probe>(auto const&... arguments) -> decltype(f <Probe>(arguments...)) { f<Probe>(arguments...); } \
  }
#endif
