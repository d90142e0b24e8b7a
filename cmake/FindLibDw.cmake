# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# Finds libdw (elfutils): LibDw_FOUND and the target LibDw::LibDw.
find_path(LibDw_INCLUDE_DIR elfutils/libdw.h)
find_library(LibDw_LIBRARY dw)
mark_as_advanced(LibDw_INCLUDE_DIR LibDw_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibDw REQUIRED_VARS LibDw_LIBRARY LibDw_INCLUDE_DIR)

if(LibDw_FOUND AND NOT TARGET LibDw::LibDw)
  add_library(LibDw::LibDw UNKNOWN IMPORTED)
  set_target_properties(LibDw::LibDw PROPERTIES
    IMPORTED_LOCATION "${LibDw_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LibDw_INCLUDE_DIR}")
endif()
