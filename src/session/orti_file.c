#include "session/orti_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/named_file.h"
#include "host/whole_file.h"

struct pt_orti *pt_orti_file(const char *path, struct pt_err *err)
{
	size_t len_bytes;
	uint8_t *text = pt_file_read(path, PT_ORTI_MAX_BYTES, &len_bytes, err);
	struct pt_orti *orti = text != NULL ? pt_orti_parse((const char *)text, len_bytes, err) : NULL;

	if (text == NULL)
		pt_advise(err, "generators of OSEK or AUTOSAR systems write it, often as NAME.ort");
	else if (orti == NULL)
		pt_wrap(err, "%s", path);
	free(text);
	return orti;
}

static int write_all(int fd, const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return -1;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int pt_orti_save(const struct pt_orti *orti, const char *path, struct pt_err *err)
{
	char *text = pt_orti_write(orti);
	int fd, failed;

	if (text == NULL)
		return pt_fail(err, PT_ENOMEM, "no memory");
	fd = pt_named_open(path, O_WRONLY | O_CREAT | O_EXCL, PT_NAMED_FILE);
	failed = fd < 0 ? -fd : write_all(fd, text) < 0 ? errno : 0;
	if (fd >= 0 && close(fd) < 0 && failed == 0)
		failed = errno;
	if (fd >= 0 && failed != 0)
		pt_named_remove(path);
	free(text);
	if (fd < 0 && failed == EEXIST)
		return pt_fail(err, PT_EARG, "%s exists, and is not overwritten: name a new file", path);
	return failed != 0 ? pt_fail(err, PT_EIO, "write %s: %s", path, pt_named_why(failed)) : 0;
}
