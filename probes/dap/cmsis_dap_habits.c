/* CMSIS-DAP devices as they are sold: what they are known to get wrong, one row each with where that was reported, and
 * a trial of what they claim. "Packets outstanding" and "packet size" are claims of the firmware's author, and the
 * protocol has no way to take them back. */
#include <string.h>

#include "base/util.h"
#include "host/log.h"
#include "probes/dap/cmsis_dap.h"

/* --- known quirks --------------------------------------------------------------------------------------------------- */

/* What needs no flag, because the rules that hold for all devices cover it:
 *   DAPLink 0254, 0255      say the firmware's version as the protocol's          pyOCD pulls 1173, 1203; cmsis_dap.c
 *   EDBG 03.25.01B6         the same                                              pyOCD issue 1143
 *   KitProg3                class 0 for its bulk interface, and HID beside it     probes/links/bulk_find.c, hid.c
 *   EDBG and its like       HID reports of 512 bytes at full speed                probe-rs pulls 590, 721, 3744; hid_report.c
 *   Debug Probe, picoprobe  hang at a Disconnect without a Connect                debugprobe issue 88, probe-rs issues
 *                                                                                 1849, 2950: none is sent
 *   MCU-Link, LPC-Link2     several HID interfaces                                pyOCD pull 783; hid.c, by usage page
 *   WCH-Link                its name alone says it; no endpoint for SWO           probe-rs issues 995, 2045, 3094; ch32fun
 *                                                                                 issue 227 (numbers); usb[] of
 *                                                                                 cmsis_dap.c, bulk_find.c
 *   rv003usb (1209:d003)    claims 64 bytes by endpoints of 8                     pyOCD issue 1825: the report's size holds
 *   LPC-Link2 (DAPLink)     ends no transfer of SWO whose bytes fill its packets  probe-rs issue 448: each transfer is one
 *                                                                                 packet (cmsis_dap_swo.c)
 *   dap42, rust-dap, CH552  take a clock and go on with their own                 dap42 issue 35, rust-dap issue 24:
 *                                                                                 proftap probes --measure shows it
 *   ORBTrace                refuses clocks below some 200 kHz                     orbtrace issue 22: said in words
 *   full speed, 512 bytes   packets longer than one of USB                        CMSIS_5 issue 1593, pyOCD pull 767,
 *                                                                                 DAPLink issue 1105: tried
 *   1 packet, claims more   clones                                                tried, below */
static const struct quirk {
	const char *name;		/* as people call it */
	uint16_t vid, pid, release_below;	/* 0: any; release: bcdDevice */
	const char *product;		/* a part of the product string; NULL: any */
	bool hid_only;			/* its bulk interface is right */
	unsigned flags;
	const char *source;
} quirks[] = {
	{ "Atmel-ICE, EDBG, mEDBG, nEDBG, JTAGICE3, Power Debugger", 0x03eb, 0, 0, NULL, false,
	  PT_DAP_QUIRK_CLOCK_AFTER_SEQUENCE | PT_DAP_QUIRK_DISCONNECT_FIRST,
	  "OpenOCD cmsis_dap.c; edbg" },
	{ "Raspberry Pi Debug Probe before 2.2.0", 0x2e8a, 0x000c, 0x0220, NULL, false,
	  PT_DAP_QUIRK_OLD_FIRMWARE | PT_DAP_QUIRK_ONE_PACKET, "raspberrypi/debugprobe issue 46, pull 47" },
	{ "YAPicoprobe by HID", 0x2e8a, 0x000c, 0, "YAPicoprobe", true, PT_DAP_QUIRK_ONE_PACKET,
	  "rgrr/yapicoprobe pull 199" },
	{ "Keil ULINK-ME", 0xc251, 0, 0, "ULINK-ME", false, PT_DAP_QUIRK_DISCONNECT_FIRST,
	  "OpenOCD cmsis_dap.c, comment at the reconnect" },
	{ "nanoDAP", 0, 0, 0, "nanoDAP", false, PT_DAP_QUIRK_ONE_PACKET,
	  "UNVERIFIED: no public thread names it; pyOCD has cmsis_dap.limit_packets for such" },
};

static bool quirk_fits(const struct quirk *quirk, const struct pt_link_info *link)
{
	return (quirk->vid == 0 || quirk->vid == link->usb_vid) && (quirk->pid == 0 || quirk->pid == link->usb_pid) &&
	       (quirk->release_below == 0 || link->usb_release < quirk->release_below) &&
	       (quirk->product == NULL || strstr(link->product, quirk->product) != NULL) &&
	       (!quirk->hid_only || link->fixed_packets);
}

unsigned pt_cmsis_dap_quirks_of(const struct pt_link_info *link)
{
	unsigned flags = 0;

	for (size_t i = 0; i < PT_LEN(quirks); i++) {
		if (!quirk_fits(&quirks[i], link))
			continue;
		flags |= quirks[i].flags;
		pt_debug(PT_LOG_USB, "cmsis-dap: %s: as %s is known to be (%s)", link->product, quirks[i].name,
			 quirks[i].source);
	}
	return flags;
}

/* --- claims, tried -------------------------------------------------------------------------------------------------- */

