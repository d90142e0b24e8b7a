// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "packed_table.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <limits>
#include <memory>
#include <new>

namespace pasta::ptx {

namespace {

constexpr std::size_t most_at_once = std::numeric_limits<uInt>::max();

}  // namespace

std::string pack_table(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  // Only memory can be missing: the room is enough.
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<Bytef const*>(text.data()),
                text.size(), Z_DEFAULT_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();
  }
  packed.resize(size);
  return packed;
}

std::string unpack_table(std::string_view bytes, std::uint64_t most) {
  if (bytes.starts_with('{')) return std::string(bytes);
  if (bytes.size() > most_at_once) throw packed_table_error("its site table is too large");
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  std::unique_ptr<z_stream, int (*)(z_stream*)> const end(&stream, inflateEnd);
  // zlib does not write to what it reads, but says so only where ZLIB_CONST is defined.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::string part(1 << 16, '\0');  // not on the stack: this may be a small thread of the program's
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    result = inflate(&stream, Z_NO_FLUSH);
    std::size_t const size = part.size() - stream.avail_out;
    if (text.size() + size > most) throw packed_table_error(fmt::format("its site table has more than {} bytes", most));
    text.append(part.data(), size);
  }
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  if (result != Z_STREAM_END) throw packed_table_error("its site table is damaged: it cannot be unpacked");
  return text;
}

}  // namespace pasta::ptx
