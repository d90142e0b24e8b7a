// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Thrust's back end of pasta::sort and its like against the host's: the same input gives the same bytes.
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <pasta/analysis/cuda/sort.hpp>
#include <random>

namespace {

int check_count = 0, failure_count = 0;

void check(bool holds, char const* what, char const* input) {
  ++check_count;
  if (holds) return;
  ++failure_count;
  std::printf("FAILED: %s, %s\n", what, input);
}

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("FAILED: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

template <class T>
class device_copy {
 public:
  explicit device_copy(std::vector<T> const& from) : count_(from.size()) {
    if (count_ == 0) return;
    require(cudaMalloc(&first_, count_ * sizeof(T)));
    require(cudaMemcpy(first_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  device_copy(device_copy const&) = delete;
  device_copy& operator=(device_copy const&) = delete;
  ~device_copy() { cudaFree(first_); }
  std::span<T> span() const { return {first_, count_}; }
  std::vector<T> download() const {
    std::vector<T> to(count_);
    if (count_ > 0) require(cudaMemcpy(to.data(), first_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }

 private:
  T* first_ = nullptr;
  std::size_t count_ = 0;
};

// Byte for byte: a NaN equals itself, -0 does not equal 0.
template <class T>
bool equal(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// 16 bytes without padding, ordered by the first two fields: the last shows whether the order is stable.
struct wide_key {
  std::uint64_t high;
  std::uint32_t low, place;
  PASTA_DEVICE bool operator<(wide_key const& other) const {
    return high != other.high ? high < other.high : low < other.low;
  }
  PASTA_DEVICE bool operator==(wide_key const& other) const { return high == other.high && low == other.low; }
};

/// x -> factor x + offset, modulo 2^32. Composing is associative, but the sides cannot be exchanged.
struct affine {
  std::uint32_t factor, offset;
};
struct compose {
  PASTA_DEVICE affine operator()(affine const& first, affine const& second) const {
    return {second.factor * first.factor, second.factor * first.offset + second.offset};
  }
};
struct greater_of {
  template <class T>
  PASTA_DEVICE T operator()(T const& a, T const& b) const {
    return a < b ? b : a;
  }
};

struct input_shape {
  char const* name;
  std::size_t size;
  std::uint64_t distinct;
};
constexpr std::uint64_t no_limit = ~std::uint64_t{0};
constexpr input_shape shapes[] = {{"empty", 0, 1},
                                  {"one", 1, no_limit},
                                  {"two equal", 2, 1},
                                  {"33 of 3 keys", 33, 3},
                                  {"1000 of 7 keys", 1000, 7},
                                  {"2^20 different", std::size_t{1} << 20, no_limit},
                                  {"2^20 of 100 keys", std::size_t{1} << 20, 100},
                                  {"2^20 + 7 equal", (std::size_t{1} << 20) + 7, 1},
                                  {"2^20 + 7 of 5000 keys", (std::size_t{1} << 20) + 7, 5000}};

template <class T>
T make_key(std::uint64_t bits, std::uint32_t place) {
  if constexpr (std::is_same_v<T, wide_key>) {
    return {bits / 2, static_cast<std::uint32_t>(bits % 2), place};
  } else if constexpr (std::is_floating_point_v<T>) {
    using limits = std::numeric_limits<T>;
    T const special[] = {T(0),
                         -T(0),
                         limits::infinity(),
                         -limits::infinity(),
                         limits::quiet_NaN(),
                         -limits::quiet_NaN(),
                         limits::denorm_min(),
                         -limits::denorm_min(),
                         limits::max(),
                         limits::lowest()};
    if (bits % 16 < std::size(special)) return special[bits % 16];
    return (static_cast<T>(bits % 20001) - 10000) / 8;
  } else {
    return static_cast<T>(bits);
  }
}

template <class T>
std::vector<T> make_keys(input_shape const& shape) {
  std::mt19937_64 random(shape.size + shape.distinct);
  std::vector<T> keys(shape.size);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint64_t const bits = shape.distinct == no_limit ? random() : random() % shape.distinct;
    // Few keys, but of both signs and all over the range.
    keys[i] =
        make_key<T>(shape.distinct == no_limit ? bits : bits * 0x9e3779b97f4a7c15u, static_cast<std::uint32_t>(i));
  }
  return keys;
}

template <class T>
void check_sort(char const* type, input_shape const& shape) {
  auto expected = make_keys<T>(shape);
  device_copy<T> const on_device(expected);
  pasta::sort<pasta::vendor::cuda>(on_device.span());
  pasta::sort(expected);
  check(equal(on_device.download(), expected), type, shape.name);
}

template <class T>
void check_sort_by_key(char const* type, input_shape const& shape) {
  auto keys = make_keys<T>(shape);
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  device_copy<T> const device_keys(keys);
  device_copy<std::uint32_t> const device_places(places);
  pasta::sort_by_key<pasta::vendor::cuda>(device_keys.span(), device_places.span());
  pasta::sort_by_key(keys, places);
  check(equal(device_keys.download(), keys), type, shape.name);
  check(equal(device_places.download(), places), type, shape.name);
}

template <class T>
void check_unique(char const* type, input_shape const& shape) {
  for (bool const is_sorted : {false, true}) {
    auto expected = make_keys<T>(shape);
    if (is_sorted) pasta::sort(expected);
    device_copy<T> const on_device(expected);
    std::size_t const kept = pasta::unique<pasta::vendor::cuda>(on_device.span());
    expected.resize(pasta::unique(expected));
    auto actual = on_device.download();
    check(kept == expected.size(), type, shape.name);
    actual.resize(kept);
    check(equal(actual, expected), type, shape.name);
  }
}

template <class Value, class Key, class... Op>
void check_reduction(char const* what, char const* input, std::vector<Key> const& keys,
                     std::vector<Value> const& values, Op... op) {
  device_copy<Key> const device_keys(keys);
  device_copy<Value> const device_values(values);
  auto const actual = pasta::reduce_by_key<pasta::vendor::cuda>(device_keys.span(), device_values.span(), op...);
  auto const expected = pasta::reduce_by_key(keys, values, op...);
  check(equal(actual.keys, expected.keys), what, input);
  check(equal(actual.values, expected.values), what, input);
  check(equal(device_keys.download(), keys) && equal(device_values.download(), values), "the input is left as it was",
        input);
}

template <class T>
void check_reduce_by_key(char const* type, input_shape const& shape) {
  for (bool const is_sorted : {false, true}) {
    auto keys = make_keys<T>(shape);
    if (is_sorted) pasta::sort(keys);
    std::mt19937 random(static_cast<unsigned>(shape.size));
    std::vector<std::uint64_t> numbers(keys.size());
    std::vector<float> small(keys.size());  // whole numbers whose sums float holds
    std::vector<affine> functions(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      numbers[i] = random();
      small[i] = static_cast<float>(random() % 8);
      functions[i] = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
    }
    check_reduction(type, shape.name, keys, numbers);
    check_reduction(type, shape.name, keys, numbers, greater_of{});
    check_reduction(type, shape.name, keys, numbers, std::bit_xor<std::uint64_t>{});
    check_reduction(type, shape.name, keys, small);
    check_reduction(type, shape.name, keys, functions, compose{});
  }
}

template <class T>
void check_all(char const* type) {
  for (input_shape const& shape : shapes) {
    check_sort<T>(type, shape);
    check_sort_by_key<T>(type, shape);
    check_unique<T>(type, shape);
  }
}

// Only the span is touched, wherever it begins.
void check_part() {
  auto expected = make_keys<std::uint32_t>({"", 1000, no_limit});
  device_copy<std::uint32_t> const on_device(expected);
  pasta::sort<pasta::vendor::cuda>(on_device.span().subspan(1, 997));
  pasta::sort(std::span(expected).subspan(1, 997));
  check(equal(on_device.download(), expected), "sort", "a part of the memory");
}

void check_order_of_zeros_and_nans() {
  float const nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  device_copy<float> const on_device({1, nan, -infinity, 0.0f, -0.0f, infinity, -nan, -1});
  pasta::sort<pasta::vendor::cuda>(on_device.span());
  check(equal(on_device.download(), {-nan, -infinity, -1, -0.0f, 0.0f, 1, infinity, nan}), "sort", "zeros and NaNs");
}

void check_lengths() {
  device_copy<int> const three({1, 2, 3}), two({1, 2});
  try {
    pasta::sort_by_key<pasta::vendor::cuda>(three.span(), two.span());
    check(false, "different lengths are refused", "");
  } catch (std::invalid_argument const& error) {
    check(std::strcmp(error.what(), "pasta::sort_by_key: 3 keys but 2 values") == 0, "different lengths", error.what());
  }
}

// With the GPU's memory taken, in pieces down to 1 MiB, there is no place to sort 64 MiB.
void check_memory_exhausted() {
  std::size_t const size = std::size_t{1} << 24;
  std::vector<std::uint32_t> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::uint32_t>(size - i);
  device_copy<std::uint32_t> const on_device(values);
  std::vector<void*> taken;
  std::size_t piece = 0, all = 0;
  require(cudaMemGetInfo(&piece, &all));
  for (; piece >= (std::size_t{1} << 20); piece /= 2) {
    void* memory = nullptr;
    while (cudaMalloc(&memory, piece) == cudaSuccess) taken.push_back(memory);
    cudaGetLastError();  // the refusal is not an error of what comes next
  }
  bool is_thrown = false;
  try {
    pasta::sort<pasta::vendor::cuda>(on_device.span());
  } catch (std::bad_alloc const&) {
    is_thrown = true;
  }
  for (void* const memory : taken) cudaFree(memory);
  check(is_thrown, "std::bad_alloc", "without memory to sort in");
  cudaGetLastError();
  device_copy<std::uint32_t> const again(values);
  pasta::sort<pasta::vendor::cuda>(again.span());
  pasta::sort(values);
  check(equal(again.download(), values), "sorting goes on", "after std::bad_alloc");
}

void check_everything() {
  check_all<std::uint32_t>("uint32");
  check_all<std::int64_t>("int64");
  check_all<std::uint8_t>("uint8");
  check_all<float>("float");
  check_all<double>("double");
  check_all<wide_key>("16-byte key");
  for (input_shape const& shape : shapes) {
    check_reduce_by_key<std::uint32_t>("uint32", shape);
    check_reduce_by_key<double>("double", shape);
    check_reduce_by_key<wide_key>("16-byte key", shape);
  }
  check_part();
  check_order_of_zeros_and_nans();
  check_lengths();
  check_memory_exhausted();
}

}  // namespace

int main() {
  int device_count = 0;
  if (cudaGetDeviceCount(&device_count) != cudaSuccess || device_count == 0) {
    std::printf("skipped: no GPU\n");
    return 77;
  }
  try {
    check_everything();
  } catch (std::exception const& error) {
    check(false, error.what(), "an exception");
  }
  std::printf("%s %d checks, %d failed\n", failure_count == 0 ? "ok" : "FAILED", check_count, failure_count);
  return failure_count == 0 ? 0 : 1;
}
