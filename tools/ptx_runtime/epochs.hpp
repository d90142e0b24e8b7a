// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_EPOCHS_HPP
#define PASTA_TOOLS_PTX_RUNTIME_EPOCHS_HPP

#include <algorithm>

#include "records.hpp"

namespace pasta::ptx {

// What is over: switches that happened, and strangers that ended.
inline void settle(attachment& of) {
  while (of.epochs.size() > 1 && of.epochs[1].on->has_ended(of.epochs[1].begin)) of.epochs.pop_front();
  of.strangers.remove_if([](stranger& each) {
    if (each.number == 0 || !each.on->has_ended(each.number)) return false;
    for (launch_bin* const bin : each.bins) --bin->strangers;
    return true;
  });
}

// They are one from here on.
inline launch_group& unite(launch_group& a, launch_group& b) {
  if (&a == &b) return a;
  b.merged_into = &a;
  if (a.range != b.range) a.range.clear();
  if (a.key != b.key) a.key.clear();
  a.launch.reset();
  return a;
}

inline void link(launch_group& group, function_record& function, launch_bin& to) {
  launch_group& own = group.root();
  launch_group*& known = to.group_of(&function);
  if (known != nullptr && &known->root() == &own) return;
  if (known != nullptr) {
    unite(own, known->root());
  } else {
    known = &own;
  }
  group.bins.push_back(&to);
}

inline bool is_releasable(attachment const& of, launch_bin const& bin) {
  bool const is_present =
      std::any_of(of.epochs.begin(), of.epochs.end(), [&](epoch const& each) { return each.bin == &bin; });
  return bin.is_once && bin.memory != 0 && bin.strangers == 0 && !is_present &&
         (bin.on == nullptr || bin.on->has_ended(bin.last));
}

}  // namespace pasta::ptx
#endif
