/* SPDX-FileCopyrightText: The PASTA authors
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PASTA_TESTS_ANNOTATE_USER_H
#define PASTA_TESTS_ANNOTATE_USER_H

/* A program part that annotates itself, compiled as C99 and as C++: calls each function of pasta/annotate.h once, with
 * the names "outer", "" and a null pointer. Returns what pasta_is_attached() said. */
#ifdef __cplusplus
extern "C" {
#endif
int annotate_from_c(void);
int annotate_from_cpp(void);
#ifdef __cplusplus
}
#endif

#endif
