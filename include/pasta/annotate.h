/* SPDX-FileCopyrightText: The PASTA authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Marks parts of a program for PASTA's reports, from C99 and C++. Nothing to link (before glibc 2.34 libdl): each
 * function calls into PASTA if PASTA is in the program, or if `pasta run` names its library for the route ptx
 * (PASTA_ANNOTATIONS). Without both it costs two tests.
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

#include <dlfcn.h>
#include <stdlib.h>

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

/* The same functions of the library that PASTA_ANNOTATIONS names. Not to be used directly. */
struct pasta_detail_functions {
  void (*push)(char const*);
  void (*pop)(void);
  void (*step)(void);
  void (*start)(void);
  void (*stop)(void);
  int (*is_attached)(void);
};

/* Looks for them at the first call, and loads the library: the driver will, but ranges may begin before.
 * Returns null if there are none. */
static inline struct pasta_detail_functions const* pasta_detail_library(void) {
  static struct pasta_detail_functions functions;
  static struct pasta_detail_functions const* found;
  static int is_known;
  if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
    /* Two threads may come here at once; they find the same. */
    char const* const path = getenv("PASTA_ANNOTATIONS");
    static char const* const names[] = {"pasta_annotate_push_v1", "pasta_annotate_pop_v1", "pasta_step_v1",
                                        "pasta_start_v1",         "pasta_stop_v1",         "pasta_is_attached_v1"};
    void** const places[] = {(void**)(void*)&functions.push, (void**)(void*)&functions.pop,
                             (void**)(void*)&functions.step, (void**)(void*)&functions.start,
                             (void**)(void*)&functions.stop, (void**)(void*)&functions.is_attached};
    if (path && *path) {
      void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      unsigned i = 0;
      while (library && i < sizeof names / sizeof names[0] && (*places[i] = dlsym(library, names[i]))) ++i;
      if (i == sizeof names / sizeof names[0]) __atomic_store_n(&found, &functions, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&is_known, 1, __ATOMIC_RELEASE);
  }
  return __atomic_load_n(&found, __ATOMIC_ACQUIRE);
}

/* Begins a range on the calling thread. Ranges nest: a range begun inside another belongs to it.
 * name: copied before the function returns; a null pointer counts as "". */
static inline void pasta_annotate_push(char const* name) {
  struct pasta_detail_functions const* const library = pasta_detail_library();
  if (pasta_annotate_push_v1) pasta_annotate_push_v1(name ? name : "");
  if (library) library->push(name ? name : "");
}

/* Ends the innermost range of the calling thread. */
static inline void pasta_annotate_pop(void) {
  struct pasta_detail_functions const* const library = pasta_detail_library();
  if (pasta_annotate_pop_v1) pasta_annotate_pop_v1();
  if (library) library->pop();
}

/* Marks the end of a step of the whole process: a training step, a time step, an iteration. Call it from one thread. */
static inline void pasta_step(void) {
  struct pasta_detail_functions const* const library = pasta_detail_library();
  if (pasta_step_v1) pasta_step_v1();
  if (library) library->step();
}

/* Switches the analysis of launches on, for the whole process. It is on when the program starts. */
static inline void pasta_start(void) {
  struct pasta_detail_functions const* const library = pasta_detail_library();
  if (pasta_start_v1) pasta_start_v1();
  if (library) library->start();
}

/* Switches the analysis of launches off, for the whole process, until pasta_start(). Launches made meanwhile run as
 * without PASTA, and are counted as sampled out. Calls do not nest: one pasta_start() undoes any number of them. */
static inline void pasta_stop(void) {
  struct pasta_detail_functions const* const library = pasta_detail_library();
  if (pasta_stop_v1) pasta_stop_v1();
  if (library) library->stop();
}

/* 1 if PASTA is in this program and a tool is attached, else 0. */
static inline int pasta_is_attached(void) {
  struct pasta_detail_functions const* const library = pasta_detail_library();
  return (pasta_is_attached_v1 && pasta_is_attached_v1()) || (library && library->is_attached()) ? 1 : 0;
}

#ifdef __cplusplus
}
#endif
#endif
