// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_LAUNCH_SHARE_HPP
#define PASTA_TOOLS_COLLECTING_LAUNCH_SHARE_HPP

#include <pasta/report/model.hpp>

namespace pasta::collecting {

/// Says which share of the launches was analysed: of a report of one route in a note, where it is not all; of the route
/// `auto` in the header, by route.
void tell_share(report_model& of);

}  // namespace pasta::collecting
#endif
