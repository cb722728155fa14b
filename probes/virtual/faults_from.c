/* Faults that come while a board runs, for who tests what is in front of it: a FIFO is looked at before each packet from
 * the host, in the thread that carries packets out. So a fault hits the packet or transfer that it names, and a board
 * without the key pays nothing. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/log.h"
#include "probes/virtual/setup.h"

static void tell_end(struct pt_vsetup *setup)
{
	if (setup->faults_told)
		pt_info("virtual board: the fault %s is over", setup->faults_line);
	setup->faults_told = false;
}

/* Both ends, so that it has no end when who writes goes. */
int pt_vsetup_open_faults(struct pt_vsetup *setup, const char *path, struct pt_err *err)
{
	struct stat what;

	setup->faults_fd = path != NULL ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
	if (path == NULL)
		return 0;
	if (setup->faults_fd >= 0 && fstat(setup->faults_fd, &what) == 0 && S_ISFIFO(what.st_mode))
		return 0;
	pt_vsetup_close_faults(setup);
	return pt_fail(err, PT_EARG, "faults-from: %s is no FIFO that can be opened", path);
}

void pt_vsetup_close_faults(struct pt_vsetup *setup)
{
	if (setup->faults_fd >= 0)
		close(setup->faults_fd);
	setup->faults_fd = -1;
	tell_end(setup);
}

static void take_line(struct pt_vsetup *setup)
{
	struct pt_err err;

	setup->faults_line[setup->faults_len] = '\0';
	setup->faults_len = 0;
	setup->faults_told = pt_vfaults_from_now(&setup->faults, setup->faults_line, &err) == 0;
	if (!setup->faults_told)
		pt_error("virtual board: %s", err.msg);
}

static void take_bytes(struct pt_vsetup *setup)
{
	char byte;

	while (read(setup->faults_fd, &byte, 1) == 1) {
		if (byte == '\n')
			take_line(setup);
		else if (setup->faults_len < sizeof(setup->faults_line) - 1)
			setup->faults_line[setup->faults_len++] = byte;
	}
}

enum pt_vfault pt_vsetup_fault(struct pt_vsetup *setup)
{
	if (setup->faults_fd >= 0)
		take_bytes(setup);
	if (pt_vfaults_are_over(&setup->faults))
		tell_end(setup);
	return pt_vfault_of_packet(&setup->faults, setup->faults.packets + 1);
}
