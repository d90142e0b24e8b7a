// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_DEVICE_KEPT_HPP
#define PASTA_SESSION_CUDA_DEVICE_KEPT_HPP

#include <cuda_runtime_api.h>

namespace pasta::detail {

/// The program's device is again the thread's when this is gone.
class device_kept {
 public:
  device_kept() : is_known_(cudaGetDevice(&number_) == cudaSuccess) {}
  ~device_kept() {
    if (is_known_) static_cast<void>(cudaSetDevice(number_));
  }
  device_kept(device_kept const&) = delete;
  device_kept& operator=(device_kept const&) = delete;

 private:
  int number_ = 0;
  bool is_known_;
};

}  // namespace pasta::detail
#endif
