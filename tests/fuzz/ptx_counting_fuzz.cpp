// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Gives what counts accesses in PTX any bytes. It has to refuse them with one line, or to make PTX that can be read, in
// which each statement of the source still stands in its order.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string>
#include <string_view>

namespace {

namespace ptx = pasta::ptx;

[[noreturn]] void stop(std::string const& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

std::size_t count_sites(ptx::module const& from) {
  std::size_t sites = 0;
  for (ptx::statement const& each : from.statements) {
    if (each.kind != ptx::statement_kind::instruction || each.text.find("%pasta_") != std::string_view::npos) continue;
    if (ptx::classify(ptx::read_instruction(each.text)).access_count > 0) ++sites;
  }
  return sites;
}

/// Whether no directive has an open bracket or ends with a comma: such a one goes on with whatever is put behind it.
bool has_whole_directives(ptx::module const& from) {
  for (ptx::statement const& each : from.statements) {
    if (each.kind != ptx::statement_kind::directive) continue;
    int depth = 0;
    for (char const c : each.text)
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (depth != 0 || each.text.ends_with(',') || each.text.ends_with('=')) return false;
  }
  return true;
}

/// The statements of the source in their order, but for a version that is too old to count with.
void check_kept(ptx::module const& before, ptx::module const& after) {
  std::size_t at = 0;
  for (ptx::statement const& each : before.statements) {
    bool const is_version = each.text.starts_with(".version");
    while (at < after.statements.size() && after.statements[at].text != each.text &&
           !(is_version && after.statements[at].text.starts_with(".version"))) {
      ++at;
    }
    if (at++ == after.statements.size()) stop("a statement is lost: " + std::string(each.text));
  }
}

void check(std::string_view source) {
  try {
    ptx::module const before = ptx::read(source);
    std::string const tools[] = {"access_count"};
    ptx::instrumented const result = ptx::count_accesses(before, tools);
    auto const table = nlohmann::json::parse(result.json);
    std::size_t rows = 0, uncounted = 0;
    for (auto const& function : table.at("functions")) {
      rows += function.at("sites").size();
      uncounted += function.at("why").get<std::string>().empty() ? 0 : 1;
    }
    if (rows != result.sites) stop("the table lacks sites");
    if (result.sites == 0) {
      if (result.text != source) stop("without a site the text changes");
      return;
    }
    ptx::module const after = ptx::read(result.text);
    if (!ptx::is_instrumented(after)) stop("the state is not declared");
    if (!has_whole_directives(before)) return;
    if (count_sites(after) != count_sites(before)) stop("the number of sites changes");
    if (uncounted == 0 && count_sites(before) != result.sites) stop("a site is not counted");
    check_kept(before, after);
  } catch (ptx::read_error const&) {
  } catch (ptx::cannot_instrument const& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) stop("the error has several lines");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  check(text);
  // Few bytes begin as PTX does: the same as a module's body, and as a kernel's.
  check(".version 6.0\n.target sm_70\n.address_size 64\n" + std::string(text));
  check(".version 8.0\n.target sm_90\n.address_size 64\n.entry k(){" + std::string(text) + "\n}");
  return 0;
}
