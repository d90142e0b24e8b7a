// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: lanes exchange trivially copyable values of at most 8 bytes
#include <pasta/vendor/host/warp.hpp>

struct four {
  float x[4];
};
four next(pasta::lane_mask lanes, four value) { return pasta::warp::shuffle(lanes, value, 1); }
