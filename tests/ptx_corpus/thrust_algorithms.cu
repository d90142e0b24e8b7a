// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Thrust on pointers of the device.
// corpus: -arch=compute_75
// corpus: -arch=compute_90
// corpus flags: --extended-lambda
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

using place = thrust::tuple<float, int>;

void sort_places(thrust::device_ptr<place> places, int count) {
  thrust::sort(thrust::device, places, places + count,
               [] __device__(place const& a, place const& b) { return thrust::get<0>(a) < thrust::get<0>(b); });
}

float dot(thrust::device_ptr<float> a, thrust::device_ptr<float> b, int count) {
  auto const first = thrust::make_zip_iterator(thrust::make_tuple(a, b));
  return thrust::transform_reduce(
      thrust::device, first, first + count,
      [] __device__(thrust::tuple<float, float> const& pair) { return thrust::get<0>(pair) * thrust::get<1>(pair); },
      0.0f, thrust::plus<float>{});
}

void square(thrust::device_ptr<long long> out, int count) {
  thrust::transform(thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(count), out,
                    [] __device__(int i) { return static_cast<long long>(i) * i; });
}
