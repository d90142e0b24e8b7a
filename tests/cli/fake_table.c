/* SPDX-FileCopyrightText: The PASTA authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A program that says it was built with tools (TABLE), and runs the script named by FAKE_PROGRAM. */
#include <stdlib.h>
#include <unistd.h>

#ifndef TABLE
#define TABLE "probe\taccess_count\t0.1.0\0probe\tcoalescing\t0.1.0\0probe\taccess_count+coalescing\t0.1.0"
#endif

__attribute__((used, section(".pasta_tools"), aligned(1))) static char const table[] = TABLE;

int main(int count, char** values) {
  (void)count;
  values[0] = getenv("FAKE_PROGRAM");
  if (values[0] == NULL) return 99;
  execv(values[0], values);
  return 98;
}
