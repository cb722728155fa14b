/* Preloaded (LD_PRELOAD) into proftap by soak.py: each second what was freed is given back to the system, and the bytes that are
 * in use (all arenas, and what malloc() mapped) are written to the file $PT_HEAP_FOLDER/PID, in decimal. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *look(void *fd)
{
	for (;; sleep(1)) {
		struct mallinfo2 now;
		char text[32];

		malloc_trim(0);
		now = mallinfo2();
		snprintf(text, sizeof(text), "%-20zu\n", now.uordblks + now.hblkhd);
		if (pwrite((int)(long)fd, text, 21, 0) != 21)
			return NULL;
	}
}

__attribute__((constructor)) static void begin(void)
{
	const char *folder = getenv("PT_HEAP_FOLDER");
	char path[4096];
	pthread_t thread;
	int fd;

	if (folder == NULL)
		return;
	snprintf(path, sizeof(path), "%s/%d", folder, (int)getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0 && pthread_create(&thread, NULL, look, (void *)(long)fd) == 0)
		pthread_detach(thread);
}
