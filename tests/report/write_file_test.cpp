// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/report/write_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <pasta/report/json.hpp>
#include <pasta/report/read_json.hpp>

#include "catch.hpp"
#include "samples.hpp"

namespace fs = std::filesystem;
using pasta::report_error;
using pasta::write_file;
using pasta_test::contains_text;

namespace {

/// A new empty folder, removed at the end.
struct temporary_folder {
  fs::path path;
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "pasta-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~temporary_folder() { fs::remove_all(path); }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;

  std::size_t entry_count() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {})); }
};

std::string content(fs::path const& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string refusal(std::string const& text, fs::path const& path) {
  try {
    write_file(text, path.string());
  } catch (report_error const& e) {
    return e.what();
  }
  return "written";
}

}  // namespace

TEST_CASE("a file is made, and replaced whole") {
  temporary_folder folder;
  auto const path = folder.path / "r.json";
  write_file("first and longer", path.string());
  write_file("second", path.string());
  CHECK(content(path) == "second");
  CHECK(folder.entry_count() == 1);
}

TEST_CASE("a new file has the mode that the umask gives, a replaced one keeps its own") {
  temporary_folder folder;
  auto const path = folder.path / "r.json";
  mode_t const before = ::umask(027);
  write_file("x", path.string());
  ::umask(before);
  CHECK((fs::status(path).permissions() & fs::perms::all) == static_cast<fs::perms>(0640));
  fs::permissions(path, static_cast<fs::perms>(0604));
  write_file("y", path.string());
  CHECK((fs::status(path).permissions() & fs::perms::all) == static_cast<fs::perms>(0604));
}

TEST_CASE("a symbolic link is followed, also one to a file that is not there yet") {
  temporary_folder folder;
  fs::create_directory(folder.path / "sub");
  fs::create_symlink("sub/target", folder.path / "link");
  write_file("one", (folder.path / "link").string());
  CHECK(content(folder.path / "sub/target") == "one");
  write_file("two", (folder.path / "link").string());
  CHECK(content(folder.path / "sub/target") == "two");
  CHECK(fs::is_symlink(folder.path / "link"));
  fs::create_symlink("loop", folder.path / "loop");
  CHECK_THAT(refusal("x", folder.path / "loop"), contains_text("cannot write"));
}

TEST_CASE("a failure names path and reason and leaves no file") {
  temporary_folder folder;
  CHECK_THAT(refusal("x", folder.path / "no/such/r.json"), contains_text("no/such/r.json: No such file or directory"));
  CHECK_THAT(refusal("x", folder.path), contains_text("Is a directory"));
  CHECK(refusal("x", "/dev/full") == "cannot write /dev/full: No space left on device");
  CHECK(folder.entry_count() == 0);
}

TEST_CASE("a path with control characters is made visible in the error") {
  CHECK_THAT(refusal("x", "/no\x1b[31m\n/r"), contains_text("/no\\x1b[31m\\n/r"));
}

TEST_CASE("a pipe is written to directly") {
  temporary_folder folder;
  auto const path = folder.path / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string received;
  std::thread reader([&] { received = content(path); });
  write_file("through the pipe", path.string());
  reader.join();
  CHECK(received == "through the pipe");
  CHECK(fs::is_fifo(path));
}

TEST_CASE("/dev/fd/N is the open descriptor, at its offset") {
  temporary_folder folder;
  auto const path = folder.path / "out";
  int const descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(::write(descriptor, "before ", 7) == 7);
  write_file("report", "/dev/fd/" + std::to_string(descriptor));
  REQUIRE(::write(descriptor, " after", 6) == 6);
  ::close(descriptor);
  CHECK(content(path) == "before report after");
}

TEST_CASE("a report is read from the file that it was written to") {
  temporary_folder folder;
  auto const path = (folder.path / "r.json").string();
  pasta::write_json_file(pasta_test::full_report(), path);
  CHECK(pasta::to_json(pasta::read_json_file(path)) == pasta::to_json(pasta_test::full_report()));
  write_file("{", path);
  try {
    pasta::read_json_file(path);
    FAIL("a damaged file was read");
  } catch (report_error const& e) {
    CHECK_THAT(e.what(), contains_text("r.json: cut short"));
  }
  CHECK_THROWS_AS(pasta::read_json_file((folder.path / "none").string()), report_error);
  CHECK_THROWS_AS(pasta::read_json_file(folder.path.string()), report_error);
  CHECK_THROWS_AS(pasta::read_json_file("/dev/zero"), report_error);
}
