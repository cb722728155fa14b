/* Any text as the address of a probe, with any settings: opened, or refused with a sentence. The first line is the address, each
 * further one a setting. Nothing outside is touched: name servers and hosts are not there, USB has two made-up devices, and
 * addresses that open an instrument or write a file are left out. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/util.h"
#include "probes/links/links.h"
#include "probes/registry.h"
#include "probes/wires/jtag_chain.h"

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes);

enum { MOST_BYTES = 700 };	/* the C library's of a name are 255 */

static void must(bool so)
{
	if (!so)
		abort();
}

/* --- in the place of the network and of USB ------------------------------------------------------------------------ */

int getaddrinfo(const char *restrict node, const char *restrict service, const struct addrinfo *restrict hints,
		struct addrinfo **restrict found)
{
	(void)hints;
	must(node != NULL && service != NULL);
	*found = NULL;
	return EAI_NONAME;
}

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	(void)fd;
	(void)to;
	(void)len;
	errno = ECONNREFUSED;
	return -1;
}

static int list_devices(const struct pt_probe_ops *const *drivers, size_t n_drivers, struct pt_link_found *out,
			size_t max, struct pt_err *err)
{
	(void)err;
	for (size_t i = 0; i < 2 && i < n_drivers && i < max; i++) {
		out[i] = (struct pt_link_found){ .driver = drivers[i], .usb_vid = 1, .usb_pid = (uint16_t)i, .permitted = i == 0 };
		strcpy(out[i].serial, "1");	/* as clones have it */
		snprintf(out[i].usb_path, sizeof(out[i].usb_path), "1-%zu", i);
		strcpy(out[i].product, "CMSIS-DAP");
	}
	return 2;
}

static struct pt_link *open_device(const struct pt_link_found *found, struct pt_err *err)
{
	pt_fail(err, PT_EBUSY, "%s: another program has it", found->usb_path);
	return NULL;
}

const struct pt_link_kind pt_bulk_kind = { "bulk", list_devices, open_device };
const struct pt_link_kind pt_hid_kind = { "hid", list_devices, open_device };

/* --- an input ------------------------------------------------------------------------------------------------------ */

static bool is_left_out(const char *uri)
{
	return (strncmp(uri, "swo:", 4) == 0 && strncmp(uri, "swo:tcp:", 8) != 0) ||
	       (strncmp(uri, "logic:", 6) == 0 && (strstr(uri, ".sr") == NULL || strstr(uri, "driver") != NULL)) ||
	       strstr(uri, "log=") != NULL || strstr(uri, "elf=") != NULL || strstr(uri, "faults-from=") != NULL;
}

/* Each setting goes to whichever table knows it. */
static void add_setting(struct pt_params *settings, const char *word)
{
	pt_params_add(settings, pt_probe_params, pt_n_probe_params, word, NULL);
	pt_params_add(settings, pt_jtag_params, pt_n_jtag_params, word, NULL);
	for (size_t i = 0; i < pt_n_probe_drivers; i++)
		pt_params_add(settings, pt_probe_drivers[i]->params, pt_probe_drivers[i]->n_params, word, NULL);
}

static void open_one(const char *uri, const struct pt_params *settings)
{
	struct pt_err err = { 0 };
	struct pt_probe *probe = pt_probe_open(uri, settings, &err);
	char where[200];
	size_t demo_bytes;

	must(probe != NULL || (err.code < 0 && err.msg[0] != '\0'));
	pt_probe_close(probe);
	if (pt_probe_where(uri, where, sizeof(where)))
		must(memchr(where, '\0', sizeof(where)) != NULL);
	pt_probe_demo(uri, &demo_bytes);
	err = (struct pt_err){ 0 };
	must(pt_probe_check_uri(uri, &err) == 0 || err.msg[0] != '\0');
}

static void check_virtual(void *arg, const char *uri)
{
	must(pt_probe_check_uri(uri, NULL) == 0);
	*(bool *)arg = true;
}

static void list_probes(void)
{
	struct pt_probe_found found[4];
	struct pt_err err = { 0 };

	must(pt_probe_list(found, PT_LEN(found), &err) == 2);	/* each is reached in two ways */
	for (size_t i = 0; i < 2; i++)
		must(strstr(found[i].uri, ":usb=1-") != NULL);	/* as both have one serial number */
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t in_bytes)
{
	static bool checked;
	struct pt_params *settings;
	char *text, *at, *uri;

	if (in_bytes > MOST_BYTES)
		return 0;
	text = calloc(in_bytes + 1, 1);
	if (text == NULL)
		return 0;
	memcpy(text, in, in_bytes);
	at = text;
	uri = strsep(&at, "\n");
	if (!checked)
		pt_probe_each_virtual(check_virtual, &checked);
	settings = pt_params_new();
	for (char *word; (word = strsep(&at, "\n")) != NULL;)
		add_setting(settings, word);
	list_probes();
	if (!is_left_out(uri))
		open_one(uri, settings);
	pt_params_free(settings);
	free(text);
	return 0;
}
