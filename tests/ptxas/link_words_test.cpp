// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>

#include "link_words.hpp"

using namespace pasta::ptxas;

namespace {

using texts = std::vector<std::string>;

command_line nvlink_words(texts const& words) { return command_line(words, known_link_options()); }

/// As nvcc 13.0 calls it.
texts const words_of_nvcc{"-m64",
                          "--arch=sm_90",
                          "--register-link-binaries=x.reg.c",
                          "-L/cuda/lib stubs",
                          "-cpu-arch=X86_64",
                          "-dlto",
                          "-nvvmpath=/cuda/nvvm",
                          "-maxrregcount=40",
                          "-Xptxas",
                          "-v -O2 ",
                          "a.o",
                          "lib/libb.a",
                          "-lcudadevrt",
                          "-l",
                          "c",
                          "-o",
                          "x.cubin",
                          "--host-ccbin",
                          "gcc"};

}  // namespace

TEST_CASE("nvlink's words are told apart") {
  command_line const line = nvlink_words(words_of_nvcc);
  CHECK(line.reason_not_understood().empty());
  REQUIRE(line.inputs().size() == 2);
  CHECK(line.inputs()[1].text == "lib/libb.a");
  CHECK(line.value("--arch") == "sm_90");
  CHECK(line.value("--machine") == "64");
  CHECK(line.value("--library-path") == "/cuda/lib stubs");
  CHECK(line.value("--library") == "c");
  CHECK(line.has("--dlto"));
  CHECK_FALSE(line.has("--link-time-opt"));
  CHECK_FALSE(nvlink_words({"--new", "a.o"}).reason_not_understood().empty());
}

TEST_CASE("for PTX everything stays but what is written elsewhere") {
  CHECK(words_to_ptx(nvlink_words(words_of_nvcc), "p") ==
        texts{"-m64", "--arch=sm_90", "-L/cuda/lib stubs", "-cpu-arch=X86_64", "-dlto", "-nvvmpath=/cuda/nvvm",
              "-maxrregcount=40", "-Xptxas", "-v -O2 ", "a.o", "lib/libb.a", "-lcudadevrt", "-l", "c", "--host-ccbin",
              "gcc", "-emit-ptx", "-o", "p"});
}

TEST_CASE("ptxas is given what nvlink gives to it") {
  CHECK(words_to_assemble(nvlink_words(words_of_nvcc), linking::whole_program, "p", "o") ==
        texts{"-arch", "sm_90", "-m", "64", "-v", "-O2", "-maxrregcount", "40", "p", "-o", "o"});
  texts const more{"-arch", "sm_80", "-Xptxas=-v,-maxrregcount=50", "-Xptxas", "-dlcm=ca", "-g", "-Ofc", "max", "-lto"};
  CHECK(words_to_assemble(nvlink_words(more), linking::relocatable, "p", "o") ==
        texts{"-arch", "sm_80", "-m", "64", "-v", "-maxrregcount=50", "-dlcm=ca", "-Ofc", "max", "-g", "-c", "p", "-o",
              "o"});
  texts overruled = more;
  overruled.insert(overruled.end(), {"-maxrregcount", "40"});
  texts const result = words_to_assemble(nvlink_words(overruled), linking::whole_program, "p", "o");
  CHECK(std::count(result.begin(), result.end(), "-maxrregcount=50") == 0);
}

TEST_CASE("inputs that are not made for link-time optimisation are read from nvlink's messages") {
  CHECK(read_other_inputs("nvlink info    : requested LTO but 'lib dir/libc.a:c.o' not built for LTO so doing partial "
                          "LTO\nnvlink warning : else\nnvlink info    : requested LTO but 'it's.o' not built for LTO "
                          "so doing partial LTO") == texts{"lib dir/libc.a:c.o", "it's.o"});
  CHECK(read_other_inputs("").empty());
}

TEST_CASE("joined are the object and what is not made for link-time optimisation") {
  command_line const line = nvlink_words(words_of_nvcc);
  texts const kept{"-m64", "--arch=sm_90", "-L/cuda/lib stubs", "-cpu-arch=X86_64"};
  texts const end{"--host-ccbin", "gcc", "-ignore-host-info", "-o", "r"};
  auto const expect = [&](texts const& middle) {
    texts all = kept;
    all.insert(all.end(), middle.begin(), middle.end());
    all.insert(all.end(), end.begin(), end.end());
    return all;
  };
  CHECK(words_to_join(line, {}, "obj", "r") == expect({"obj", "-lcudadevrt"}));
  CHECK(words_to_join(line, texts{"a.o"}, "obj", "r") == expect({"obj", "a.o", "-lcudadevrt"}));
  CHECK(words_to_join(line, texts{"lib/libb.a:m.o", "some where/libc.a:n.o"}, "obj", "r") ==
        expect({"obj", "lib/libb.a", "-lcudadevrt", "-l", "c"}));
  CHECK(words_to_join(line, texts{"libcc.a:n.o", "ba.o"}, "obj", "r") == expect({"obj", "-lcudadevrt"}));
}
