// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_GPUS_HPP
#define PASTA_TOOLS_PASTA_GPUS_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::cli {

/// A version or a compute capability: 13.0.
struct release {
  int major, minor;
  friend bool operator<(release a, release b) { return a.major != b.major ? a.major < b.major : a.minor < b.minor; }
};
/// The first number with a point in a text, if there is one.
std::optional<release> find_release(std::string_view text);

struct nvidia_gpu {
  std::string name;
  std::optional<release> capability;  ///< older drivers do not tell
  std::string driver;
};

struct found_gpus {
  std::vector<nvidia_gpu> nvidia;  ///< those that the driver tells of
  std::optional<release> cuda;     ///< the newest that the driver runs; empty if it does not tell
  std::vector<std::string> amd;    ///< architectures: gfx90a
  std::string other;               ///< a device without a driver that answers
};
/// Asks nvidia-smi and the amdgpu driver, and looks for device files. Blocks for at most a minute.
found_gpus find_gpus();

/// One line: "8 x NVIDIA H200, sm_90, driver 580.159.04; AMD gfx90a"; "" if there is none.
std::string describe(found_gpus const& gpus);

/// What keeps programs that nvcc made for a GPU from running here, in words; none if they run.
/// @param toolkit nvcc's release, if nvcc is there
std::vector<std::string> what_cuda_lacks(found_gpus const& gpus, std::optional<release> toolkit);

}  // namespace pasta::cli
#endif
