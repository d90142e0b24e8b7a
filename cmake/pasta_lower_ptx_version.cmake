# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# Gives PTX the lowest .version with which ptxas takes it, so that older ptxas and drivers take it too.
#
#   cmake -Dhook=FILE -Doutput=FILE -Dnvcc=PROGRAM -Darchitecture=75 -P pasta_lower_ptx_version.cmake
file(READ "${hook}" text)
string(REGEX MATCH "\n\\.version ([0-9.]+)" found "${text}")
set(own "${CMAKE_MATCH_1}")
if(NOT found)
  message(FATAL_ERROR "${hook} has no .version")
endif()
get_filename_component(folder "${nvcc}" DIRECTORY)
find_program(ptxas NAMES ptxas.real ptxas HINTS "${folder}" NO_DEFAULT_PATH)
if(NOT ptxas)
  find_program(ptxas ptxas)
endif()
set(chosen "${own}")
foreach(version IN ITEMS 6.3 6.4 6.5 7.0 7.1 7.3 7.5 7.8 8.0 8.2 8.4 8.6)
  if(NOT ptxas OR NOT version VERSION_LESS own)
    break()
  endif()
  string(REPLACE "\n.version ${own}" "\n.version ${version}" lowered "${text}")
  file(WRITE "${hook}" "${lowered}")
  execute_process(COMMAND "${ptxas}" -arch=sm_${architecture} -c "${hook}" -o "${hook}.o"
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  file(REMOVE "${hook}.o")
  if(status EQUAL 0)
    set(chosen "${version}")
    break()
  endif()
endforeach()
string(REPLACE "\n.version ${own}" "\n.version ${chosen}" text "${text}")
file(WRITE "${hook}" "${text}")
file(RENAME "${hook}" "${output}")
