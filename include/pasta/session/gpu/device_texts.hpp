// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_GPU_DEVICE_TEXTS_HPP
#define PASTA_SESSION_GPU_DEVICE_TEXTS_HPP

#include <map>
#include <pasta/vendor/current.hpp>
#include <string>

namespace pasta::detail {

// A template, so that every file may have it.
template <class Character>
__global__ void copy_text(Character const* from, Character* to, std::size_t most) {
  for (std::size_t i = 0; i < most; ++i) {
    to[i] = i + 1 < most ? from[i] : 0;
    if (to[i] == 0) break;
  }
}

/// Texts that lie in a GPU's memory, as the file names of sites do: string literals of device code. Each is read once.
class device_texts {
 public:
  /// @param stream of the text's device, which is the current one. @return "?" for a text that cannot be read
  std::string const& at(std::uint64_t address, simt::runtime::stream stream) {
    auto const [known, is_new] = known_.try_emplace(address);
    if (is_new) known->second = read(address, stream);
    return known->second;
  }

 private:
  // Copied by a kernel: the runtime's own copies need not reach the memory of literals.
  static std::string read(std::uint64_t address, simt::runtime::stream stream) {
    constexpr std::size_t most = 4096;
    std::string text(most, '\0');
    auto* const copy = static_cast<char*>(simt::runtime::allocate(most));
    bool const is_read = copy != nullptr &&
                         simt::is_started(simt::start(&copy_text<char>, {dim3(1), dim3(1)}, stream,
                                                      reinterpret_cast<char const*>(address), copy, most)) &&
                         simt::runtime::copy(text.data(), copy, most, stream) && simt::runtime::wait_for(stream);
    simt::runtime::release(copy);
    return is_read ? text.c_str() : "?";
  }
  std::map<std::uint64_t, std::string> known_;
};

}  // namespace pasta::detail
#endif
