// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>

#include "figures.hpp"
#include "kernel_bounds.hpp"
#include "kernel_change.hpp"
#include "occupancy.hpp"

using namespace pasta::ptxas;

namespace {

// As ptxas 13.0 says it.
constexpr char messages[] =
    "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at "
    "entry.\n"
    "ptxas info    : 88 bytes gmem, 24 bytes cmem[4]\n"
    "ptxas info    : Compiling entry function 'f' for 'sm_90a'\n"
    "ptxas info    : Function properties for f\n"
    "    32 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Used 24 registers, used 1 barriers, 40 bytes cumulative stack size, 1184 bytes smem\n"
    "ptxas info    : Compile time = 26.328 ms\n"
    "ptxas info    : Function properties for g\n"
    "    16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads\n"
    "ptxas a.ptx, line 7; warning : something\n"
    "ptxas info    : Compiling entry function 'h' for 'sm_90a'\n"
    "ptxas info    : Function properties for h\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 0 barriers\n"
    "ptxas info    : Compile time = 1.0 ms\n";

constexpr char kernels[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry plain(.param .u64 p)\n{\n\tret;\n}\n"
    ".visible .entry most()\n.maxntid 128, 2, 1\n.minnctapersm 2\n{\n\tcall other;\n\tret;\n}\n"
    ".visible .entry exact() .reqntid 96 .maxnreg 80\n{\n\tsetmaxnreg.dec.sync.aligned.u32 24;\n\tret;\n}\n"
    ".visible .entry outside();\n";

kernel_figures figures(std::uint32_t registers, std::uint64_t spills = 0) {
  return {"f", "sm_90", registers, 0, spills, 0};
}

}  // namespace

TEST_CASE("figures are read from ptxas's messages, a kernel's with those of the functions behind it") {
  auto const all = read_figures(messages, linking::whole_program);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "f");
  CHECK(all[0].target == "sm_90a");
  CHECK(all[0].registers == 24);
  CHECK(all[0].stack_bytes == 32);
  CHECK(all[0].spill_bytes == 36);
  CHECK(all[0].static_shared == 1184);
  CHECK(all[1].registers == 255);
  CHECK(all[1].spill_bytes == 0);
  CHECK(read_figures(messages, linking::relocatable)[0].spill_bytes == 12);
}

TEST_CASE("a kernel of which a line is missing has no figures") {
  std::string text = messages;
  text.erase(text.find("ptxas info    : Used 24"), 20);
  auto const all = read_figures(text, linking::whole_program);
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "h");
  CHECK(read_figures("", linking::whole_program).empty());
}

TEST_CASE("messages without figures keep what is there without -v") {
  CHECK(without_figures(messages) ==
        "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count "
        "at entry.\nptxas a.ptx, line 7; warning : something\n");
  CHECK(without_figures("    0 bytes stack frame\nno newline") == "    0 bytes stack frame\nno newline");
}

TEST_CASE("blocks at once are those of NVIDIA's occupancy calculator") {
  // target, registers, warps of a block, blocks: from cuda_occupancy.h of CUDA 13.0
  CHECK(blocks_per_multiprocessor("sm_90", 32, 32) == 2);
  CHECK(blocks_per_multiprocessor("sm_90", 33, 32) == 1);
  CHECK(blocks_per_multiprocessor("sm_90a", 64, 32) == 1);
  CHECK(blocks_per_multiprocessor("sm_90", 66, 32) == 0);
  CHECK(blocks_per_multiprocessor("sm_90", 64, 8) == 4);
  CHECK(blocks_per_multiprocessor("sm_90", 66, 8) == 3);
  CHECK(blocks_per_multiprocessor("sm_90", 255, 8) == 1);
  CHECK(blocks_per_multiprocessor("sm_90", 8, 1) == 32);
  CHECK(blocks_per_multiprocessor("sm_75", 64, 32) == 1);
  CHECK(blocks_per_multiprocessor("sm_75", 8, 1) == 16);
  CHECK(blocks_per_multiprocessor("sm_86", 40, 8) == 6);
  CHECK(blocks_per_multiprocessor("sm_90", 104, 20) == 0);  // 20 warps fit, but a launch asks for whole parts
}

