/* The systemd journal, when standard error goes there: each message with its priority and the board that it is about, so that
 * `journalctl PROFTAP_BOARD=NAME` finds it. Source: systemd.io/JOURNAL_NATIVE_PROTOCOL, systemd.exec(5) JOURNAL_STREAM. */
#ifndef PT_JOURNAL_H
#define PT_JOURNAL_H

#include <stdbool.h>

bool pt_journal_is_stderr(void);
/* priority: syslog(3)'s, 3 for an error. board: "" for none. False: the journal takes nothing now, or nothing so long; standard error
 * is left. Any thread; never waits (datagram.h). */
bool pt_journal_send(int priority, const char *board, const char *text);

#endif
