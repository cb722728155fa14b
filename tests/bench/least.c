/* See least.h. The words that come are thrown away: the packets are what counts. */
#include "tests/bench/least.h"

#include <stdlib.h>

#include "base/util.h"

static int submit_one(struct pt_probe *probe, const struct pt_probe_info *info, unsigned n_words, uint64_t deadline_ns,
		      struct pt_err *err)
{
	uint8_t request[8] = { 0x06, 0, 0, 0, 0x0f };	/* TransferBlock, read DRW. Source: CMSIS-DAP, DAP_TransferBlock */

	pt_put_le16(request + 2, (uint16_t)n_words);
	return pt_link_submit(pt_probe_link(probe), request, info->link.fixed_packets ? sizeof(request) : 5,
			      deadline_ns, err);
}

uint64_t least_ns(struct pt_probe *probe, unsigned n_words, struct pt_err *err)
{
	struct pt_link *link = pt_probe_link(probe);
	uint8_t *response = malloc(PT_LINK_MAX_PACKET_BYTES);
	uint64_t before = pt_link_now_ns(link), deadline_ns = before + 60 * PT_NS_PER_S;
	unsigned most, outstanding = 0;
	struct pt_probe_info info;
	int rc = 0;

	pt_probe_info(probe, &info);
	most = (unsigned)(info.packet_bytes - 4) / 4;
	while (rc >= 0 && (n_words > 0 || outstanding > 0)) {
		if (n_words > 0 && outstanding < info.packet_count) {
			unsigned n = n_words < most ? n_words : most;

			rc = submit_one(probe, &info, n, deadline_ns, err);
			n_words -= n;
			outstanding++;
		} else {
			rc = pt_link_receive(link, response, PT_LINK_MAX_PACKET_BYTES, deadline_ns, err);
			outstanding--;
		}
	}
	free(response);
	return rc < 0 ? 0 : pt_link_now_ns(link) - before;
}
