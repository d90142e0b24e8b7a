// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_READ_JSON_HPP
#define PASTA_REPORT_READ_JSON_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <pasta/report/model.hpp>
#include <pasta/report/report_error.hpp>

/// Reads what report/json.hpp wrote.
namespace pasta {

/// The largest report that is read [bytes].
inline constexpr std::size_t report_size_limit_bytes = std::size_t{256} << 20;

/// Fields that this version does not know are ignored. A non-negative integer in a cell becomes std::uint64_t.
/// @throws report_error if the text is not JSON, is cut short, has another schema, lacks a field or has a wrong type;
///     what() names the field.
inline report_model from_json(std::string_view text);

/// Reads a report from a file. @throws report_error, what() begins with the path or names it.
inline report_model read_json_file(std::string const& path);

}  // namespace pasta

#include <pasta/report/detail/read_json.inl>
#endif
