// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_IMAGES_HPP
#define PASTA_TOOLS_PTX_RUNTIME_IMAGES_HPP

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "image.hpp"

namespace pasta::ptx {

/// The instrumented images that were loaded: which ids may a module have that has a certain function? Any thread, also
/// from within the driver: never waits for it.
class loaded_images {
 public:
  void add(collecting::image_names names) {
    if (names.ids.empty()) return;
    std::lock_guard const lock(mutex_);
    for (std::string& function : names.functions) {
      std::vector<std::string>& ids = ids_of_[std::move(function)];
      for (std::string const& id : names.ids) {
        bool is_known = false;
        for (std::string const& known : ids) is_known = is_known || known == id;
        if (!is_known) ids.push_back(id);
      }
    }
  }
  /// Of all images with such a function; a module has some of them, or none.
  std::vector<std::string> ids_of(std::string const& function) const {
    std::lock_guard const lock(mutex_);
    auto const found = ids_of_.find(function);
    return found == ids_of_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::vector<std::string>> ids_of_;
};

}  // namespace pasta::ptx
#endif