enum { FULL_SPEED_MBPS = 12, FULL_SPEED_BYTES = 64, HIGH_SPEED_BYTES = 512, PADDING = 0xff,
       AGAIN_MS = 180 };	/* for an answer behind one that did not come: a mute probe is given up within 1 s */

static const char *name_of(const struct pt_cmsis_dap *dap)
{
	return dap->link_info.product[0] != '\0' ? dap->link_info.product : "the probe";
}

/* Of one packet of USB: what every bulk device takes whole. */
static size_t usb_bytes(const struct pt_cmsis_dap *dap)
{
	return dap->link_info.usb_mbps == FULL_SPEED_MBPS ? FULL_SPEED_BYTES : HIGH_SPEED_BYTES;
}

static bool spans(const struct pt_cmsis_dap *dap)
{
	return strcmp(dap->link_info.transport, "bulk") == 0 && dap->limits.packet_bytes > usb_bytes(dap);
}

/* A device that reads a long packet in pieces takes each piece for a command, and answers it; this is none. */
static int send_question(struct pt_cmsis_dap *dap, uint8_t id, bool long_one, struct pt_err *err)
{
	size_t len_bytes = long_one ? dap->limits.packet_bytes : 2;

	memset(dap->out, PADDING, len_bytes);
	dap->out[0] = DAP_INFO;
	dap->out[1] = id;
	return pt_cmsis_dap_send(dap, len_bytes, pt_link_now_ns(dap->link) + PT_CMSIS_DAP_ANSWER_MS * PT_NS_PER_MS,
				 err);
}

static int take_said(struct pt_cmsis_dap *dap, struct pt_cmsis_dap_said *said, struct pt_err *err)
{
	int n = pt_cmsis_dap_take_answer(dap, DAP_INFO, 2, err);

	if (n < 0)
		return n;
	if (dap->in[1] > n - 2 || dap->in[1] > sizeof(said->bytes))
		return pt_fail(err, PT_EPROTO, "the probe's information is cut short");
	said->len_bytes = dap->in[1];
	memcpy(said->bytes, dap->in + 2, said->len_bytes);
	return 0;
}

/* Behind a long question nothing follows before its answer: so it is known which of the two claims is wrong. */
static int ask_together(struct pt_cmsis_dap *dap, const uint8_t *ids, size_t n, struct pt_cmsis_dap_said *said,
			struct pt_err *err)
{
	bool long_one = spans(dap);
	int rc = pt_cmsis_dap_settle(dap, err);
	size_t sent = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		for (; rc == 0 && sent < n && sent - i < (long_one && i == 0 ? 1 : dap->depth); sent++)
			rc = send_question(dap, ids[sent], long_one && sent == 0, err);
		if (rc == 0)
			rc = take_said(dap, &said[i], err);
	}
	if (rc == 0 && said[0].len_bytes > 2)	/* capabilities are one byte or two: these are another question's */
		rc = pt_fail(err, PT_EPROTO, "the probe's answers are not in the order of the questions");
	return rc;
}

void pt_cmsis_dap_one_at_a_time(struct pt_cmsis_dap *dap)
{
	pt_warn("cmsis-dap: %s says that it takes %u packets at a time, but loses some: now one at a time, which is slower "
		"(--set limit-packets=1 begins so)",
		name_of(dap), dap->depth);
	dap->depth = 1;
}

/* The claim that is wrong; false: there is none left. */
static bool lower_claims(struct pt_cmsis_dap *dap)
{
	if (spans(dap)) {
		pt_warn("cmsis-dap: %s says that it takes packets of %zu bytes, but does not: now %zu", name_of(dap),
			dap->limits.packet_bytes, usb_bytes(dap));
		dap->limits.packet_bytes = usb_bytes(dap);
		pt_link_set_packet_bytes(dap->link, dap->limits.packet_bytes);
		return true;
	}
	if (dap->depth > 1) {
		pt_cmsis_dap_one_at_a_time(dap);
		return true;
	}
	return false;
}

static bool may_be_claim(int rc)
{
	return rc == PT_ETIMEOUT || rc == PT_EPROTO || rc == PT_EUNSUPPORTED;
}

/* Answers that are still under way look like those that will come: all of them are thrown away first. */
static int ask_again(struct pt_cmsis_dap *dap, const uint8_t *ids, size_t n, struct pt_cmsis_dap_said *said,
		     struct pt_err *err)
{
	int rc = pt_cmsis_dap_drain(dap, err);

	dap->owed = dap->asked = 0;
	dap->lost_ahead = false;	/* it is accounted for */
	dap->answer_ms = AGAIN_MS;
	rc = rc < 0 ? rc : ask_together(dap, ids, n, said, err);
	dap->answer_ms = 0;
	return rc;
}

int pt_cmsis_dap_ask_as_claimed(struct pt_cmsis_dap *dap, const uint8_t *ids, size_t n, struct pt_cmsis_dap_said *said,
				struct pt_err *err)
{
	struct pt_err first = { 0 };
	int rc = ask_together(dap, ids, n, said, &first);

	if (may_be_claim(rc) && (spans(dap) || dap->depth > 1) && ask_again(dap, ids, n, said, err) == 0) {
		*err = first;	/* a fault that passed: no claim is wrong, and the caller may try again */
		return rc;
	}
	*err = first;
	while (may_be_claim(rc) && lower_claims(dap))
		rc = ask_again(dap, ids, n, said, err);
	return rc;
}
