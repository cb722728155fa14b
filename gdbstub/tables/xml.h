/* The documents GDB reads about a target, made from the target's own tables. Board thread. */
#ifndef PT_GDBSTUB_XML_H
#define PT_GDBSTUB_XML_H

#include <stdio.h>

#include "session/os_threads.h"
#include "targets/contract/target.h"

void pt_gdb_xml_text(FILE *out, const char *text);	/* with the characters escaped that XML requires */
bool pt_gdb_target_xml(FILE *out, struct pt_target *target);
bool pt_gdb_memory_map_xml(FILE *out, struct pt_target *target);
void pt_gdb_threads_xml(FILE *out, const struct pt_gdb_thread_list *list);

#endif
