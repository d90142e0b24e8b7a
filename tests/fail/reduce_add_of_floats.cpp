// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: warp reductions are for integers: floating sums depend on their order
#include <pasta/vendor/host/warp.hpp>

float sum(pasta::lane_mask lanes, float value) { return pasta::warp::reduce_add(lanes, value); }
