/* The paths. */
#include "web/web_parts.h"

const struct pt_web_route pt_web_routes[] = {
	{ "GET", "/", pt_web_index, NULL },
	{ "GET", "/api/v1/boards", pt_web_boards, "the boards and what they do, as JSON" },
	{ "GET", "/api/events", pt_web_events, "server-sent events: what boards and profiles do" },
	{ "GET", "/api/v1/boards/*/status", pt_web_status, "one of them" },
	{ "GET", "/api/v1/boards/*/report", pt_web_report,
	  "a report: ?view=functions&sort=self&top=10&format=json, the words of monitor profile report" },
	{ "GET", "/boards/*/profile.*", pt_web_download, "the same as a file: profile.json, profile.pb.gz, profile.csv, ..." },
	{ "GET", "/debug/pprof/", pt_web_pprof_index, NULL },
	{ "GET", "/debug/pprof/profile", pt_web_pprof_only, "the next ?seconds=N of the profile that runs, for go tool pprof" },
	{ "GET", "/boards/*/debug/pprof/profile", pt_web_pprof, "the same, of one of several boards" },
	{ "GET", "/metrics", pt_web_metrics, "figures for Prometheus, as text or OpenMetrics" },
	{ "GET", "/sd", pt_web_targets, "this server for Prometheus (http_sd)" },
	{ "GET", "/healthz", pt_web_health, "200 while the daemon serves" },
	{ "GET", "/readyz", pt_web_ready, "200 if every board is attached, else 503" },
	{ 0 },
};
