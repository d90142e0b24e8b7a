// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Patches that return at once, of every kind that a tool may ask for: what the vendor's interface costs by itself.
//
//   nvcc -ptx -rdc=true -arch=compute_75 -std=c++20 -O3 -DFMT_USE_CONSTEXPR=1 -I include -I SANITIZER/include \
//     benchmarks/patch_route/empty_patch.cu -o empty.ptx
//   nvcc --fatbin --compile-as-tools-patch -arch=native empty.ptx -o empty.patch.fatbin
#define PASTA_DETAIL_HOOK
#define PASTA_DETAIL_PATCH
#include <sanitizer_patching.h>

#include <pasta/instrument/cuda/patch.hpp>

/// Handles nothing that an instruction does.
struct nothing : pasta::tool<nothing> {
  using events = pasta::events<pasta::synchronization>;
  static void on_synchronization(pasta::context<nothing>&, pasta::synchronization const&) {}
  void report(pasta::results<nothing> const&, pasta::report&) const {}
};

PASTA_PATCH(nothing)
