// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "memory_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <pasta/report/write_file.hpp>

namespace pasta::ptxas {

namespace {

[[noreturn]] void fail(char const* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

memory_file::memory_file() : descriptor_(::memfd_create("pasta-ptx", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail("cannot make a file in memory");
}

memory_file::memory_file(std::string_view text) : memory_file() { append(text); }

memory_file::memory_file(memory_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

memory_file& memory_file::operator=(memory_file&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

memory_file::~memory_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string memory_file::name(opened_by who) const {
  if (who == opened_by::the_child_itself) return fmt::format("/proc/self/fd/{}", descriptor_);
  return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_);
}

void memory_file::append(std::string_view text) {
  if (int const error = detail::write_all(descriptor_, text); error != 0) {
    errno = error;
    fail("cannot write a file in memory");
  }
}

void memory_file::append_all_of(int descriptor) {
  std::array<char, 65536> buffer;
  while (true) {
    ssize_t const count = ::read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return;
    if (count < 0 && errno != EINTR) fail("cannot read");
    if (count > 0) append({buffer.data(), static_cast<std::size_t>(count)});
  }
}

std::string memory_file::read() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("cannot read a file in memory");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t done = 0; done < text.size();) {
    ssize_t const count = ::pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (count == 0 || (count < 0 && errno != EINTR)) fail("cannot read a file in memory");
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return text;
}

void memory_file::rewind() const { ::lseek(descriptor_, 0, SEEK_SET); }

}  // namespace pasta::ptxas
