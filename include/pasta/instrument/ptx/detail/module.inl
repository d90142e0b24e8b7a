// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of ptx/module.hpp.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_MODULE_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_MODULE_INL

#include <pasta/instrument/ptx/detail/module_reader.inl>
#include <pasta/instrument/ptx/module.hpp>

namespace pasta::ptx {

inline function const* module::find(std::string_view name) const {
  function const* found = nullptr;
  for (function const& f : functions) {
    if (f.name != name) continue;
    if (!f.is_declaration) return &f;
    if (found == nullptr) found = &f;
  }
  return found;
}

inline ptx::module read(std::string_view source) {
  ptx::module result;
  result.source = source;
  detail::module_reader(result).read();
  return result;
}

inline bool looks_like_ptx(std::string_view text) noexcept {
  token_reader reader(text);
  detail::skip_line_marks(reader, text.data() + text.size());
  return reader.next().is(".version");
}

}  // namespace pasta::ptx
#endif
