// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_REGION_POOL_HPP
#define PASTA_SESSION_CUDA_REGION_POOL_HPP

#include <pasta/vendor/cuda.hpp>
#include <vector>

namespace pasta::detail {

/// Lets calls through that a stream capture forbids, while it lives. What is allocated is not a part of the graph.
class outside_of_capture {
 public:
  outside_of_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~outside_of_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  outside_of_capture(outside_of_capture const&) = delete;
  outside_of_capture& operator=(outside_of_capture const&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// One context's memory for results: zeroed, taken from the GPU in large pieces, never more than the limit. It stays
/// until it is released, since kernels may be running that write to it. Guarded by its owner.
class region_pool {
 public:
  static constexpr std::size_t piece_bytes = std::size_t{2} << 20;

  explicit region_pool(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  /// What can still be taken.
  std::size_t left_bytes() const { return limit_bytes_ - taken_bytes_ + piece_left_; }

  /// Gives all memory back. While no kernel runs that writes to it.
  void release() {
    for (void* const piece : pieces_) static_cast<void>(cudaFree(piece));
    pieces_.clear();
    taken_bytes_ = piece_left_ = 0;
  }

  /// Zeroed memory, or null if the limit is reached or the GPU has no more. Waits for the zeroing of a new piece, not
  /// for kernels.
  void* take(std::size_t bytes) {
    bytes = (bytes + 255) / 256 * 256;
    if (bytes > piece_left_ && !add_piece(bytes)) return nullptr;
    void* const taken = piece_;
    piece_ += bytes;
    piece_left_ -= bytes;
    return taken;
  }

 private:
  bool add_piece(std::size_t at_least) {
    std::size_t const room = limit_bytes_ - taken_bytes_;
    std::size_t bytes = at_least < piece_bytes ? piece_bytes : at_least;
    if (bytes > room) bytes = room;
    if (bytes < at_least) return false;
    // Where the program has left no large piece, one that is just enough may be there.
    return add_piece_of(bytes) || (bytes > at_least && add_piece_of(at_least));
  }

  bool add_piece_of(std::size_t bytes) {
    outside_of_capture const allowed;
    void* memory = nullptr;
    cudaStream_t stream = nullptr;
    bool is_done = cudaMalloc(&memory, bytes) == cudaSuccess &&
                   cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
                   cudaMemsetAsync(memory, 0, bytes, stream) == cudaSuccess &&
                   cudaStreamSynchronize(stream) == cudaSuccess;
    if (stream != nullptr) static_cast<void>(cudaStreamDestroy(stream));
    if (!is_done) {
      static_cast<void>(cudaFree(memory));
      static_cast<void>(cudaGetLastError());
      return false;
    }
    pieces_.push_back(memory);
    taken_bytes_ += bytes;
    piece_ = static_cast<unsigned char*>(memory);
    piece_left_ = bytes;
    return true;
  }

  std::size_t limit_bytes_, taken_bytes_ = 0, piece_left_ = 0;
  unsigned char* piece_ = nullptr;
  std::vector<void*> pieces_;
};

}  // namespace pasta::detail
#endif
