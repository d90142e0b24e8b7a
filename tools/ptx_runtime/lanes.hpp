// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How far the streams of a context have come with their launches, as far as the program's own calls and words that the
/// GPU writes tell. Nothing is waited for.
#ifndef PASTA_TOOLS_PTX_RUNTIME_LANES_HPP
#define PASTA_TOOLS_PTX_RUNTIME_LANES_HPP

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <deque>

namespace pasta::ptx {

/// Which stream a handle means on the calling thread: a thread's own stream has the same handle on all threads.
inline std::uint64_t stream_key(CUstream stream) {
  static std::atomic<std::uint64_t> last_thread{0};
  static thread_local std::uint64_t const thread = ++last_thread;
  if (stream == nullptr) return reinterpret_cast<std::uintptr_t>(CU_STREAM_LEGACY);
  // Handles are addresses, so that the low bits are free.
  if (stream == CU_STREAM_PER_THREAD) return thread << 3 | 2;
  return reinterpret_cast<std::uintptr_t>(stream);
}

/// A stream of a context: its launches are numbered from 1, and end in this order.
struct lane {
  std::uint64_t key = 0;                      ///< of the stream; 0: it is gone, or not known
  std::uint32_t launched = 0;                 ///< number of the last launch
  std::uint32_t ended = 0;                    ///< launches that have ended, as the program's waiting told
  std::uint32_t volatile* written = nullptr;  ///< the same, as the GPU writes it; null: it does not
  CUdeviceptr written_at = 0;                 ///< where the GPU writes it

  /// Numbers may wrap.
  bool has_ended(std::uint32_t number) const {
    return static_cast<std::int32_t>(ended - number) >= 0 ||
           (written != nullptr && static_cast<std::int32_t>(*written - number) >= 0);
  }
  bool is_idle() const { return has_ended(launched); }
};

/// The lanes of a context. One thread at a time.
class lanes {
 public:
  /// Words in memory that both the host and the GPU have, one for each lane to come; zeros.
  void take_words(std::uint32_t volatile* host, CUdeviceptr device, std::size_t count) {
    host_ = host, device_ = device, words_ = count;
  }
  bool has_words() const { return host_ != nullptr; }

  lane& of(std::uint64_t key) {
    for (lane& known : all_) {
      if (known.key == key) return known;
    }
    // One of a stream that is gone: its numbers go on, so that what was asked of it stays true.
    for (lane& known : all_) {
      if (known.key != 0 || !known.is_idle()) continue;
      known.key = key;
      return known;
    }
    lane& made = all_.emplace_back();
    made.key = key;
    if (all_.size() <= words_)
      made.written = host_ + (all_.size() - 1), made.written_at = device_ + 4 * (all_.size() - 1);
    return made;
  }
  /// A new stream may get its handle.
  void forget(std::uint64_t key) {
    for (lane& known : all_) {
      if (known.key == key) known.key = 0;
    }
  }
  /// Whether launches came in more than one stream.
  bool are_several() const { return all_.size() > 1; }
  std::deque<lane>& all() { return all_; }

 private:
  std::deque<lane> all_;
  std::uint32_t volatile* host_ = nullptr;
  CUdeviceptr device_ = 0;
  std::size_t words_ = 0;
};

}  // namespace pasta::ptx
#endif
