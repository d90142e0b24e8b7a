// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "compressed_bundle.hpp"

#include <zlib.h>

#ifdef PASTA_HAS_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

namespace pasta::hip_runtime {

namespace {

// What code for all GPUs of a large library has is some hundred MiB.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;
constexpr std::string_view damaged = "its compressed code is damaged";

enum class method : std::uint16_t { zlib, zstd };

struct header {
  method how;
  std::uint64_t head_bytes, file_bytes, bytes;  // of the head, of the head and what follows, when it is uncompressed
};

template <class Number>
Number read_number(std::string_view image, std::size_t& at) {
  Number number{};
  std::memcpy(&number, image.data() + at, sizeof number);
  at += sizeof number;
  return number;
}

// Magic, version, method; from version 2 on the file's size; the size when uncompressed; a hash. Sizes have 32 bits,
// and 64 from version 3 on.
std::optional<header> read_header(std::string_view image) {
  constexpr std::size_t first_head_bytes = 20, second_head_bytes = 24, third_head_bytes = 32;
  if (image.size() < first_head_bytes) return std::nullopt;
  std::size_t at = compressed_bundle_magic.size();
  auto const version = read_number<std::uint16_t>(image, at);
  header made{static_cast<method>(read_number<std::uint16_t>(image, at)), first_head_bytes, image.size(), 0};
  if (version == 1) {
    made.bytes = read_number<std::uint32_t>(image, at);
    return made;
  }
  made.head_bytes = version == 2 ? second_head_bytes : third_head_bytes;
  if (version < 1 || version > 3 || image.size() < made.head_bytes) return std::nullopt;
  if (version == 2) {
    made.file_bytes = read_number<std::uint32_t>(image, at);
    made.bytes = read_number<std::uint32_t>(image, at);
  } else {
    made.file_bytes = read_number<std::uint64_t>(image, at);
    made.bytes = read_number<std::uint64_t>(image, at);
  }
  bool const is_within = made.file_bytes >= made.head_bytes && made.file_bytes <= image.size();
  return is_within ? std::optional(made) : std::nullopt;
}

// @return whether so many bytes came
bool uncompress_zlib(std::string_view from, std::string& to) {
  constexpr std::size_t most_at_once = std::numeric_limits<uInt>::max();
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  std::unique_ptr<z_stream, int (*)(z_stream*)> const end(&stream, inflateEnd);
  // zlib does not write to what it reads, but says so only where ZLIB_CONST is defined.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  int result = Z_OK;
  while (result == Z_OK) {
    auto const read = static_cast<std::size_t>(reinterpret_cast<char const*>(stream.next_in) - from.data());
    auto const written = static_cast<std::size_t>(reinterpret_cast<char const*>(stream.next_out) - to.data());
    stream.avail_in = static_cast<uInt>(std::min(from.size() - read, most_at_once));
    stream.avail_out = static_cast<uInt>(std::min(to.size() - written, most_at_once));
    result = inflate(&stream, Z_NO_FLUSH);
  }
  return result == Z_STREAM_END && reinterpret_cast<char*>(stream.next_out) == to.data() + to.size();
}

#ifdef PASTA_HAS_ZSTD
bool uncompress_zstd(std::string_view from, std::string& to) {
  std::size_t const bytes = ZSTD_findFrameCompressedSize(from.data(), from.size());
  if (ZSTD_isError(bytes) != 0) return false;
  return ZSTD_decompress(to.data(), to.size(), from.data(), bytes) == to.size();
}
#endif

}  // namespace

std::string uncompress_bundle(std::string_view image, std::string& why_not) {
  auto const head = read_header(image);
  if (!head || head->bytes > most_bytes) return why_not = damaged, "";
  std::string_view const from = image.substr(head->head_bytes, head->file_bytes - head->head_bytes);
  std::string bundle;
  bool is_well = false;
  if (head->how == method::zlib) {
    bundle.resize(head->bytes);
    is_well = uncompress_zlib(from, bundle);
  } else if (head->how == method::zstd) {
#ifdef PASTA_HAS_ZSTD
    bundle.resize(head->bytes);
    is_well = uncompress_zstd(from, bundle);
#else
    why_not =
        "its code is compressed by zstd, which PASTA was built without (build the program without --offload-compress)";
    return "";
#endif
  }
  if (is_well) return bundle;
  why_not = damaged;
  return "";
}

}  // namespace pasta::hip_runtime
