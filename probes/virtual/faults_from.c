/* Faults that come while a board runs, for who tests what is in front of it: a FIFO is looked at before each packet from
 * the host, in the thread that carries packets out. So a fault hits the packet or transfer that it names, and a board
 * without the key pays nothing. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/log.h"
#include "probes/virtual/setup.h"

static void tell_end(struct pt_vrig *rig)
{
	if (rig->faults_told)
		pt_info("virtual board: the fault %s is over", rig->faults_line);
	rig->faults_told = false;
}

/* Both ends, so that it has no end when who writes goes. */
int pt_vrig_open_faults(struct pt_vrig *rig, const char *path, struct pt_err *err)
{
	struct stat what;

	rig->faults_fd = path != NULL ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
	if (path == NULL)
		return 0;
	if (rig->faults_fd >= 0 && fstat(rig->faults_fd, &what) == 0 && S_ISFIFO(what.st_mode))
		return 0;
	pt_vrig_close_faults(rig);
	return pt_fail(err, PT_EARG, "faults-from: %s is no FIFO that can be opened", path);
}

void pt_vrig_close_faults(struct pt_vrig *rig)
{
	if (rig->faults_fd >= 0)
		close(rig->faults_fd);
	rig->faults_fd = -1;
	tell_end(rig);
}

static void take_line(struct pt_vrig *rig)
{
	struct pt_err err;

	rig->faults_line[rig->faults_len] = '\0';
	rig->faults_len = 0;
	rig->faults_told = pt_vfaults_from_now(&rig->faults, rig->faults_line, &err) == 0;
	if (!rig->faults_told)
		pt_error("virtual board: %s", err.msg);
}

static void take_bytes(struct pt_vrig *rig)
{
	char byte;

	while (read(rig->faults_fd, &byte, 1) == 1) {
		if (byte == '\n')
			take_line(rig);
		else if (rig->faults_len < sizeof(rig->faults_line) - 1)
			rig->faults_line[rig->faults_len++] = byte;
	}
}

enum pt_vfault pt_vrig_fault(struct pt_vrig *rig)
{
	if (rig->faults_fd >= 0)
		take_bytes(rig);
	if (pt_vfaults_are_over(&rig->faults))
		tell_end(rig);
	return pt_vfault_of_packet(&rig->faults, rig->faults.packets + 1);
}
