// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_DEVICE_TEXT_HPP
#define PASTA_SESSION_CUDA_DEVICE_TEXT_HPP

#include <map>
#include <pasta/vendor/cuda.hpp>
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
  /// @return "?" for a text that cannot be read
  std::string const& at(std::uint64_t address) {
    auto const [known, is_new] = known_.try_emplace(address);
    if (is_new) known->second = read(address);
    return known->second;
  }

 private:
  // Copied by a kernel: the driver's own copies do not reach the memory of literals.
  static std::string read([[maybe_unused]] std::uint64_t address) {
#if PASTA_DETAIL_IS_HOOK
    return "?";  // its host's code never runs, and a file of patches must have no kernel
#else
    constexpr std::size_t most = 4096;
    char* copy = nullptr;
    std::string text(most, '\0');
    cudaStream_t stream = nullptr;
    auto const* from = reinterpret_cast<char const*>(address);
    std::size_t size = most;
    void* parameters[] = {&from, &copy, &size};
    bool const is_read = cudaMalloc(&copy, most) == cudaSuccess &&
                         cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
                         cudaLaunchKernel(reinterpret_cast<void const*>(&copy_text<char>), ::dim3(1), ::dim3(1),
                                          parameters, 0, stream) == cudaSuccess &&
                         cudaMemcpyAsync(text.data(), copy, most, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
                         cudaStreamSynchronize(stream) == cudaSuccess;
    if (!is_read) static_cast<void>(cudaGetLastError());
    if (stream != nullptr) static_cast<void>(cudaStreamDestroy(stream));
    static_cast<void>(cudaFree(copy));
    return is_read ? text.c_str() : "?";
#endif
  }
  std::map<std::uint64_t, std::string> known_;
};

}  // namespace pasta::detail
#endif
