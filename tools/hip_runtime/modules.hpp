// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_MODULES_HPP
#define PASTA_TOOLS_HIP_RUNTIME_MODULES_HPP

#include <hip/hip_runtime_api.h>

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "offload_bundle.hpp"

namespace pasta::hip_runtime {

/// The instrumented code of one kind of GPU in a module.
struct instrumented_code {
  std::string target;  ///< "" for any
  struct part {        ///< a pasta_state_<id>, of each object that the code was linked from
    std::string id;
    std::string table;      ///< as it is kept, text or packed
    void* state = nullptr;  ///< where device memory is the host's; else the runtime is asked
  };
  std::vector<part> parts;
};

/// What the program registered or loaded as one: kernels in it call no code of other modules.
struct module_record {
  enum class origin {
    registered,  ///< compiled into the program or a library of it
    loaded,      ///< by hipModuleLoad and its kin
    library,     ///< by hipLibraryLoadData and its kin
    program      ///< its kernels are functions of the program (pasta_hip_add_module)
  };
  origin from = origin::registered;
  void** handle = nullptr;       ///< of a registered one
  void const* image = nullptr;   ///< of a registered one, until it is read
  void const* loaded = nullptr;  ///< of a loaded one or a library: a hipModule_t or hipLibrary_t
  bool is_gone = false;

  std::vector<instrumented_code> codes;
  std::string why_not;  ///< nothing is known of its code: half a line
  /// [id]: what the runtime takes for the host's copy of the state's variable.
  std::map<std::string, std::unique_ptr<char[]>> shadows;

  /// That runs on a device with this name, or null.
  instrumented_code* code_for(std::string_view device_target);
};

/// A kernel as the program launches it.
struct known_kernel {
  module_record* module = nullptr;
  std::string name;
};

/// All modules and kernels of the process. Filled before main too, from constructors that may run before this library's
/// own. Any thread; no call of the runtime is made.
class module_list {
 public:
  /// The process's, never destroyed.
  static module_list& all();

  void add_registered(void** handle, void const* image);
  /// @param from loaded or library @param loaded its handle @param bytes of the image that may be read
  void add_loaded(module_record::origin from, void const* loaded, void const* image, std::size_t bytes = unlimited);
  void add_program_state(void* state, std::string_view table);

  void add_registered_kernel(void** handle, void const* function, std::string_view name);
  void add_loaded_kernel(module_record::origin from, void const* loaded, void const* function, std::string_view name);
  /// The runtime has another handle for a kernel that is known.
  void add_other_handle(void const* function, void const* known);
  void add_program_kernel(void const* function, std::string_view name);

  std::optional<known_kernel> find(void const* function);
  /// With its code read, as far as it is instrumented.
  module_record& read(module_record& module);
  /// Forgets its kernels: their handles may come again. @return the module, or null
  module_record* registered_gone(void** handle);
  module_record* loaded_gone(module_record::origin from, void const* loaded);

 private:
  void add_kernel(module_record* module, void const* function, std::string_view name);
  module_record* find_registered(void** handle);
  module_record* find_loaded(module_record::origin from, void const* loaded);
  module_record& of_program();
  void forget(module_record& module);

  std::mutex mutex_;
  std::deque<module_record> modules_;
  std::unordered_map<void const*, known_kernel> kernels_;
  module_record* program_ = nullptr;
};

}  // namespace pasta::hip_runtime
#endif
