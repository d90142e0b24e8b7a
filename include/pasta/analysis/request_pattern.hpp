// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_REQUEST_PATTERN_HPP
#define PASTA_ANALYSIS_REQUEST_PATTERN_HPP

#include <pasta/analysis/request_sample.hpp>
#include <vector>

namespace pasta {

/// How the lanes of a request lie to each other.
enum class request_kind : std::uint8_t {
  single,   ///< one lane (or none)
  regular,  ///< the address grows by the same from each lane to the next; not at all: a broadcast
  groups,   ///< runs of neighbouring lanes, regular and alike inside, equally far apart: the rows of a block
  rising,   ///< no lane lies before the one before it
  mixed     ///< all else: a gather or scatter
};

/// Recognises the pattern of a sampled request, and says how many sectors the same lanes would ask for in another
/// layout by replaying the request there. Host only.
class request_pattern {
 public:
  /// @param size_bytes of each lane's access
  request_pattern(request_sample const& sample, std::uint32_t size_bytes, std::uint32_t sector_bytes)
      : sample_(&sample), size_bytes_(size_bytes), sector_bytes_(sector_bytes) {
    for (std::uint32_t lane = 0; lane < sample.max_lanes; ++lane) {
      if ((sample.lanes >> lane & 1) != 0) lanes_.push_back(lane);
    }
    shape_ = replay([&](std::size_t i) { return sample.first_byte + offset(i); });
    kind_ = lanes_.size() < 2   ? request_kind::single
            : shape_.is_regular ? request_kind::regular
            : find_groups()     ? request_kind::groups
            : is_rising()       ? request_kind::rising
                                : request_kind::mixed;
  }

  request_kind kind() const { return kind_; }
  request_shape const& shape() const { return shape_; }
  /// From the first active lane to the last, both included, active or not.
  std::uint32_t span_lanes() const { return lanes_.empty() ? 0 : lanes_.back() - lanes_.front() + 1; }
  /// From each lane to the next; of groups: within a group. 0 for other kinds.
  std::int64_t stride_bytes() const { return kind_ == request_kind::groups ? group_stride_ : shape_.stride_bytes; }

  // Of groups only.
  std::size_t group_count() const { return group_begins_.size(); }
  /// Of the first group; others may have fewer.
  std::size_t group_lanes() const { return group_begins_[1]; }
  /// From the first lane of a group to the first lane of the next.
  std::int64_t group_step_bytes() const { return distance(0, group_begins_[1]); }

  /// Sectors if the request began with a sector.
  std::uint32_t sectors_aligned() const {
    return replay([&](std::size_t i) { return offset(i); }).sectors;
  }
  /// Sectors if each group began with a sector, as when rows are padded; for other kinds as sectors_aligned().
  std::uint32_t sectors_padded() const {
    if (kind_ != request_kind::groups) return sectors_aligned();
    std::uint64_t const length = static_cast<std::uint64_t>(std::abs(group_step_bytes()));
    std::uint64_t const pitch = (length + sector_bytes_ - 1) / sector_bytes_ * sector_bytes_;
    return replay([&](std::size_t i) {
             auto const next = std::upper_bound(group_begins_.begin(), group_begins_.end(), i);
             std::size_t const first = *(next - 1), last = (next == group_begins_.end() ? lanes_.size() : *next) - 1;
             auto const group = static_cast<std::uint64_t>(next - 1 - group_begins_.begin());
             return group * pitch + offset(i) - std::min(offset(first), offset(last));
           })
        .sectors;
  }
  /// Sectors if the distinct elements lay side by side, from a sector's begin.
  std::uint32_t sectors_packed() const {
    std::vector<std::uint64_t> distinct;
    for (std::size_t i = 0; i < lanes_.size(); ++i) distinct.push_back(offset(i));
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    return replay([&](std::size_t i) {
             auto const rank = std::lower_bound(distinct.begin(), distinct.end(), offset(i)) - distinct.begin();
             return static_cast<std::uint64_t>(rank) * size_bytes_;
           })
        .sectors;
  }

 private:
  // i counts active lanes.
  std::uint64_t offset(std::size_t i) const { return sample_->offsets[lanes_[i]]; }
  std::int64_t distance(std::size_t from, std::size_t to) const {
    return static_cast<std::int64_t>(offset(to) - offset(from));
  }

  template <class FirstByte>
  request_shape replay(FirstByte&& first_byte) const {
    std::uint64_t moved[request_sample::max_lanes] = {};
    for (std::size_t i = 0; i < lanes_.size(); ++i) moved[lanes_[i]] = first_byte(i);
    return shape_of_request(moved, sample_->lanes, size_bytes_, sector_bytes_);
  }

  bool is_rising() const {
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      if (distance(i - 1, i) < 0) return false;
    }
    return true;
  }

  // A row's lanes have offsets stride * lane + rest with one rest; from row to row the rest grows by the same.
  bool find_groups() {
    std::int64_t const lanes_between = lanes_[1] - lanes_[0];
    if (distance(0, 1) % lanes_between != 0) return false;
    group_stride_ = distance(0, 1) / lanes_between;
    auto const rest = [&](std::size_t i) {
      return distance(0, i) - group_stride_ * (std::int64_t{lanes_[i]} - lanes_[0]);
    };
    group_begins_ = {0};
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      if (rest(i) != rest(i - 1)) group_begins_.push_back(i);
    }
    if (group_begins_.size() < 2 || lanes_.size() < 2 * group_begins_.size()) return false;
    std::int64_t const growth = rest(group_begins_[1]);
    for (std::size_t group = 1; group < group_begins_.size(); ++group) {
      if (rest(group_begins_[group]) != static_cast<std::int64_t>(group) * growth) return false;
    }
    return true;
  }

  request_sample const* sample_;
  std::uint32_t size_bytes_, sector_bytes_;
  std::vector<std::uint32_t> lanes_;  // active
  request_shape shape_;
  request_kind kind_;
  std::vector<std::size_t> group_begins_;
  std::int64_t group_stride_ = 0;
};

}  // namespace pasta
#endif
