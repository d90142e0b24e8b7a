// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "modules.hpp"

#include <algorithm>
#include <pasta/instrument/ptx/module_state.hpp>
#include <utility>

#include "image.hpp"

namespace pasta::hip_runtime {

namespace {

// Code without a state is left out.
void read_codes(module_record& module, void const* image, std::size_t bytes = unlimited) {
  for (code_object const& object : read_code_objects(image, module.why_not, bytes)) {
    collecting::image_names const names = collecting::read_image(object.image);
    if (names.ids.empty()) continue;
    instrumented_code& made = module.codes.emplace_back();
    made.target = object.target;
    for (std::string const& id : names.ids) {
      std::string_view const table = collecting::read_variable(object.image, std::string(ptx::sites_prefix) + id);
      made.parts.push_back({id, std::string(table), nullptr});
    }
  }
}

}  // namespace

instrumented_code* module_record::code_for(std::string_view device_target) {
  auto const found = std::find_if(codes.begin(), codes.end(),
                                  [&](instrumented_code const& each) { return can_run(each.target, device_target); });
  return found == codes.end() ? nullptr : &*found;
}

module_list& module_list::all() {
  static auto* const one = new module_list;
  return *one;
}

void module_list::add_registered(void** handle, void const* image) {
  std::lock_guard const lock(mutex_);
  module_record& made = modules_.emplace_back();
  made.handle = handle;
  made.image = image;
}

// The image may be gone once it is loaded.
void module_list::add_loaded(module_record::origin from, void const* loaded, void const* image, std::size_t bytes) {
  module_record read;
  read_codes(read, image, bytes);
  std::lock_guard const lock(mutex_);
  module_record& made = modules_.emplace_back(std::move(read));
  made.from = from;
  made.loaded = loaded;
}

module_record& module_list::of_program() {
  if (program_ == nullptr) {
    program_ = &modules_.emplace_back();
    program_->from = module_record::origin::program;
    program_->codes.emplace_back();
  }
  return *program_;
}

void module_list::add_program_state(void* state, std::string_view table) {
  std::lock_guard const lock(mutex_);
  of_program().codes.front().parts.push_back({"", std::string(table), state});
}

void module_list::add_kernel(module_record* module, void const* function, std::string_view name) {
  if (module != nullptr) kernels_[function] = {module, std::string(name)};
}
void module_list::add_registered_kernel(void** handle, void const* function, std::string_view name) {
  std::lock_guard const lock(mutex_);
  add_kernel(find_registered(handle), function, name);
}
void module_list::add_loaded_kernel(module_record::origin from, void const* loaded, void const* function,
                                    std::string_view name) {
  std::lock_guard const lock(mutex_);
  add_kernel(find_loaded(from, loaded), function, name);
}
void module_list::add_other_handle(void const* function, void const* known) {
  std::lock_guard const lock(mutex_);
  auto const found = kernels_.find(known);
  if (found != kernels_.end()) kernels_.insert_or_assign(function, known_kernel(found->second));
}
void module_list::add_program_kernel(void const* function, std::string_view name) {
  std::lock_guard const lock(mutex_);
  add_kernel(&of_program(), function, name);
}

std::optional<known_kernel> module_list::find(void const* function) {
  std::lock_guard const lock(mutex_);
  auto const found = kernels_.find(function);
  return found == kernels_.end() ? std::nullopt : std::optional(found->second);
}

// Libraries have much code for many GPUs, most of which is never launched: not before it is.
module_record& module_list::read(module_record& module) {
  std::lock_guard const lock(mutex_);
  if (void const* const image = std::exchange(module.image, nullptr)) read_codes(module, image);
  return module;
}

module_record* module_list::find_registered(void** handle) {
  auto const found = std::find_if(modules_.begin(), modules_.end(), [&](module_record const& each) {
    return !each.is_gone && each.from == module_record::origin::registered && each.handle == handle;
  });
  return found == modules_.end() ? nullptr : &*found;
}
module_record* module_list::find_loaded(module_record::origin from, void const* loaded) {
  auto const found = std::find_if(modules_.begin(), modules_.end(), [&](module_record const& each) {
    return !each.is_gone && each.from == from && each.loaded == loaded;
  });
  return found == modules_.end() ? nullptr : &*found;
}

void module_list::forget(module_record& module) {
  module.is_gone = true;
  std::erase_if(kernels_, [&](auto const& each) { return each.second.module == &module; });
}
module_record* module_list::registered_gone(void** handle) {
  std::lock_guard const lock(mutex_);
  module_record* const module = find_registered(handle);
  if (module != nullptr) forget(*module);
  return module;
}
module_record* module_list::loaded_gone(module_record::origin from, void const* loaded) {
  std::lock_guard const lock(mutex_);
  module_record* const found = find_loaded(from, loaded);
  if (found != nullptr) forget(*found);
  return found;
}

}  // namespace pasta::hip_runtime
