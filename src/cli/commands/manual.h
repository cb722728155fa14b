/* The parts of the reference that proftap manual prints. */
#ifndef PT_CLI_MANUAL_H
#define PT_CLI_MANUAL_H

/* Calls each with the name of every part. */
void pt_manual_each_part(void (*each)(void *arg, const char *name), void *arg);

#endif
