/* SPDX-FileCopyrightText: The PASTA authors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A tool's shared library as `pasta` sees it: its description and nothing else. */
#ifdef BLOCK_TOOL
#define DESCRIPTION                                                                                                    \
  "{\"tool\": \"block_tool\", \"summary\": \"\", \"pasta_version\": \"0.1.0\", \"routes\": [\"probe\"], \"options\": " \
  "[], "                                                                                                               \
  "\"events\": [\"memory_access\", \"block_exit\", \"kernel_end\"]}"
#endif
#ifndef DESCRIPTION
#define DESCRIPTION                                                                                            \
  "{\"tool\": \"fake_tool\", \"summary\": \"does nothing\", \"pasta_version\": \"0.1.0\", \"events\": [], "    \
  "\"routes\": [\"probe\"], \"options\": [{\"name\": \"sector_bytes\", \"default\": \"32\", \"help\": \"size " \
  "[bytes]\", "                                                                                                \
  "\"minimum\": \"1\", \"maximum\": 128}, {\"name\": \"mode\", \"default\": \"fast\", \"help\": \"how\"}]}"
#endif

#ifdef NO_DESCRIPTION
int other_library = 1;
#else
char const* pasta_tool_description(void) { return DESCRIPTION; }
#endif
