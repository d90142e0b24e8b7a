// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "toolkit_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include <command.hpp>
#include <pasta/config.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include "find_ptxas.hpp"

namespace pasta::ptxas {

namespace {

namespace fs = std::filesystem;

// Tells such a folder from others, and one that is out of date from one that is not.
constexpr char stamp_name[] = "pasta-toolkit-view.txt";

[[noreturn]] void fail(fs::path const& at, std::string const& why) {
  throw cli::command_error(fmt::format("cannot make {}: {}", visible(at.native()), why));
}

/// Changes whenever a file is added to the folder, taken away or replaced.
std::string identity_of(fs::path const& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "missing";
  return fmt::format("{}:{}:{}.{:09}", status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string make_stamp(fs::path const& toolkit, fs::path const& drop_in) {
  return fmt::format("pasta {}\nptxas nvlink\ntoolkit {}\nbin {}\ntop {}\nnvcc.profile {}\ndrop-in {}\n", PASTA_VERSION,
                     visible(toolkit.native()), identity_of(toolkit / "bin"), identity_of(toolkit),
                     identity_of(toolkit / "bin" / "nvcc.profile"), visible(drop_in.native()));
}

std::string read_text(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string read_stamp(fs::path const& folder) { return read_text(folder / stamp_name); }

void link_entries(fs::path const& from, fs::path const& to) {
  for (fs::directory_entry const& entry : fs::directory_iterator(from)) {
    fs::path const name = entry.path().filename();
    if (name == "bin" && entry.is_directory()) continue;
    fs::create_symlink(entry.path(), to / name);
  }
}

/// The toolkit's profile with the toolkit's own folder: headers have their own names in dependencies and line tables,
/// which stay right when the view is gone.
std::string make_profile(fs::path const& toolkit) {
  std::string const profile = read_text(toolkit / "bin" / "nvcc.profile");
  constexpr std::string_view mark = "$(_HERE_)/..";
  std::string made;
  std::size_t begin = 0;
  for (auto at = profile.find(mark); at != std::string::npos; at = profile.find(mark, begin)) {
    made += profile.substr(begin, at - begin) + toolkit.native() + "/bin/..";
    begin = at + mark.size();
  }
  return made + profile.substr(begin);
}

void fill(fs::path const& folder, fs::path const& toolkit, fs::path const& drop_in, std::string const& stamp) {
  link_entries(toolkit, folder);
  fs::path const bin = folder / "bin";
  fs::create_directory(bin);
  link_entries(toolkit / "bin", bin);
  for (std::string const name : {"ptxas", "nvlink"}) {
    if (!fs::exists(toolkit / "bin" / name)) continue;
    fs::remove(bin / name);
    fs::create_symlink(drop_in, bin / name);
    fs::path const real = bin / (name + std::string(real_suffix));
    fs::remove(real);
    fs::create_symlink(toolkit / "bin" / name, real);
  }
  // nvcc looks for the rest of the toolkit from where its profile really is.
  if (fs::exists(toolkit / "bin" / "nvcc.profile")) {
    fs::remove(bin / "nvcc.profile");
    write_file(make_profile(toolkit), bin / "nvcc.profile");
  }
  write_file(stamp, folder / stamp_name);
}

/// A folder that is taken away again, with all in it, whatever is there then.
class temporary_folder {
 public:
  explicit temporary_folder(fs::path const& beside) : path_(beside.native() + ".XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) fail(beside, std::generic_category().message(errno));
    // mkdtemp makes it for its owner alone.
    mode_t const mask = ::umask(0);
    ::umask(mask);
    ::chmod(path_.c_str(), 0777 & ~mask);
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  std::string const& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

void make_toolkit_view(fs::path const& toolkit, fs::path const& drop_in, fs::path const& at) {
  try {
    std::error_code error;
    fs::path const real_toolkit = fs::canonical(toolkit, error);
    for (char const* const name : {"bin/nvcc", "bin/ptxas"}) {
      if (!error && fs::exists(real_toolkit / name)) continue;
      fail(at, fmt::format("{} is no CUDA toolkit, it has no {}", visible(toolkit.native()), name));
    }
    if (fs::exists(real_toolkit / stamp_name)) {
      fail(at, fmt::format("{} is such a folder itself; name the toolkit", visible(toolkit.native())));
    }
    fs::path const program = fs::canonical(drop_in);
    fs::path target = fs::absolute(at).lexically_normal();
    if (target.filename().empty()) target = target.parent_path();  // `view/`
    std::string const stamp = make_stamp(real_toolkit, program);
    if (read_stamp(target) == stamp) return;

    temporary_folder const made(target);
    fill(made.path(), real_toolkit, program, stamp);
    if (std::rename(made.path().c_str(), target.c_str()) == 0) return;
    int const rename_error = errno;
    std::string const there = read_stamp(target);
    if (there == stamp) return;  // another process was quicker
    if (there.empty()) {
      bool const is_there = rename_error == ENOTEMPTY || rename_error == EEXIST || rename_error == ENOTDIR;
      fail(at, is_there ? "something else is there" : std::generic_category().message(rename_error));
    }
    if (::renameat2(AT_FDCWD, made.path().c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) {
      fail(at, fmt::format("the old one cannot be replaced: {}", std::generic_category().message(errno)));
    }
  } catch (std::system_error const& e) {
    fail(at, visible(e.what()));
  }
}

}  // namespace pasta::ptxas
