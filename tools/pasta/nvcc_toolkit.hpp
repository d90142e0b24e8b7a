// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where `pasta nvcc` finds NVIDIA's compiler, and what it puts in front of it.
#ifndef PASTA_TOOLS_PASTA_NVCC_TOOLKIT_HPP
#define PASTA_TOOLS_PASTA_NVCC_TOOLKIT_HPP

#include <filesystem>
#include <string>

namespace pasta::cli {

struct found_nvcc {
  std::string path;
  std::string reason;  ///< how it was found: `CUDA_HOME`
};

/// @param wanted a path or a name, "" to look in this order: CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda
/// @param reason who wants it
/// @throws command_error: exit code 127 if there is none, 126 if the wanted one cannot be executed
found_nvcc find_nvcc(std::string const& wanted, std::string const& reason);

/// The variable that keeps a script named nvcc, which calls `pasta nvcc`, from being found by that once more. Its value
/// is nvcc_is_asked where that shall be the plain nvcc, and tell where that is.
inline constexpr char nvcc_chain_variable[] = "PASTA_NVCC_CHAIN";
inline constexpr char nvcc_is_asked[] = "ask";

/// Whether it is a script, which may call another nvcc.
bool is_script(std::string const& program);

/// The toolkit that an nvcc belongs to. A script is asked, by --dryrun. @throws command_error if that has no ptxas
std::filesystem::path toolkit_of(found_nvcc const& nvcc);

/// What an installation or a build tree has beside the running program.
struct build_files {
  std::filesystem::path stand_in;    ///< pasta_ptxas
  std::filesystem::path built_with;  ///< the header with the entry for `pasta list`
};

/// @throws command_error if the installation is not whole
build_files find_build_files();

/// A folder of this user's for what is made once: pasta in XDG_CACHE_HOME or ~/.cache.
/// @return "" if it cannot be written
std::filesystem::path cache_folder();

/// A path of the header that nvcc's -include takes. It takes none with an apostrophe: the header is then copied to
/// cache_folder() or to a folder of this user's in TMPDIR.
std::filesystem::path includable(std::filesystem::path const& header);

/// The nvcc of a view of the toolkit whose ptxas is the stand-in. The view is made if it is not there, in
/// cache_folder() or, where that cannot be written, in a folder of this user's in TMPDIR. Many may do this at once.
/// @throws command_error if it can be made in neither
std::filesystem::path instrumenting_nvcc(std::filesystem::path const& toolkit, std::filesystem::path const& stand_in);

/// The architecture of this machine's GPU, if there is one that nvcc knows: sm_90. The one of least capability, if they
/// differ: the others run its PTX. The driver's answer is kept in cache_folder() until the machine is started again.
/// @return "" if there is none
std::string own_architecture(std::string const& nvcc);

}  // namespace pasta::cli
#endif
