// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Images are object files of the host: variables are data, and functions only names.
#include <elf.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>

#include "fake_driver.hpp"

namespace fake {

namespace {

struct symbol {
  std::string name;
  bool is_function;
  std::vector<unsigned char> bytes;
};

std::vector<symbol> read_symbols(char const* image) {
  std::vector<symbol> symbols;
  elf_version(EV_CURRENT);
  Elf* const elf = elf_memory(const_cast<char*>(image), image_bytes(image));
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    gelf_getshdr(section, &header);
    if (header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    GElf_Sym each;
    for (int i = 1; gelf_getsym(data, i, &each) != nullptr; ++i) {
      auto const type = GELF_ST_TYPE(each.st_info);
      if ((type != STT_FUNC && type != STT_OBJECT) || each.st_shndx == SHN_UNDEF) continue;
      symbol made{elf_strptr(elf, header.sh_link, each.st_name), type == STT_FUNC, {}};
      made.bytes.resize(each.st_size);
      Elf_Scn* const holder = elf_getscn(elf, each.st_shndx);
      GElf_Shdr of;
      gelf_getshdr(holder, &of);
      if (!made.is_function && of.sh_type == SHT_PROGBITS) {
        Elf_Data* const content = elf_getdata(holder, nullptr);
        std::memcpy(made.bytes.data(), static_cast<char*>(content->d_buf) + each.st_value, each.st_size);
      }
      symbols.push_back(std::move(made));
    }
  }
  elf_end(elf);
  return symbols;
}

}  // namespace

std::size_t image_bytes(char const* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  return header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
}

std::vector<std::string> function_names(char const* image) {
  std::vector<std::string> names;
  for (symbol const& each : read_symbols(image)) {
    if (each.is_function) names.push_back(each.name);
  }
  return names;
}

fake::module* load_module(fake::context* in, char const* image) {
  fake::module* made = nullptr;
  {
    std::lock_guard const lock(all.mutex);
    made = &all.modules.emplace_back();
    made->kind = kind::module;
    made->in = in;
    for (symbol& each : read_symbols(image)) {
      if (each.is_function) {
        made->functions.push_back({{kind::function}, made, each.name});
      } else {
        made->variables[each.name] = std::move(each.bytes);
      }
    }
    // The state refers to its table, as a linker would have it.
    for (auto& [name, bytes] : made->variables) {
      if (name.rfind("pasta_state_", 0) != 0 || bytes.size() < 32) continue;
      auto const table = made->variables.find("pasta_sites_" + name.substr(12));
      if (table == made->variables.end()) continue;
      auto const address = reinterpret_cast<std::uint64_t>(table->second.data());
      std::memcpy(bytes.data() + 24, &address, sizeof address);
    }
  }
  CUpti_ModuleResourceData module{1, image_bytes(image), image};
  CUpti_ResourceData data{};
  data.context = reinterpret_cast<CUcontext>(in);
  data.resourceDescriptor = &module;
  if (all.listener != nullptr) all.listener(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
  if (all.observer != nullptr) all.observer->module_loaded(*made, image);
  return made;
}

fake::function* find_function(fake::module* in, std::string const& name) {
  for (fake::function& each : in->functions) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace fake

using namespace fake;

extern "C" {

CUresult cuModuleLoadData(CUmodule* made, void const* image) {
  *made = reinterpret_cast<CUmodule>(load_module(here(), static_cast<char const*>(image)));
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule given) {
  call told(CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, "cuModuleUnload", &given);
  auto* const gone = as<fake::module>(given, kind::module);
  if (gone == nullptr) return told(CUDA_ERROR_INVALID_HANDLE);
  run_queue(here());
  if (all.observer != nullptr) all.observer->module_ends(*gone);
  gone->variables.clear();
  gone->kind = kind{};
  return told(CUDA_SUCCESS);
}
CUresult cuModuleGetFunction(CUfunction* found, CUmodule given, char const* name) {
  *found = reinterpret_cast<CUfunction>(find_function(as<fake::module>(given, kind::module), name));
  return *found == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule given, char const* name) {
  auto* const asked = as<fake::module>(given, kind::module);
  if (asked == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  auto const found = asked->variables.find(name);
  if (found == asked->variables.end()) return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(found->second.data());
  *bytes = found->second.size();
  return CUDA_SUCCESS;
}
CUresult cuFuncGetModule(CUmodule* found, CUfunction given) {
  auto* const asked = as<fake::function>(given, kind::function);
  if (asked == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *found = reinterpret_cast<CUmodule>(asked->of);
  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(char const** name, CUfunction given) {
  auto* const asked = as<fake::function>(given, kind::function);
  if (asked == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *name = asked->name.c_str();
  return CUDA_SUCCESS;
}
CUresult cuLibraryLoadData(CUlibrary* made, void const* image, CUjit_option*, void**, unsigned, CUlibraryOption*,
                           void**, unsigned) {
  std::lock_guard const lock(all.mutex);
  fake::library& library = all.libraries.emplace_back();
  library.kind = kind::library;
  auto const* const bytes = static_cast<char const*>(image);
  library.image.assign(bytes, image_bytes(bytes));
  for (std::string const& name : function_names(bytes)) library.kernels.push_back({{kind::kernel}, &library, name});
  *made = reinterpret_cast<CUlibrary>(&library);
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetKernel(CUkernel* found, CUlibrary given, char const* name) {
  for (fake::kernel& each : as<fake::library>(given, kind::library)->kernels) {
    if (each.name == name) *found = reinterpret_cast<CUkernel>(&each);
  }
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetModule(CUmodule* found, CUlibrary given) {
  auto* const asked = as<fake::library>(given, kind::library);
  if (asked == nullptr || asked->modules.count(here()) == 0) return CUDA_ERROR_NOT_FOUND;
  *found = reinterpret_cast<CUmodule>(asked->modules[here()]);
  return CUDA_SUCCESS;
}
CUresult cuLibraryUnload(CUlibrary given) {
  call told(CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload, "cuLibraryUnload", &given);
  auto* const gone = as<fake::library>(given, kind::library);
  if (gone == nullptr) return told(CUDA_ERROR_INVALID_HANDLE);
  run_queue(here());
  for (auto& [context, module] : gone->modules) module->variables.clear();
  gone->kind = kind{};
  return told(CUDA_SUCCESS);
}
// Loads late, and tells of it from within this call.
CUresult cuKernelGetFunction(CUfunction* found, CUkernel given) {
  auto* const asked = as<fake::kernel>(given, kind::kernel);
  if (asked == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  fake::module*& module = asked->of->modules[here()];
  if (module == nullptr) module = load_module(here(), asked->of->image.data());
  *found = reinterpret_cast<CUfunction>(find_function(module, asked->name));
  return CUDA_SUCCESS;
}

}  // extern "C"
