/* vFlash: GDB's `load` erases whole blocks, writes, and says when it is done; only then the target erases, programs
 * and verifies, so that a load that breaks off changes nothing. GDB reports what it sends ("Loading section .text,
 * size ...", MI: +download), which is before all that. For what comes then the protocol has no place: GDB takes
 * whatever comes first for the answer to vFlashDone, an O packet too. So the progress is in the log, and in monitor
 * status of another client, which is answered meanwhile. */
#include <inttypes.h>

#include "gdbstub/packets/packet.h"
#include "host/log.h"

/* GDB shows a sentence of its own in place of ours: ours is in the log, and in monitor status until a load succeeds. */
static void keep(struct pt_gdb_client *client, const struct pt_err *err)
{
	pt_error("gdb: load: %s", err->msg);
	client->stub->load = *err;
}

static const char while_halted[] = "flash is written while the core is halted, not while it runs";

/* In non-stop a core may be halted, for example by monitor reset halt, before GDB knows it: all_halted() checks the
 * core. */
static bool refused(struct pt_gdb_client *client)
{
	struct pt_err err;

	if (client->inferior.run == PT_GDB_NONSTOP || pt_gdb_is_halted(client))
		return false;
	pt_fail(&err, PT_ESTATE, "%s", while_halted);
	keep(client, &err);
	pt_gdb_reply_sentence(client, &err);
	return true;
}

static void after(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;

	pt_gdb_code_forget(&client->inferior.code);
	if (rc == 0) {
		pt_gdb_reply_text(client, "OK");
		return;
	}
	keep(client, err);
	if (rc == PT_EARG)
		pt_gdb_reply_text(client, "E.memtype");
	else
		pt_gdb_reply_sentence(client, err);
}

/* PT_EUNSUPPORTED, with the target's own reason, where there is no flash. */
static int has_flash(const struct pt_target *target, struct pt_err *err)
{
	if (target->ops->no_flash == NULL)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED, "%s", target->ops->no_flash);
}

static int all_halted(const struct pt_gdb_request *rq, struct pt_target *target, struct pt_err *err)
{
	struct pt_core_status status;
	unsigned n = rq->client->inferior.run == PT_GDB_NONSTOP ? target->ops->n_cores(target->state) : 0;

	for (unsigned core = 0; core < n; core++) {
		if (target->ops->status(target->state, core, &status, err) < 0)
			return err->code;
		if (status.state != PT_HALTED && pt_target_about_core(target, core).away == NULL)
			return pt_fail(err, PT_ESTATE, "%s", while_halted);
	}
	return has_flash(target, err);
}

static int erase(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	if (all_halted(rq, target, err) < 0 || target->ops->flash_erase(target->state, rq->addr, rq->len, err) < 0)
		return pt_wrap(err, "erase flash at 0x%" PRIx64, rq->addr);
	return 0;
}

static void handle_flash_erase(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_request *rq = &client->request;

	if (!pt_rsp_number(args, &rq->addr) || !pt_rsp_take(args, ",") || !pt_rsp_number(args, &rq->len) ||
	    pt_rsp_left(args) != 0)
		pt_gdb_reply_malformed(client);
	else if (!refused(client))
		pt_gdb_post(rq, erase, after);
}

static int write_flash(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	if (all_halted(rq, target, err) < 0 ||
	    target->ops->flash_write(target->state, rq->addr, rq->args.at, pt_rsp_left(&rq->args), err) < 0)
		return pt_wrap(err, "write flash at 0x%" PRIx64, rq->addr);
	return 0;
}

static void handle_flash_write(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_request *rq = &client->request;

	if (!pt_rsp_number(args, &rq->addr) || !pt_rsp_take(args, ":") || pt_rsp_left(args) == 0) {
		pt_gdb_reply_malformed(client);
	} else if (!refused(client)) {
		rq->args = *args;
		pt_gdb_post(rq, write_flash, after);
	}
}

static int done(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	pt_board_tell_program(board);
	if (all_halted(rq, target, err) < 0 ||
	    target->ops->flash_done(target->state, &rq->client->stub->load_progress, err) < 0)
		return pt_wrap(err, "finish flash");
	return 0;
}

static void after_done(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	rq->client->stub->finishes_load = false;
	if (rc == 0) {
		rq->client->stub->load.code = 0;
		pt_info("gdb: load: the flash is finished, and the image is in it");
	}
	after(rq, rc, err);
}

static void handle_flash_done(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	if (refused(client))
		return;
	pt_info("gdb: load: all has come from GDB, now the flash is to be finished");
	pt_progress_set(&client->stub->load_progress, PT_PROGRESS_NONE, 0, 0);
	pt_gdb_post(&client->request, done, after_done);
	client->stub->finishes_load = client->request.pending;
}

const struct pt_packet_row pt_packets_flash[] = {
	{ "vFlashErase:", PT_PACKET_TARGET | PT_PACKET_HALTED | PT_PACKET_CHANGES | PT_PACKET_PROMPT, handle_flash_erase },
	{ "vFlashWrite:", PT_PACKET_TARGET | PT_PACKET_HALTED | PT_PACKET_CHANGES | PT_PACKET_PROMPT, handle_flash_write },
	/* the program appears and disappears */
	{ "vFlashDone", PT_PACKET_TARGET | PT_PACKET_EXACT | PT_PACKET_HALTED | PT_PACKET_CHANGES | PT_PACKET_PROMPT, handle_flash_done },
	{ 0 },
};
