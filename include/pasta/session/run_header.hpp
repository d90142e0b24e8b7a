// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the report says about the machine, the build and the process.
#ifndef PASTA_SESSION_RUN_HEADER_HPP
#define PASTA_SESSION_RUN_HEADER_HPP

#include <sys/utsname.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <pasta/config.hpp>
#include <pasta/report/model.hpp>
#include <pasta/session/settings.hpp>
#include <sstream>

// The flags of the program's build, where the build system tells (pasta_instrument does).
#ifndef PASTA_COMPILER_FLAGS
#define PASTA_COMPILER_FLAGS ""
#endif

namespace pasta::detail {

inline std::string read_small_file(char const* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The value of the first line that begins with `key`, without what separates it: key="value", key : value.
inline std::string value_of(std::string const& text, std::string_view key) {
  std::size_t begin = text.rfind(key, 0) == 0 ? 0 : text.find(fmt::format("\n{}", key));
  if (begin == std::string::npos) return "";
  begin = text.find_first_of("=:", begin);
  if (begin == std::string::npos) return "";
  begin = text.find_first_not_of("=:\" \t", begin);
  std::size_t const end = text.find_first_of("\"\n", begin);
  return begin == std::string::npos ? "" : text.substr(begin, end - begin);
}

inline std::vector<std::string> command_line(settings const& set) {
  // pasta run's words are separated by the ASCII unit separator, the system's by zeros.
  bool const is_given = !set.command.empty();
  std::string const text = is_given ? set.command : read_small_file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t const end = std::min(text.find(is_given ? '\x1f' : '\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

inline std::string host_name() {
  utsname system{};
  return ::uname(&system) == 0 ? system.nodename : "";
}

inline std::string program_name() {
  std::string name(4096, '\0');
  ssize_t const size = ::readlink("/proc/self/exe", name.data(), name.size());
  name.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return name.substr(name.rfind('/') + 1);
}

inline std::string utc_date() {
  std::time_t const now = std::time(nullptr);
  std::tm parts{};
  char text[32] = "";
  if (::gmtime_r(&now, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// The machine's NVIDIA GPU and driver, as its kernel module tells without any library; "" where there is none. Several
// GPUs: the first, and how many.
inline void find_gpu(report_header& header, std::string const& folder = "/proc/driver/nvidia") {
  std::error_code none;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator gpu(folder + "/gpus", none), end; gpu != end; gpu.increment(none)) {
    if (count++ == 0) header.gpu = value_of(read_small_file((gpu->path() / "information").c_str()), "Model");
  }
  if (count > 1) header.gpu += fmt::format(" (and {} more)", count - 1);
  // NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep 23 ...
  std::istringstream words(value_of(read_small_file((folder + "/version").c_str()), "NVRM version"));
  for (std::string word; header.driver.empty() && words >> word;) {
    bool const is_version =
        word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') < word.size() - 1;
    if (is_version) header.driver = word;
  }
}

/// Everything but wall_ns and what ran the kernels.
inline report_header make_header(settings const& set) {
  report_header header;
  header.command = command_line(set);
  header.pid = static_cast<std::uint64_t>(::getpid());
  header.host_name = host_name();
  header.route = PASTA_PROGRAM_ROUTE;
  header.pasta_version = PASTA_VERSION;
  utsname system{};
  std::string const release = value_of(read_small_file("/etc/os-release"), "PRETTY_NAME");
  header.os = ::uname(&system) == 0 ? fmt::format("{} ({} {} {})", release.empty() ? "unknown" : release,
                                                  system.sysname, system.release, system.machine)
                                    : release;
  header.cpu = value_of(read_small_file("/proc/cpuinfo"), "model name");
  header.compiler = PASTA_COMPILER;
  header.compiler_flags = PASTA_COMPILER_FLAGS;
  header.date = utc_date();
  find_gpu(header);
  return header;
}

/// A report's path from its template.
/// @throw usage_error for a % that is followed by nothing known
inline std::string expand_path(std::string_view pattern, std::string_view tools) {
  std::string path;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      path += pattern[i];
      continue;
    }
    switch (i + 1 < pattern.size() ? pattern[++i] : '\0') {
      case 'p':
        path += std::to_string(::getpid());
        break;
      case 'h':
        path += host_name();
        break;
      case 't':
        path += tools;
        break;
      case 'e':
        path += program_name();
        break;
      case '%':
        path += '%';
        break;
      default:
        throw usage_error(fmt::format("PASTA_OUTPUT={}: after % comes p, h, t, e or %", visible(pattern)));
    }
  }
  return path;
}

}  // namespace pasta::detail
#endif
