# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# Fails if more than three lines differ between BEFORE and AFTER, or none.
execute_process(COMMAND diff "${BEFORE}" "${AFTER}" OUTPUT_VARIABLE difference RESULT_VARIABLE status)
if(NOT status EQUAL 1)
  message(FATAL_ERROR "diff ended with ${status}: 1 was expected, the files differ")
endif()
message("${difference}")
foreach(side IN ITEMS "<" ">")
  string(REGEX MATCHALL "\n${side} " changed "\n${difference}")
  list(LENGTH changed count)
  if(count GREATER 3)
    message(FATAL_ERROR "${count} lines begin with ${side}: at most 3 may")
  endif()
endforeach()
