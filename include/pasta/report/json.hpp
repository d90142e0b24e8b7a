// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_JSON_HPP
#define PASTA_REPORT_JSON_HPP

#include <string>

#include <pasta/report/model.hpp>
#include <pasta/report/report_error.hpp>

/// Writes the report as JSON; docs/report.schema.json describes the shape, report/read_json.hpp reads it.
///
/// A text that is valid UTF-8 is a JSON string; any other byte string is the object {"bytes_hex": "61ff"}, two digits a
/// byte. Integers are exact up to 2^64 - 1. A double that is not finite is null.
namespace pasta {

/// The report as JSON text, indented, that ends in a newline.
inline std::string to_json(report_model const& report);

/// Writes a report to a file: all of it or nothing. A regular file (or a symbolic link's target) is written beside its
/// place and renamed; a device, a pipe and /dev/stdout are written directly.
/// @throws report_error with the path and the reason; no temporary file is left.
inline void write_json_file(report_model const& report, std::string const& path);

}  // namespace pasta

#include <pasta/report/detail/json.inl>
#endif
