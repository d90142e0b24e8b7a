// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CLOCK_BRIDGE_HPP
#define PASTA_SESSION_CLOCK_BRIDGE_HPP

#include <cstdint>
#include <optional>
#include <pasta/vendor/host/clock.hpp>

namespace pasta::detail {

/// Brings another clock's times to the host's time base. Each reading is taken between two of the host's clock; between
/// the first and the last reading the clocks are taken to drift apart evenly. Guarded by its owner.
class clock_bridge {
 public:
  struct reading {
    std::uint64_t other_ns = 0, host_ns = 0, width_ns = 0;  // width: between the host's readings before and after
  };

  /// The best of some tries.
  /// @param read_other gives the other clock's time [ns]
  /// @param read_host gives the host's time [ns]
  template <class Read, class ReadHost = get_nanoseconds<vendor::host>>
  static reading read(Read&& read_other, ReadHost&& read_host = {}) {
    constexpr int tries = 8;
    reading best;
    for (int i = 0; i < tries; ++i) {
      std::uint64_t const before = read_host();
      std::uint64_t const other = read_other();
      std::uint64_t const after = read_host();
      if (i == 0 || after - before < best.width_ns) best = {other, before + (after - before) / 2, after - before};
    }
    return best;
  }
  void add(reading const& taken) {
    if (!first_) first_ = taken;
    last_ = taken;
  }

  /// After a reading. Times before the first reading and after the last go on as the nearest one says.
  std::uint64_t to_host(std::uint64_t other_ns) const {
    std::uint64_t const span_ns = last_.other_ns - first_->other_ns;
    if (span_ns == 0 || other_ns <= first_->other_ns) return shifted(other_ns, *first_);
    if (other_ns >= last_.other_ns) return shifted(other_ns, last_);
    auto const host_span = static_cast<double>(last_.host_ns - first_->host_ns);
    double const share = static_cast<double>(other_ns - first_->other_ns) / static_cast<double>(span_ns);
    return first_->host_ns + static_cast<std::uint64_t>(share * host_span);
  }

  /// How far from the truth times are at most, where a reading was taken [ns].
  std::uint64_t error_ns() const {
    std::uint64_t const widest = first_->width_ns > last_.width_ns ? first_->width_ns : last_.width_ns;
    return (widest + 1) / 2;
  }

 private:
  static std::uint64_t shifted(std::uint64_t other_ns, reading const& by) {
    return by.host_ns + (other_ns - by.other_ns);  // wraps around, and back
  }

  std::optional<reading> first_;
  reading last_;
};

}  // namespace pasta::detail
#endif
