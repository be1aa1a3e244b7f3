// The page and the API of runs as routes of a server.
#pragma once

#include <filesystem>

#include "redqueen/net/router.h"

namespace redqueen::watch {

// Adds to `router`, for the runs below `folder`:
//   GET /runs/                     the page, and /runs/page.js, …, which it loads
//   GET /v1/runs, /v1/runs/{view}  runs_api.h
//   GET /v1/runs/events            server-sent events: one at first, and one whenever a run moves
void add_run_routes(net::Router& router, const std::filesystem::path& folder);

// Adds GET /, which leads to the page, for a server that has nothing else to show.
void add_start_page(net::Router& router);

}  // namespace redqueen::watch
