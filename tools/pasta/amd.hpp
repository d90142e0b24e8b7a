// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_AMD_HPP
#define PASTA_TOOLS_PASTA_AMD_HPP

#include <string>
#include <vector>

namespace pasta::cli {

/// AMD's GPUs by their architectures, "gfx90a", in the order of the driver, amdgpu; none where it is not loaded.
/// PASTA_KFD_TOPOLOGY names another folder than /sys/class/kfd/kfd/topology/nodes.
std::vector<std::string> find_amd_gpus();

/// Where ROCm may be installed as a whole: ROCM_PATH and /opt/rocm, those that are folders.
std::vector<std::string> rocm_folders();

/// The folder of the libraries for device code (ockl.bc), which compilers link into kernels; "" if there is none.
std::string find_hip_device_libraries();

/// Those programs of the names that there are, of clang for HIP.
std::vector<std::string> find_hip_clangs();

}  // namespace pasta::cli
#endif
