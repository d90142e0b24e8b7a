/* SPDX-FileCopyrightText: The PASTA authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Marks parts of a program for PASTA's reports, from C99 and C++. Nothing to link: each function calls into PASTA if
 * PASTA is in the program, and does nothing else if it is not, which costs one test of a constant address.
 *
 *   pasta_annotate_push("forward");   a range of the calling thread; launches inside it are reported apart
 *   ...
 *   pasta_annotate_pop();
 *   pasta_step();                     the end of a training step, a time step, an iteration
 *
 * All functions may be called from any thread, at any time, and never fail. They are for host code.
 * They call the symbols that end in _v1. If PASTA is in the executable and this header is used in a shared library that
 * is loaded at run time, link the executable with -rdynamic (CMake: ENABLE_EXPORTS), so that the library finds them.
 */
#ifndef PASTA_ANNOTATE_H
#define PASTA_ANNOTATE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by PASTA; absent, and then null, in a program without it. Not to be called directly. */
extern void pasta_annotate_push_v1(char const* name) __attribute__((__weak__, __visibility__("default")));
extern void pasta_annotate_pop_v1(void) __attribute__((__weak__, __visibility__("default")));
extern void pasta_step_v1(void) __attribute__((__weak__, __visibility__("default")));
extern void pasta_start_v1(void) __attribute__((__weak__, __visibility__("default")));
extern void pasta_stop_v1(void) __attribute__((__weak__, __visibility__("default")));
extern int pasta_is_attached_v1(void) __attribute__((__weak__, __visibility__("default")));

/* Begins a range on the calling thread. Ranges nest: a range begun inside another belongs to it.
 * name: copied before the function returns; a null pointer counts as "". */
static inline void pasta_annotate_push(char const* name) {
  if (pasta_annotate_push_v1) pasta_annotate_push_v1(name ? name : "");
}

/* Ends the innermost range of the calling thread. */
static inline void pasta_annotate_pop(void) {
  if (pasta_annotate_pop_v1) pasta_annotate_pop_v1();
}

/* Marks the end of a step of the whole process: a training step, a time step, an iteration. Call it from one thread. */
static inline void pasta_step(void) {
  if (pasta_step_v1) pasta_step_v1();
}

/* Switches the analysis of launches on, for the whole process. It is on when the program starts. */
static inline void pasta_start(void) {
  if (pasta_start_v1) pasta_start_v1();
}

/* Switches the analysis of launches off, for the whole process, until pasta_start(). Launches made meanwhile run as
 * without PASTA, and are counted as sampled out. Calls do not nest: one pasta_start() undoes any number of them. */
static inline void pasta_stop(void) {
  if (pasta_stop_v1) pasta_stop_v1();
}

/* 1 if PASTA is in this program and a tool is attached, else 0. */
static inline int pasta_is_attached(void) { return pasta_is_attached_v1 && pasta_is_attached_v1() ? 1 : 0; }

#ifdef __cplusplus
}
#endif
#endif
