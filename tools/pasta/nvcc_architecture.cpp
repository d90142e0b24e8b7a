// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include <pasta/report/write_file.hpp>
#include "capture.hpp"
#include "gpus.hpp"
#include "nvcc_toolkit.hpp"

namespace pasta::cli {

namespace {

namespace fs = std::filesystem;

std::string read_text(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The devices of this system, or container, since it was started; "" if there are none.
std::string name_of_these_devices() {
  std::string devices;
  std::error_code error;
  for (int i = 0; i < 64; ++i) {
    if (fs::exists(fmt::format("/dev/nvidia{}", i), error)) devices += fmt::format("nvidia{}\n", i);
  }
  if (fs::exists("/dev/dxg", error)) devices += "dxg\n";  // Windows' subsystem for Linux
  return devices.empty() ? "" : read_text("/proc/sys/kernel/random/boot_id") + devices;
}

std::string ask_driver() {
  std::optional<release> least;
  for (nvidia_gpu const& gpu : find_gpus().nvidia) {
    if (gpu.capability && (!least || *gpu.capability < *least)) least = gpu.capability;
  }
  return least ? fmt::format("sm_{}{}", least->major, least->minor) : "";
}

bool is_known(std::string const& nvcc, std::string const& architecture) {
  auto const text = capture({nvcc, "--list-gpu-code"}, "");
  return text && ("\n" + *text).find("\n" + architecture + "\n") != std::string::npos;
}

}  // namespace

std::string own_architecture(std::string const& nvcc) {
  // Without device files there is mostly no driver, and to ask for one that is not there takes no time.
  std::string const devices = name_of_these_devices();
  fs::path const cache = devices.empty() ? "" : cache_folder();
  std::string const start = devices + nvcc + "\n";  // and then the answer
  std::string const kept = cache.empty() ? "" : read_text(cache / "architecture");
  if (kept.starts_with(start)) return kept.substr(start.size());
  std::string architecture = ask_driver();
  if (!architecture.empty() && !is_known(nvcc, architecture)) architecture.clear();
  // Nothing is kept of a driver that did not answer: it may the next time.
  if (!cache.empty() && !architecture.empty()) {
    try {
      write_file(start + architecture, cache / "architecture");
    } catch (std::exception const&) {  // it is asked again
    }
  }
  return architecture;
}

}  // namespace pasta::cli
