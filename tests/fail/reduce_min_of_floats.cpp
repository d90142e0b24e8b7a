// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: warp reductions are for integers
#include <pasta/vendor/host/warp.hpp>

float smallest(pasta::lane_mask lanes, float value) { return pasta::warp::reduce_min(lanes, value); }
