/* The usbfs ioctls that libusb makes, with the kernel's errors. */
#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "device.h"
#include "usbfs.h"

enum { N_INTERFACES = 8 };

static GMutex lock;
static UMockdevIoctlClient *claimed[N_INTERFACES];

void usbfs_lock(void)
{
	g_mutex_lock(&lock);
}

void usbfs_unlock(void)
{
	g_mutex_unlock(&lock);
}

static void forget_closed_files(void)
{
	urbs_forget_closed();
	for (unsigned i = 0; i < N_INTERFACES; i++)
		if (claimed[i] != NULL && !umockdev_ioctl_client_get_connected(claimed[i]))
			g_clear_object(&claimed[i]);
}

static int claim(UMockdevIoctlClient *client, unsigned interface)
{
	if (!urbs_plugged())
		return ENODEV;
	if (interface >= device->config[4])
		return ENOENT;
	if (claimed[interface] != NULL && claimed[interface] != client)
		return EBUSY;
	g_set_object(&claimed[interface], client);
	return 0;
}

static int release(UMockdevIoctlClient *client, unsigned interface)
{
	if (interface >= N_INTERFACES || claimed[interface] != client)
		return EINVAL;
	g_clear_object(&claimed[interface]);
	return 0;
}

/* What was wrong ends with the session that met it: as if the user had put it right. */
static void begin_session(UMockdevIoctlClient *client)
{
	static UMockdevIoctlClient *last;

	if (client == last)
		return;
	g_set_object(&last, client);
	urbs_begin_session();
}

static int clear_halt(unsigned endpoint)
{
	if (!urbs_plugged())
		return ENODEV;
	urbs_clear_halt(endpoint);
	return 0;
}

static int reset(void)
{
	urbs_reset();
	return urbs_plugged() ? 0 : ENODEV;
}

static int perform(UMockdevIoctlClient *client, gulong request, UMockdevIoctlData *arg)
{
	gsize size = _IOC_SIZE(request);
	UMockdevIoctlData *data = size > 0 ? umockdev_ioctl_data_resolve(arg, 0, size, NULL) : NULL;
	int error;

	switch (request) {
	case USBDEVFS_GET_CAPABILITIES:
		*(guint32 *)data->data =
			USBDEVFS_CAP_ZERO_PACKET | USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
		return 0;
	case USBDEVFS_CLAIMINTERFACE:
	case USBDEVFS_DISCONNECT_CLAIM:		/* the interface comes first in its struct, too */
		error = claim(client, *(guint *)data->data);
		if (error == 0)
			begin_session(client);
		return error;
	case USBDEVFS_RELEASEINTERFACE:
		return release(client, *(guint *)data->data);
	case USBDEVFS_GETDRIVER:
	case USBDEVFS_IOCTL:			/* detach or attach a kernel driver: there is none */
		return ENODATA;
	case USBDEVFS_SETCONFIGURATION:
	case USBDEVFS_SETINTERFACE:
		return urbs_plugged() ? 0 : ENODEV;
	case USBDEVFS_RESET:
		return reset();
	case USBDEVFS_CLEAR_HALT:
		return clear_halt(*(guint *)data->data);
	case USBDEVFS_SUBMITURB:
		return urbs_submit(client, data);
	case USBDEVFS_DISCARDURB:
		return urbs_discard(client, *(gulong *)arg->data);
	case USBDEVFS_REAPURB:
	case USBDEVFS_REAPURBNDELAY:
		return urbs_reap(client, data);
	default:
		fprintf(stderr, "%s: unknown ioctl %lx\n", device->name, request);
		return ENOTTY;
	}
}

static gboolean on_ioctl(UMockdevIoctlBase *self, UMockdevIoctlClient *client)
{
	int error;

	(void)self;
	g_mutex_lock(&lock);
	forget_closed_files();
	error = perform(client, umockdev_ioctl_client_get_request(client), umockdev_ioctl_client_get_arg(client));
	g_mutex_unlock(&lock);
	umockdev_ioctl_client_complete(client, error == 0 ? 0 : -1, error);
	return TRUE;
}

typedef struct { UMockdevIoctlBase parent; } PtForeignUsbfs;		/* GObject wants typedefs */
typedef struct { UMockdevIoctlBaseClass parent; } PtForeignUsbfsClass;
static GType pt_foreign_usbfs_get_type(void);
G_DEFINE_TYPE(PtForeignUsbfs, pt_foreign_usbfs, UMOCKDEV_TYPE_IOCTL_BASE)

static void pt_foreign_usbfs_init(PtForeignUsbfs *self)
{
	(void)self;
}

static void pt_foreign_usbfs_class_init(PtForeignUsbfsClass *class)
{
	class->parent.handle_ioctl = on_ioctl;
}

UMockdevIoctlBase *usbfs_new(void)
{
	return g_object_new(pt_foreign_usbfs_get_type(), NULL);
}
