// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The JSON library, for all compilers.
#ifndef PASTA_REPORT_DETAIL_NLOHMANN_JSON_HPP
#define PASTA_REPORT_DETAIL_NLOHMANN_JSON_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

// clang 15 for HIP crashes where it first asks this while it defines another class; what it has found it knows.
static_assert(!std::is_copy_assignable_v<std::pair<std::string const, nlohmann::json>>);

#endif
