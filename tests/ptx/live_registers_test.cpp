// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch.hpp>
#include <pasta/instrument/ptx/blocks.hpp>
#include <pasta/instrument/ptx/detail/live_registers.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ptx = pasta::ptx;

namespace {

/// The registers with a value before the first statement that holds a text.
std::vector<std::string> live_before(std::string_view text, std::string const& body) {
  std::string const source =
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n"
      ".reg .pred %p<3>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<3>;\n" +
      body + "\n}\n";
  ptx::module const m = ptx::read(source);
  ptx::function const& function = m.functions.front();
  ptx::blocks const parts(m, function);
  ptx::detail::live_registers const live(m, function, parts);
  auto const found = std::find_if(m.statements.begin(), m.statements.end(), [&](ptx::statement const& each) {
    return each.text.find(text) != std::string_view::npos;
  });
  REQUIRE(found != m.statements.end());
  std::vector<std::string> names;
  for (auto const& each : live.before(static_cast<std::size_t>(found - m.statements.begin())))
    names.emplace_back(each.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("Registers that are loaded are live until they are read") {
  std::string const body =
      "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3; ret;";
  CHECK(live_before("%r2, [", body) == std::vector<std::string>{"%r1"});
  CHECK(live_before("add.u32", body) == std::vector<std::string>{"%r1", "%r2"});
  CHECK(live_before("ret", body).empty());
}
