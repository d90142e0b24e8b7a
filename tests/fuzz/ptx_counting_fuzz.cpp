// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Gives what counts accesses in PTX any bytes. It has to refuse them with one line, or to make PTX that can be read, in
// which each statement of the source still stands in its order.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string>
#include <string_view>

#include "kept_statements.hpp"

namespace {

namespace ptx = pasta::ptx;

using pasta_fuzz::stop;

std::size_t count_sites(ptx::module const& from) {
  std::size_t sites = 0;
  for (ptx::statement const& each : from.statements) {
    if (each.kind != ptx::statement_kind::instruction || each.text.find("%pasta_") != std::string_view::npos) continue;
    if (ptx::classify(ptx::read_instruction(each.text)).access_count > 0) ++sites;
  }
  return sites;
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
    if (!pasta_fuzz::has_whole_directives(before)) return;
    if (count_sites(after) != count_sites(before)) stop("the number of sites changes");
    if (uncounted == 0 && count_sites(before) != result.sites) stop("a site is not counted");
    pasta_fuzz::check_kept(before, after);
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
