// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "installed_tools.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include <find_ptxas.hpp>
#include <pasta/report/visible.hpp>
#include "command.hpp"
#include "elf_table.hpp"

namespace pasta::cli {

namespace {

using nlohmann::json;

std::string text_of(json const& object, char const* name) {
  auto const found = object.find(name);
  if (found == object.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::vector<std::string> texts_of(json const& object, char const* name) {
  std::vector<std::string> texts;
  auto const found = object.find(name);
  if (found == object.end() || !found->is_array()) return texts;
  for (json const& entry : *found) {
    if (entry.is_string()) texts.push_back(entry.get<std::string>());
  }
  return texts;
}

bool is_number(std::string const& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

std::optional<double> number_of(json const& object, char const* name) {
  auto const found = object.find(name);
  if (found == object.end()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  std::string const text = found->is_string() ? found->get<std::string>() : "";
  return is_number(text) ? std::optional<double>(std::strtod(text.c_str(), nullptr)) : std::nullopt;
}

tool_option option_of(json const& described) {
  tool_option option;
  option.name = option_spelling(text_of(described, "name"));
  option.default_value = text_of(described, "default");
  option.help = text_of(described, "help");
  option.minimum = number_of(described, "minimum");
  option.maximum = number_of(described, "maximum");
  auto const value = described.find("default");
  bool const is_text = value != described.end() && value->is_string() && !is_number(option.default_value);
  option.is_number = option.minimum || option.maximum || (value != described.end() && value->is_number()) ||
                     (!is_text && is_number(option.default_value));
  return option;
}

/// @throws command_error
tool_description describe(std::string const& path) {
  std::string const shown = visible(path);
  if (std::string const damage = elf_damage(path); !damage.empty())
    throw command_error(fmt::format("{}: {}", shown, damage));
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays: its text is in use until the end
  if (library == nullptr) {
    std::string reason = ::dlerror();
    if (reason.compare(0, path.size(), path) == 0) reason = reason.substr(std::min(reason.size(), path.size() + 2));
    throw command_error(fmt::format("{}: cannot be loaded: {}", shown, visible(reason)));
  }
  auto const ask = reinterpret_cast<char const* (*)()>(::dlsym(library, "pasta_tool_description"));
  if (ask == nullptr)
    throw command_error(fmt::format("{}: not a PASTA tool (it has no pasta_tool_description)", shown));
  char const* const text = ask();
  json const described = json::parse(text == nullptr ? "" : text, nullptr, false);
  if (!described.is_object() || text_of(described, "tool").empty()) {
    throw command_error(fmt::format("{}: its pasta_tool_description() is not the JSON of a tool", shown));
  }
  tool_description tool;
  tool.tool = text_of(described, "tool");
  tool.summary = text_of(described, "summary");
  tool.pasta_version = text_of(described, "pasta_version");
  tool.events = texts_of(described, "events");
  tool.counts = texts_of(described, "counts");
  tool.routes = texts_of(described, "routes");
  tool.path = path;
  auto const options = described.find("options");
  if (options != described.end() && options->is_array()) {
    for (json const& option : *options) {
      if (option.is_object()) tool.options.push_back(option_of(option));
    }
  }
  return tool;
}

std::vector<std::string> search_folders() {
  std::vector<std::string> folders = ptxas::folders_in("PASTA_TOOL_PATH");
  std::string const own = own_folder();
  if (!own.empty()) folders.push_back((std::filesystem::path(own).parent_path() / "lib/pasta/tools").string());
  return folders;
}

}  // namespace

std::string own_folder() {
  std::error_code error;
  auto const program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : program.parent_path().string();
}

std::string own_package_folder() {
  std::error_code error;
  auto const prefix = std::filesystem::path(own_folder()).parent_path();
  std::vector<std::filesystem::path> folders{prefix, prefix / "lib/cmake/pasta", prefix / "lib64/cmake/pasta"};
  for (std::filesystem::directory_iterator entry(prefix / "lib", error), end; !error && entry != end;
       entry.increment(error)) {
    folders.push_back(entry->path() / "cmake/pasta");  // lib/x86_64-linux-gnu
  }
  for (auto const& folder : folders) {
    std::error_code no_file;
    if (std::filesystem::exists(folder / "pasta-config.cmake", no_file)) return folder.string();
  }
  return "";
}

std::string option_spelling(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

tool_description const* installed_tools::find(std::string const& tool) const {
  auto const found =
      std::find_if(tools.begin(), tools.end(), [&](tool_description const& t) { return t.tool == tool; });
  return found == tools.end() ? nullptr : &*found;
}

std::vector<std::string> installed_tools::names() const {
  std::vector<std::string> result;
  for (tool_description const& tool : tools) result.push_back(tool.tool);
  return result;
}

installed_tools find_installed_tools() {
  installed_tools installed;
  installed.folders = search_folders();
  for (std::string const& folder : installed.folders) {
    std::error_code error;
    std::vector<std::string> files;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().extension() == ".so") files.push_back(entry->path().string());
    }
    std::sort(files.begin(), files.end());
    for (std::string const& file : files) {
      try {
        tool_description tool = describe(file);
        if (installed.find(tool.tool) == nullptr) installed.tools.push_back(std::move(tool));
      } catch (command_error const& e) {
        installed.problems.emplace_back(e.what());
      }
    }
  }
  std::sort(installed.tools.begin(), installed.tools.end(),
            [](tool_description const& a, tool_description const& b) { return a.tool < b.tool; });
  return installed;
}

}  // namespace pasta::cli
