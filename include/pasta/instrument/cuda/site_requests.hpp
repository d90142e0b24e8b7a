// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a thread keeps of the alike requests of its sites, by place. Device code.
#ifndef PASTA_INSTRUMENT_CUDA_SITE_REQUESTS_HPP
#define PASTA_INSTRUMENT_CUDA_SITE_REQUESTS_HPP

#include <pasta/instrument/cuda/alike_requests.hpp>

namespace pasta::detail {

/// The latest requests of each place that are alike. All lanes of a warp have the same words; what counts is what the
/// place's own lane has.
class site_requests {
 public:
  struct request_table {
    std::uint32_t firsts[home_row_count / 4] = {};    // first_request, of four places
    std::uint32_t words[home_row_count] = {};         // request_word, from the second one on
    std::int32_t displacements[home_row_count] = {};  // from where the lane would lie in layout 0 [bytes]
  };
  /// Where the lane is expected to access next, and how far that is from its access before [bytes].
  struct expectation_table {
    std::uint64_t next[home_row_count] = {};
    std::uint32_t steps[home_row_count] = {};
  };
  PASTA_DEVICE PASTA_ALWAYS_INLINE site_requests(request_table& requests, expectation_table& expected)
      : requests_(&requests), expected_(&expected) {}

  PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t& word(std::uint32_t slot) { return requests_->words[slot]; }
  PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t word(std::uint32_t slot) const { return requests_->words[slot]; }
  PASTA_DEVICE PASTA_ALWAYS_INLINE std::int32_t& displacement(std::uint32_t slot) {
    return requests_->displacements[slot];
  }

  PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t first_of(std::uint32_t slot) const {
    return first_request::get(requests_->firsts[slot / 4], slot);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool has_none(std::uint32_t slot) const {
    return requests_->words[slot] == 0 && first_of(slot) == 0;
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void set_first(std::uint32_t slot, std::uint32_t first) {
    requests_->firsts[slot / 4] |= first << first_request::shift(slot);
  }
  /// From the second request on the word has all.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void take_first(std::uint32_t slot) {
    if (requests_->words[slot] == 0) requests_->words[slot] = first_request::word(first_of(slot));
    requests_->firsts[slot / 4] &= ~(0xffu << first_request::shift(slot));
  }
  /// As a request_word.
  PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t uncommitted(std::uint32_t slot) const {
    return requests_->words[slot] | first_request::word(first_of(slot));
  }
  /// For another site that has the place from now on.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void forget(std::uint32_t slot) {
    requests_->words[slot] = 0;
    requests_->firsts[slot / 4] &= ~(0xffu << first_request::shift(slot));
    requests_->displacements[slot] = 0;
    expect_nothing(slot);
  }

  /// Counts a request that is as far from the one before as that was from its predecessor, as most are in a loop.
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool is_expected(std::uint32_t slot, std::uint64_t address) {
    std::uint32_t& word = requests_->words[slot];
    if ((address != expected_->next[slot]) | (static_cast<std::int32_t>(word) <= 0)) return false;
    if (warp::detail::active() != warp::full) return false;
    word += request_word::one;
    expected_->next[slot] += expected_->steps[slot];
    return true;
  }
  /// The step is the same for all lanes, since the requests before and now have one layout: of another, or none, next
  /// is 0. What is expected then has that layout, and begins in its sector as the request now.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void expect_next(std::uint32_t slot, std::uint64_t address) {
    std::uint64_t const step = address - (expected_->next[slot] - expected_->steps[slot]);
    bool const is_kept = expected_->next[slot] != 0 && step <= ~std::uint32_t{0} && step % alike_period == 0;
    expected_->steps[slot] = is_kept ? static_cast<std::uint32_t>(step) : 0;
    expected_->next[slot] = address + expected_->steps[slot];
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void expect_nothing(std::uint32_t slot) { expected_->next[slot] = 0; }

 private:
  request_table* requests_;
  expectation_table* expected_;
};

}  // namespace pasta::detail
#endif
