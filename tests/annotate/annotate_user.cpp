// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "annotate_user.h"

#include <pasta/annotate.h>

int annotate_from_cpp() {
  pasta_start();
  pasta_annotate_push("outer");
  pasta_annotate_push("");
  pasta_annotate_push(nullptr);
  pasta_annotate_pop();
  pasta_annotate_pop();
  pasta_annotate_pop();
  pasta_step();
  pasta_stop();
  return pasta_is_attached();
}