TEST_CASE("the limit is the most registers that cost no block of any size") {
  CHECK(most_registers_as_roomy_as("sm_90", 10, {}) == 32);
  CHECK(most_registers_as_roomy_as("sm_86", 10, {}) == 40);
  CHECK(most_registers_as_roomy_as("sm_75", 10, {}) == 64);
  CHECK(most_registers_as_roomy_as("sm_999", 10, {}) == 32);
  CHECK(most_registers_as_roomy_as("sm_90", 64, {}) == 64);
  CHECK(most_registers_as_roomy_as("sm_90", 105, {}) == 128);
  CHECK(most_registers_as_roomy_as("sm_90", 255, {}) == 255);
  CHECK(most_registers_as_roomy_as("sm_90", 249, {}) == 255);
  for (std::uint32_t registers = 1; registers <= 255; ++registers) {
    std::uint32_t const most = most_registers_as_roomy_as("sm_90", registers, {});
    REQUIRE(most >= rounded_registers(registers));
    for (std::uint32_t warps = 1; warps <= most_warps_in_block; ++warps) {
      REQUIRE(blocks_per_multiprocessor("sm_90", most, warps) == blocks_per_multiprocessor("sm_90", registers, warps));
    }
  }
}

TEST_CASE("bounds of kernels are read from their text") {
  auto const all = read_bounds(kernels);
  REQUIRE(all.size() == 3);
  CHECK(all[0].threads == 0);
  CHECK(all[0].sizes().most_warps == 32);
  CHECK_FALSE(all[0].calls_functions);
  CHECK(all[1].threads == 256);
  CHECK(all[1].sizes().least_warps == 1);
  CHECK(all[1].sizes().most_warps == 8);
  CHECK(all[1].calls_functions);
  CHECK(all[2].threads == 96);
  CHECK(all[2].sizes().least_warps == 3);
  CHECK(all[2].changes_registers);
}

TEST_CASE("a limit stands in the head on a line of its own, and in the place of another") {
  std::string const text = with_register_limits(kernels, {{"plain", 64}, {"exact", 72}, {"outside", 8}, {"none", 8}});
  CHECK_THAT(text, pasta_test::contains_text("plain(.param .u64 p)\n.maxnreg 64\n\n{"));
  CHECK_THAT(text, pasta_test::contains_text(".reqntid 96 .maxnreg 72\n{"));
  CHECK(text.find(".maxnreg 8\n") == std::string::npos);
  CHECK(with_register_limits(kernels, {}) == kernels);
}

TEST_CASE("what PASTA keeps in registers is counted at a kernel's outermost level") {
  auto const all = read_bounds(
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry f()\n{\n\t.reg .b64 %pasta_a, %own, %pasta_b<3>;\n"
      "\t.reg .b32 \t%pasta_c;\n\t.reg .pred %pasta_p;\n\t{\n\t.reg .b64 %pasta_inner;\n\t}\n\tret;\n}\n");
  REQUIRE(all.size() == 1);
  CHECK(all[0].added_registers == 9);
}

TEST_CASE("limits are chosen before from what is likely, and afterwards from what is taken") {
  std::vector<kernel_change> changes = list_changes(std::vector{figures(64)}, {});
  CHECK(choose_limits(changes, register_policy::occupancy, linking::whole_program).empty());
  changes[0].instrumented = figures(66);
  CHECK(choose_limits(changes, register_policy::free, linking::whole_program).empty());
  auto const limits = choose_limits(changes, register_policy::occupancy, linking::whole_program);
  CHECK(limits == std::map<std::string, std::uint32_t>{{"f", 64}});
  CHECK(changes[0].limit == 64);
  CHECK(choose_limits(changes, register_policy::occupancy, linking::whole_program).empty());

  changes = list_changes(std::vector{figures(60)}, {});
  CHECK_FALSE(changes[0].is_changed());
  CHECK(warn(changes).empty());
  changes[0].bounds.added_registers = 5;
  CHECK(choose_limits(changes, register_policy::occupancy, linking::whole_program) == limits);
}

TEST_CASE("a warning names the worst and counts the others") {
  std::vector<kernel_figures> const native{figures(64), {"g", "sm_90", 64, 0, 4, 0}, {"same", "sm_90", 10, 0, 8, 0}};
  std::vector<kernel_change> changes = list_changes(native, {});
  for (kernel_change& each : changes) each.instrumented = each.native;
  CHECK(warn(changes).empty());
  CHECK_FALSE(changes[2].is_changed());
  changes[0].instrumented = figures(66, 8);
  changes[1].instrumented.spill_bytes = 40;
  CHECK(warn(changes) ==
        "2 kernels have more spills than natively, g most: 4 to 40 bytes; "
        "1 kernel has room for fewer blocks at once, f: 8 to 7 of 128 threads");
}
