// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "compressed_bundle.hpp"

#include <zlib.h>
#ifdef PASTA_HAS_ZSTD
#include <zstd.h>
#endif

#include <catch.hpp>
#include <cstdint>
#include <vector>

using pasta::hip_runtime::uncompress_bundle;

namespace {

std::string const text(100'000, 'x');

template <class Number>
void add(std::string& to, std::uint64_t value) {
  auto const number = static_cast<Number>(value);
  to.append(reinterpret_cast<char const*>(&number), sizeof number);
}

/// As clang writes it. @param method 0: zlib, 1: zstd
std::string make_compressed(std::uint64_t version, std::uint64_t method, std::string const& body,
                            std::uint64_t bytes = text.size()) {
  std::string made = "CCOB";
  add<std::uint16_t>(made, version);
  add<std::uint16_t>(made, method);
  if (version == 2) add<std::uint32_t>(made, 24 + body.size());
  if (version > 2) add<std::uint64_t>(made, 32 + body.size());
  version > 2 ? add<std::uint64_t>(made, bytes) : add<std::uint32_t>(made, bytes);
  add<std::uint64_t>(made, 0x1234);  // a hash, which nobody checks
  return made + body;
}

std::string by_zlib() {
  uLongf bytes = compressBound(text.size());
  std::string made(bytes, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(made.data()), &bytes, reinterpret_cast<Bytef const*>(text.data()),
                   text.size()) == Z_OK);
  made.resize(bytes);
  return made;
}

void check_refused(std::string const& image, std::string const& why) {
  // So that a sanitizer sees what is read behind it.
  std::vector<char> const copy(image.begin(), image.end());
  std::string why_not;
  CHECK(uncompress_bundle({copy.data(), copy.size()}, why_not).empty());
  CHECK(why_not == why);
}

}  // namespace

TEST_CASE("a bundle that zlib compressed is read, in each version of its head, whatever lies behind it") {
  for (std::uint64_t const version : {1, 2, 3}) {
    for (char const* const behind : {"", "CCOB and what belongs to another bundle"}) {
      std::string why_not;
      CHECK(uncompress_bundle(make_compressed(version, 0, by_zlib()) + behind, why_not) == text);
      CHECK(why_not.empty());
    }
  }
}

#ifdef PASTA_HAS_ZSTD
TEST_CASE("a bundle that zstd compressed is read, in each version of its head, whatever lies behind it") {
  std::string body(ZSTD_compressBound(text.size()), '\0');
  body.resize(ZSTD_compress(body.data(), body.size(), text.data(), text.size(), 3));
  for (std::uint64_t const version : {1, 2, 3}) {
    for (char const* const behind : {"", "CCOB and what belongs to another bundle"}) {
      std::string why_not;
      CHECK(uncompress_bundle(make_compressed(version, 1, body) + behind, why_not) == text);
      CHECK(why_not.empty());
    }
  }
  for (std::size_t less = 1; less < body.size(); ++less) {
    std::string const cut = body.substr(0, body.size() - less);
    check_refused(make_compressed(1, 1, cut), "its compressed code is damaged");
  }
}
#else
TEST_CASE("a bundle that zstd compressed is refused by a build without zstd, with the cure") {
  check_refused(make_compressed(2, 1, "something"),
                "its code is compressed by zstd, which PASTA was built without (build the program without "
                "--offload-compress)");
}
#endif

TEST_CASE("a compressed bundle that was cut short or changed is refused") {
  std::string const damaged = "its compressed code is damaged";
  for (std::uint64_t const version : {1, 2, 3}) {
    std::string const whole = make_compressed(version, 0, by_zlib());
    for (std::size_t bytes = 4; bytes < whole.size(); ++bytes) check_refused(whole.substr(0, bytes), damaged);
    check_refused(make_compressed(version, 0, by_zlib(), text.size() - 1), damaged);
    check_refused(make_compressed(version, 0, by_zlib(), text.size() + 1), damaged);
    check_refused(make_compressed(version, 0, "no compressed text"), damaged);
    check_refused(make_compressed(version, 7, by_zlib()), damaged);
  }
  check_refused(make_compressed(4, 0, by_zlib()), damaged);
  check_refused(make_compressed(3, 0, by_zlib(), std::uint64_t{1} << 60), damaged);
}
