# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# pasta_test_example(NAME TOOLS pack REPORTS regex)
#
# Two tests: the example runs as it is, and `pasta run pack -- example` prints a report that matches.
function(pasta_test_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TOOLS;REPORTS" "")
  if(NOT PASTA_BUILD_TESTS)
    return()
  endif()
  add_test(NAME example.${name} COMMAND ${name})
  set_tests_properties(example.${name} PROPERTIES LABELS example TIMEOUT 60)
  if(TARGET pasta)
    add_test(NAME example.${name}.report COMMAND pasta run ${arg_TOOLS} --output "${CMAKE_CURRENT_BINARY_DIR}/${name}.json"
      -- $<TARGET_FILE:${name}>)
    set_tests_properties(example.${name}.report PROPERTIES LABELS example TIMEOUT 60 PASS_REGULAR_EXPRESSION "${arg_REPORTS}")
  endif()
endfunction()
