/* A probe served on a loop, with a device that takes its time: the loop goes on, and hosts that leave in the midst do not
 * disturb those that come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "fake_cmsis_dap.h"
#include "harness.h"
#include "probes/registry.h"
#include "probes/served/served.h"
#include "scripted_link.h"

enum { SLOW_MS = 300, TICK_MS = 5, HEADER_BYTES = 8 };

static struct fake_cmsis_dap fake;
static struct pt_script script;
static struct pt_probe *probe;
static struct pt_served *served;
static struct pt_vserve *server;
static uv_loop_t loop;
static uv_timer_t tick;
static uint64_t ticked_ns, longest_ns;
static bool slow, unplugs, gone;

static size_t answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	if (slow)
		nanosleep(&(struct timespec){ 0, SLOW_MS * PT_NS_PER_MS }, NULL);
	script.gone |= unplugs;
	return fake_cmsis_dap_answer(arg, request, len_bytes, response, took_ns);
}

static void on_tick(uv_timer_t *timer)
{
	uint64_t now_ns = uv_hrtime();

	(void)timer;
	if (now_ns - ticked_ns > longest_ns)
		longest_ns = now_ns - ticked_ns;
	ticked_ns = now_ns;
}

static void on_gone(void *arg, const struct pt_err *why)
{
	(void)arg;
	ck_assert_ptr_nonnull(strstr(why->msg, "gone"));
	gone = true;
}

static void setup(void)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };

	fake_cmsis_dap_init(&fake, 512, 4);
	memset(&script, 0, sizeof(script));
	script.answer = answer;
	script.arg = &fake;
	script.info = (struct pt_link_info){ .transport = "bulk", .product = "My CMSIS-DAP", .packet_bytes = 4096, .depth = 64 };
	slow = unplugs = gone = false;
	probe = pt_probe_open_link(&pt_cmsis_dap_ops, pt_script_link(&script), settings, &err);
	pt_params_free(settings);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	uv_loop_init(&loop);
	served = pt_served_new(&loop, probe, on_gone, NULL, &err);
	ck_assert_msg(served != NULL, "%s", err.msg);
	server = pt_served_listen(served, &loop, "127.0.0.1:0", 0, &err);
	ck_assert_msg(server != NULL, "%s", err.msg);
	uv_timer_init(&loop, &tick);
	longest_ns = 0;
	ticked_ns = uv_hrtime();
	uv_timer_start(&tick, on_tick, TICK_MS, TICK_MS);
}

static void teardown(void)
{
	uv_close((uv_handle_t *)&tick, NULL);
	pt_vserve_close(server, NULL, NULL);
	pt_served_end(served);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	pt_probe_close(probe);
}

/* --- a host ---------------------------------------------------------------------------------------------------------- */

struct client {
	uv_tcp_t tcp;
	uv_connect_t connecting;
	uv_write_t writing;
	uint8_t out[64], in[256];
	size_t n_out, n_in;
};

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct client *client = handle->data;

	(void)suggested;
	*buf = uv_buf_init((char *)client->in + client->n_in, (unsigned)(sizeof(client->in) - client->n_in));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct client *client = stream->data;

	(void)buf;
	client->n_in += n > 0 ? (size_t)n : 0;
}

static void on_connected(uv_connect_t *connecting, int status)
{
	struct client *client = connecting->data;
	uv_buf_t buf = uv_buf_init((char *)client->out, (unsigned)client->n_out);

	ck_assert_int_eq(status, 0);
	uv_write(&client->writing, (uv_stream_t *)&client->tcp, &buf, 1, NULL);
	uv_read_start((uv_stream_t *)&client->tcp, on_alloc, on_read);
}

static void client_ask(struct client *client, const uint8_t *request, size_t len_bytes)
{
	struct sockaddr_in to;

	*client = (struct client){ .n_out = HEADER_BYTES + len_bytes };
	memcpy(client->out, "DAP\0", 4);
	pt_put_le16(client->out + 4, (uint16_t)len_bytes);
	client->out[6] = 1;
	memcpy(client->out + HEADER_BYTES, request, len_bytes);
	uv_ip4_addr("127.0.0.1", atoi(strrchr(pt_vserve_address(server), ':') + 1), &to);
	uv_tcp_init(&loop, &client->tcp);
	client->tcp.data = client->connecting.data = client;
	uv_tcp_connect(&client->connecting, &client->tcp, (const struct sockaddr *)&to, on_connected);
}

static void run_for(uint64_t ms)
{
	for (uint64_t until_ns = uv_hrtime() + ms * PT_NS_PER_MS; uv_hrtime() < until_ns;)
		uv_run(&loop, UV_RUN_ONCE);
}

static void await_answer(struct client *client)
{
	for (uint64_t until_ns = uv_hrtime() + 20 * PT_NS_PER_S;
	     client->n_in <= HEADER_BYTES && uv_hrtime() < until_ns;)
		uv_run(&loop, UV_RUN_ONCE);
	ck_assert_uint_gt(client->n_in, HEADER_BYTES);
}

static void client_leave(struct client *client)
{
	uv_close((uv_handle_t *)&client->tcp, NULL);
}

static const uint8_t connect_swd[] = { 0x02, 1 }, product[] = { 0x00, 2 };

START_TEST(a_slow_probe_does_not_stop_the_loop)
{
	static struct client client;

	slow = true;
	client_ask(&client, connect_swd, sizeof(connect_swd));
	await_answer(&client);
	ck_assert_mem_eq(client.in + HEADER_BYTES, ((const uint8_t[]){ 0x02, 1 }), 2);
	ck_assert_msg(longest_ns < SLOW_MS * PT_NS_PER_MS / 2, "%llu ms",
		      (unsigned long long)(longest_ns / PT_NS_PER_MS));
	slow = false;
	client_leave(&client);
}
END_TEST

/* Its answer is dropped; the next host's first request waits for the probe. */
START_TEST(a_host_may_leave_in_the_midst)
{
	static struct client first, second;	/* closed by teardown() at last */

	slow = true;
	client_ask(&first, connect_swd, sizeof(connect_swd));
	run_for(50);
	client_leave(&first);
	client_ask(&second, product, sizeof(product));
	await_answer(&second);
	slow = false;
	ck_assert_mem_eq(second.in + HEADER_BYTES, "\0\rMy CMSIS-DAP", 15);
	ck_assert_msg(longest_ns < SLOW_MS * PT_NS_PER_MS / 2, "%llu ms",
		      (unsigned long long)(longest_ns / PT_NS_PER_MS));
	client_leave(&second);
}
END_TEST

START_TEST(an_unplugged_probe_is_reported_without_another_request)
{
	static struct client client;

	unplugs = true;
	client_ask(&client, connect_swd, sizeof(connect_swd));
	await_answer(&client);
	client_leave(&client);
	for (uint64_t until_ns = uv_hrtime() + 20 * PT_NS_PER_S; !gone && uv_hrtime() < until_ns;)
		uv_run(&loop, UV_RUN_ONCE);
	ck_assert(gone);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("served");
	TCase *tc = tcase_create("served");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_slow_probe_does_not_stop_the_loop);
	tcase_add_test(tc, a_host_may_leave_in_the_midst);
	tcase_add_test(tc, an_unplugged_probe_is_reported_without_another_request);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
