// A policy behind the endpoints that evaluation harnesses and our own remote policy speak:
// /v1/models, /v1/chat/completions, /v1/completions, /tokenize, /detokenize, and, where the queue
// can load weights, /update_weights_from_disk.
#pragma once

#include "redqueen/net/router.h"
#include "redqueen/serve/policy_queue.h"

namespace redqueen::serve {

// `queue` outlives the router. A request waits on a worker thread: the server has as many workers
// as requests are to be asked together. Streams are sent token by token, where the queue has a
// TokenPolicy; the text of a chat in which tools are offered comes at its end, since it may be
// calls.
void add_policy_routes(net::Router& router, PolicyQueue& queue);

}  // namespace redqueen::serve
