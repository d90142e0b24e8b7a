// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <pasta/session/run_header.hpp>

#include "catch.hpp"

namespace {

// A folder like the one where NVIDIA's kernel module describes itself; gone at the end of the scope.
struct driver_folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("pasta-driver-" + std::to_string(::getpid()));
  driver_folder() { std::filesystem::create_directories(path / "gpus"); }
  ~driver_folder() { std::filesystem::remove_all(path); }
  driver_folder(driver_folder const&) = delete;
  driver_folder& operator=(driver_folder const&) = delete;

  void write(std::string const& name, std::string const& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
};

}  // namespace

TEST_CASE("the header names the GPU and its driver where the kernel module tells them") {
  driver_folder const folder;
  folder.write("version",
               "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 10:11:16 UTC 2025\n"
               "GCC version:  gcc version 12.2.0\n");
  folder.write("gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H200\nIRQ:   \t\t 33\nGPU UUID: \t GPU-1\n");
  pasta::report_header header;
  pasta::detail::find_gpu(header, folder.path.string());
  CHECK(header.gpu == "NVIDIA H200");
  CHECK(header.driver == "580.95.05");

  folder.write("gpus/0000:02:00.0/information", "Model: \t\t NVIDIA H200\n");
  pasta::detail::find_gpu(header, folder.path.string());
  CHECK(header.gpu == "NVIDIA H200 (and 1 more)");
}

TEST_CASE("the open kernel module's version line is read too, and its absence is nothing") {
  driver_folder const folder;
  folder.write("version",
               "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (root@x)\n");
  pasta::report_header header;
  pasta::detail::find_gpu(header, folder.path.string());
  CHECK(header.gpu.empty());
  CHECK(header.driver == "580.159.04");
  pasta::report_header other;
  pasta::detail::find_gpu(other, "/nonexistent");
  CHECK(other.gpu.empty());
  CHECK(other.driver.empty());
}
