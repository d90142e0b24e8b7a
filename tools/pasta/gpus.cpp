// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "amd.hpp"
#include "capture.hpp"

namespace pasta::cli {

namespace {

// C++20 needs this nvcc; vendor/cuda/warp.hpp has no code for GPUs before this one.
constexpr release oldest_toolkit{12, 0}, oldest_capability{7, 5};

// "NVIDIA H200, 9.0, 580.159.04": the last fields have no comma.
std::vector<std::string> split(std::string_view line, std::size_t fields) {
  std::vector<std::string> found;
  while (found.size() + 1 < fields) {
    auto const comma = line.rfind(", ");
    if (comma == std::string_view::npos) return {};
    found.insert(found.begin(), std::string(line.substr(comma + 2)));
    line = line.substr(0, comma);
  }
  found.insert(found.begin(), std::string(line));
  return found;
}

std::vector<nvidia_gpu> read_list(std::string_view text, std::size_t fields) {
  std::vector<nvidia_gpu> gpus;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const words = split(text.substr(0, end), fields);
    if (words.size() == fields) {
      gpus.push_back({words.front(), fields == 3 ? find_release(words[1]) : std::nullopt, words.back()});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return gpus;
}

std::string describe(nvidia_gpu const& gpu) {
  return gpu.name + (gpu.capability ? fmt::format(", sm_{}{}", gpu.capability->major, gpu.capability->minor) : "") +
         ", driver " + gpu.driver;
}

}  // namespace

std::optional<release> find_release(std::string_view text) {
  for (auto point = text.find('.'); point != std::string_view::npos; point = text.find('.', point + 1)) {
    auto begin = point;
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
    release found{};
    auto const major = std::from_chars(text.data() + begin, text.data() + point, found.major);
    auto const minor = std::from_chars(text.data() + point + 1, text.data() + text.size(), found.minor);
    if (begin < point && major.ec == std::errc{} && minor.ec == std::errc{}) return found;
  }
  return std::nullopt;
}

found_gpus find_gpus() {
  found_gpus found;
  found.amd = find_amd_gpus();
  auto text = capture({"nvidia-smi", "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"}, "");
  if (text) {
    found.nvidia = read_list(*text, 3);
  } else {
    text = capture({"nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"}, "");
    if (text) found.nvidia = read_list(*text, 2);
  }
  if (!found.nvidia.empty()) {
    auto const versions = capture({"nvidia-smi", "--version"}, "");
    auto const place = versions ? versions->find("CUDA Version") : std::string::npos;
    if (place != std::string::npos) found.cuda = find_release(std::string_view(*versions).substr(place));
    return found;
  }
  std::error_code error;
  if (std::filesystem::exists("/dev/nvidia0", error)) {
    found.other = "NVIDIA, found as /dev/nvidia0; nvidia-smi does not answer";
  } else if (found.amd.empty() && std::filesystem::exists("/dev/kfd", error)) {
    found.other = "AMD, found as /dev/kfd; the driver amdgpu tells of no GPU";
  }
  return found;
}

std::string describe(found_gpus const& gpus) {
  std::vector<std::string> words;
  for (nvidia_gpu const& gpu : gpus.nvidia) words.push_back(describe(gpu));
  for (std::string const& architecture : gpus.amd) words.push_back("AMD " + architecture);
  if (!gpus.other.empty()) words.push_back(gpus.other);
  std::string text;
  for (auto word = words.begin(); word != words.end();) {
    auto const next = std::find_if(word, words.end(), [&](std::string const& other) { return other != *word; });
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ", next - word > 1 ? fmt::format("{} x ", next - word) : "",
                        *word);
    word = next;
  }
  return text;
}

std::vector<std::string> what_cuda_lacks(found_gpus const& gpus, std::optional<release> toolkit) {
  std::vector<std::string> lacks;
  if (!toolkit || *toolkit < oldest_toolkit) {
    lacks.push_back(fmt::format("nvcc {}.{} or newer", oldest_toolkit.major, oldest_toolkit.minor));
  }
  auto const is_supported = [](nvidia_gpu const& gpu) {
    return !gpu.capability || !(*gpu.capability < oldest_capability);
  };
  if (gpus.nvidia.empty()) {
    lacks.push_back("an NVIDIA GPU with a driver");
  } else if (std::none_of(gpus.nvidia.begin(), gpus.nvidia.end(), is_supported)) {
    lacks.push_back(fmt::format("a GPU of sm_{}{} or newer", oldest_capability.major, oldest_capability.minor));
  }
  // A driver runs programs of all toolkits of its own major release.
  if (toolkit && gpus.cuda && gpus.cuda->major < toolkit->major) {
    lacks.push_back(fmt::format("a driver for CUDA {} (the one here is for {}.{})", toolkit->major, gpus.cuda->major,
                                gpus.cuda->minor));
  }
  return lacks;
}

}  // namespace pasta::cli
