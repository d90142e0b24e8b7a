// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "nvcc_cache_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <hook_files.hpp>
#include <pasta/config.hpp>

namespace pasta::cli {

namespace {

/// Goes on with a hash by a file's content, 8 bytes at a time: a compilation must not wait for it.
std::uint64_t hash_file(std::filesystem::path const& path, std::uint64_t hash) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 65536> chunk;
  while (file) {
    chunk.fill(0);
    file.read(chunk.data(), chunk.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(file.gcount()); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, chunk.data() + i, sizeof word);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
  }
  return hash;
}

}  // namespace

std::string build_key(arguments const& tools, std::filesystem::path const& stand_in) {
  std::uint64_t hash = hash_file(stand_in, 0xcbf29ce484222325);
  for (ptxas::hook_file const& hook : ptxas::find_hooks()) {
    if (std::find(tools.begin(), tools.end(), hook.tool) != tools.end()) hash = hash_file(hook.path, hash);
  }
  return fmt::format("pasta-{}-{}-{:016x}", PASTA_VERSION, fmt::join(tools, "+"), hash);
}

environment_changes cache_key(arguments const& tools, std::filesystem::path const& stand_in) {
  std::string const key = build_key(tools, stand_in);
  environment_changes changes;
  for (char const* const name : {"CCACHE_NAMESPACE", "SCCACHE_C_CUSTOM_CACHE_BUSTER"}) {
    char const* const before = std::getenv(name);
    bool const is_set = before != nullptr && *before != '\0';
    changes.emplace_back(name, is_set ? fmt::format("{}-{}", before, key) : key);
  }
  return changes;
}

}  // namespace pasta::cli
