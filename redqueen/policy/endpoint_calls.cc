#include "redqueen/policy/endpoint_calls.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <deque>
#include <iterator>
#include <list>
#include <optional>
#include <system_error>
#include <thread>

#include "redqueen/base/ascii.h"
#include "redqueen/base/clock.h"
#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/policy/chat_protocol.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxBody = std::size_t{64} << 20;
constexpr long kConnectSeconds = 30;
constexpr int kPollMilliseconds = 50;
constexpr double kMaxRetryAfter = 600;
// A stream that says nothing for this long is dead.
constexpr long kSilentSeconds = 120;

// Frees a handle; the C interface has all of them as void*.
template <auto kFree>
struct FreeWith {
  template <typename T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};
using EasyHandle = std::unique_ptr<CURL, FreeWith<curl_easy_cleanup>>;
using MultiHandle = std::unique_ptr<CURLM, FreeWith<curl_multi_cleanup>>;
using HeaderList = std::unique_ptr<curl_slist, FreeWith<curl_slist_free_all>>;

// One attempt under way.
struct Transfer {
  std::size_t index = 0;
  EasyHandle handle;
  std::string sent;
  std::string received;
  std::optional<double> retry_after;  // seconds, if the endpoint said so
  char problem[CURL_ERROR_SIZE] = "";
  Clock::time_point started;
};

std::size_t receive(char* data, std::size_t size, std::size_t count, void* user) {
  auto& received = static_cast<Transfer*>(user)->received;
  if (received.size() + size * count > kMaxBody) return 0;  // ends the transfer
  received.append(data, size * count);
  return size * count;
}

std::size_t receive_header(char* data, std::size_t size, std::size_t count, void* user) {
  const std::string line = ascii_lower(std::string_view(data, size * count));
  constexpr std::string_view kName = "retry-after:";
  if (line.starts_with(kName)) {
    std::size_t at = kName.size();
    while (at < line.size() && line[at] == ' ') ++at;
    double seconds = 0;
    const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), seconds);
    if (error == std::errc() && seconds >= 0)
      static_cast<Transfer*>(user)->retry_after = std::min(seconds, kMaxRetryAfter);
  }
  return size * count;
}

EndpointFault::Reach reach_of(long status) {
  using enum EndpointFault::Reach;
  if (status == 408 || status == 409 || status == 425 || status == 429 || status >= 500)
    return kMoment;
  const bool is_of_all = status == 401 || status == 403 || status == 404 || status == 405;
  return is_of_all ? kEndpoint : kRequest;
}

// Why an attempt brought no body of status 200; nothing if it did.
std::optional<EndpointFault> fault_of(const Transfer& transfer, CURLcode code,
                                      const std::string& address) {
  using enum EndpointFault::Reach;
  if (code != CURLE_OK) {
    const char* what = transfer.problem[0] != '\0' ? transfer.problem : curl_easy_strerror(code);
    return EndpointFault{fmt::format("{}: {}", address, what),
                         code == CURLE_URL_MALFORMAT ? kEndpoint : kMoment};
  }
  long status = 0;
  curl_easy_getinfo(transfer.handle.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status == 200) return std::nullopt;
  return EndpointFault{
      fmt::format("{}: status {}: {}", address, status, read_chat_error(transfer.received)),
      reach_of(status)};
}

std::string after_attempts(const std::string& message, int attempts) {
  return attempts > 1 ? fmt::format("{} ({} attempts)", message, attempts) : message;
}

Status check_options(const EndpointOptions& options) {
  if (!options.url.starts_with("http://") && !options.url.starts_with("https://")) {
    return usage_error("\"{}\" is no URL of an endpoint; one looks like http://127.0.0.1:8000/v1",
                       options.url);
  }
  if (options.model.empty())
    return usage_error("the endpoint {} needs the name of a model", options.url);
  if (options.concurrency < 1 || options.attempts < 1 || !(options.timeout_seconds > 0)) {
    return usage_error(
        "endpoint {}: concurrency ({}), attempts ({}) and timeout ({} s) must be positive",
        options.url, options.concurrency, options.attempts, options.timeout_seconds);
  }
  if (!options.extra_body.empty()) {
    const auto extra = parse_json(options.extra_body);
    if (!extra || !extra->is_object()) {
      return usage_error("endpoint {}: the extra body is no JSON object: {}", options.url,
                         extra ? options.extra_body : extra.error().message);
    }
  }
  return {};
}

// Nothing was used if the file is not there.
Expected<EndpointUsage> read_usage_file(const fs::path& path) {
  if (path.empty() || !is_there(path)) return EndpointUsage{};
  ASSIGN_OR_RETURN(const std::string text, read_text_file(path));
  const auto json = parse_json(text);
  if (!json) return failure("{}: {}", path.string(), json.error().message);
  try {
    return EndpointUsage{.requests = json->at("requests").get<std::int64_t>(),
                         .retries = json->at("retries").get<std::int64_t>(),
                         .failures = json->at("failures").get<std::int64_t>(),
                         .prompt_tokens = json->at("prompt_tokens").get<std::int64_t>(),
                         .completion_tokens = json->at("completion_tokens").get<std::int64_t>(),
                         .cost = json->at("cost").get<double>()};
  } catch (const nlohmann::json::exception&) {
    return failure("{}: this is no account of an endpoint's use", path.string());
  }
}

// Not synced after every request: a loss of power may bring back an older account.
Status write_usage(const fs::path& path, const EndpointUsage& used) {
  const Json json{{"requests", used.requests},
                  {"retries", used.retries},
                  {"failures", used.failures},
                  {"prompt_tokens", used.prompt_tokens},
                  {"completion_tokens", used.completion_tokens},
                  {"cost", used.cost}};
  return replace_file(path, dump_json(json) + "\n", Survives::kProcessDeath);
}

}  // namespace

struct EndpointCalls::State {
  EndpointOptions options;
  EndpointUsage usage;
  std::string base;  // the URL without a slash at its end
  HeaderList headers;
  MultiHandle multi;
  std::string outage;
  Clock::time_point next_start = Clock::now();  // rate limits

  // A request that waits for its next attempt.
  struct Waiting {
    std::size_t index = 0;
    Clock::time_point not_before;
  };

  // One call of run().
  struct Run {
    const EndpointWork& work;
    std::string address;
    std::vector<int> attempts;
    std::deque<Waiting> waiting;
    std::list<Transfer> under_way;
  };

  void count(const TokenCounts& tokens) {
    ++usage.requests;
    usage.prompt_tokens += tokens.prompt;
    usage.completion_tokens += tokens.completion;
    usage.cost += (static_cast<double>(tokens.prompt) * options.price_prompt +
                   static_cast<double>(tokens.completion) * options.price_completion) /
                  1e6;
    if (options.tokens_per_minute > 0) {
      const auto all = static_cast<double>(tokens.prompt + tokens.completion);
      next_start =
          std::max(next_start, Clock::now()) + duration_of(60 * all / options.tokens_per_minute);
    }
  }

  void give_up(const Run& run, std::size_t index, std::string why) {
    ++usage.failures;
    run.work.end({.index = index, .attempts = run.attempts[index], .failure = std::move(why)});
  }

  [[nodiscard]] std::string spent_budget() const {
    if (options.max_cost > 0 && usage.cost >= options.max_cost)
      return fmt::format("{:.4f} of {:.4f} (endpoint.max_cost)", usage.cost, options.max_cost);
    const std::int64_t tokens = usage.prompt_tokens + usage.completion_tokens;
    if (options.max_tokens > 0 && tokens >= options.max_tokens)
      return fmt::format("{} of {} tokens (endpoint.max_tokens)", tokens, options.max_tokens);
    return {};
  }

  // Everything but what a stream needs besides.
  void prepare(Transfer& transfer, const std::string& address) {
    transfer.handle.reset(curl_easy_init());
    transfer.started = Clock::now();
    CURL* handle = transfer.handle.get();
    curl_easy_setopt(handle, CURLOPT_URL, address.c_str());
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, transfer.sent.c_str());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(transfer.sent.size()));
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, receive_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer.problem);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, &transfer);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout_seconds * 1000));
  }

  void start(Run& run, std::size_t index) {
    Transfer& transfer = run.under_way.emplace_back();
    transfer.index = index;
    transfer.sent = run.work.body(index);
    ++run.attempts[index];
    prepare(transfer, run.address);
    CURL* handle = transfer.handle.get();
    if (run.work.is_stream) {
      curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
      curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
    }
    curl_multi_add_handle(multi.get(), handle);
    if (options.requests_per_minute > 0) {
      next_start =
          std::max(next_start, transfer.started) + duration_of(60 / options.requests_per_minute);
    }
  }

  void start_what_may(Run& run) {
    while (!run.waiting.empty() &&
           run.under_way.size() < static_cast<std::size_t>(options.concurrency)) {
      const auto now = Clock::now();
      const auto due = std::ranges::find_if(
          run.waiting, [&](const Waiting& one) { return one.not_before <= now; });
      if (due == run.waiting.end()) return;
      if (const std::string spent = spent_budget(); !spent.empty()) {
        const std::size_t index = due->index;
        run.waiting.erase(due);
        give_up(run, index, fmt::format("not asked, the budget is spent: {}", spent));
        continue;
      }
      if (next_start > now) return;
      const std::size_t index = due->index;
      run.waiting.erase(due);
      start(run, index);
    }
  }

  // Reads what an attempt brought.
  static tl::expected<TokenCounts, EndpointFault> judge(const Run& run, const Transfer& transfer,
                                                        CURLcode code) {
    if (auto fault = fault_of(transfer, code, run.address))
      return tl::make_unexpected(std::move(*fault));
    auto read = run.work.read(transfer.index, transfer.received);
    if (!read) read.error().message = fmt::format("{}: {}", run.address, read.error().message);
    return read;
  }

  // Seconds until attempt `attempt` + 1, with jitter that follows from the request.
  [[nodiscard]] double pause(std::size_t index, int attempt) const {
    Rng rng({.purpose = hash_name("back-off"),
             .index = index,
             .salt = static_cast<std::uint64_t>(attempt)});
    const double longest =
        std::min(options.max_backoff_seconds, std::ldexp(options.backoff_seconds, attempt - 1));
    return longest * (0.5 + 0.5 * rng.real());
  }

  // That, or longer where the endpoint asks for it.
  [[nodiscard]] double pause_after(const Transfer& transfer, std::size_t index, int attempt) const {
    return std::max(transfer.retry_after.value_or(0), pause(index, attempt));
  }

  void finish(Run& run, std::list<Transfer>::iterator transfer, CURLcode code) {
    using enum EndpointFault::Reach;
    const std::size_t index = transfer->index;
    const int attempt = run.attempts[index];
    const auto tokens = judge(run, *transfer, code);
    const double seconds = seconds_since(transfer->started);
    const double wait = pause_after(*transfer, index, attempt);
    curl_multi_remove_handle(multi.get(), transfer->handle.get());
    run.under_way.erase(transfer);
    if (tokens) {
      count(*tokens);
      run.work.end({.index = index, .attempts = attempt, .seconds = seconds, .failure = {}});
    } else if (tokens.error().reach == kMoment && attempt < options.attempts) {
      ++usage.retries;
      run.waiting.push_back({index, Clock::now() + duration_of(wait)});
    } else {
      const std::string why = after_attempts(tokens.error().message, attempt);
      if (tokens.error().reach != kRequest) outage = why;
      give_up(run, index, why);
    }
  }

  void collect(Run& run) {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const auto transfer = std::ranges::find_if(run.under_way, [&](const Transfer& one) {
        return one.handle.get() == message->easy_handle;
      });
      finish(run, transfer, message->data.result);
    }
  }

  void abandon(Run& run) {
    for (Transfer& transfer : run.under_way) {
      curl_multi_remove_handle(multi.get(), transfer.handle.get());
      give_up(run, transfer.index, "stopped before the endpoint answered");
    }
    run.under_way.clear();
    for (const Waiting& one : run.waiting) give_up(run, one.index, "stopped before it was asked");
    run.waiting.clear();
  }
};

Expected<EndpointCalls> EndpointCalls::create(const EndpointOptions& options) {
  RETURN_IF_ERROR(check_options(options));
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) return failure("libcurl: {}", curl_easy_strerror(initialised));
  ASSIGN_OR_RETURN(auto used, read_usage_file(options.usage_file));
  auto state = std::make_unique<State>();
  state->options = options;
  state->usage = used;
  state->base = options.url;
  while (state->base.ends_with('/')) state->base.pop_back();
  curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/json");
  if (!options.api_key.empty()) {
    headers = curl_slist_append(headers, ("Authorization: Bearer " + options.api_key).c_str());
  }
  state->headers.reset(headers);
  state->multi.reset(curl_multi_init());
  return EndpointCalls(std::move(state));
}

EndpointCalls::EndpointCalls(std::unique_ptr<State> state) : state_(std::move(state)) {}
EndpointCalls::EndpointCalls(EndpointCalls&&) noexcept = default;
EndpointCalls& EndpointCalls::operator=(EndpointCalls&&) noexcept = default;
EndpointCalls::~EndpointCalls() = default;

void EndpointCalls::run(const EndpointWork& work, const std::atomic<bool>* stop) {
  State& state = *state_;
  state.outage.clear();
  State::Run run{.work = work,
                 .address = state.base + work.path,
                 .attempts = std::vector<int>(work.requests),
                 .waiting = {},
                 .under_way = {}};
  for (std::size_t i = 0; i < work.requests; ++i) run.waiting.push_back({i, {}});
  while (!run.waiting.empty() || !run.under_way.empty()) {
    if (stop != nullptr && *stop) {
      state.abandon(run);
      break;
    }
    state.start_what_may(run);
    int running = 0;
    curl_multi_perform(state.multi.get(), &running);
    state.collect(run);
    if (run.waiting.empty() && run.under_way.empty()) break;
    curl_multi_poll(state.multi.get(), nullptr, 0, kPollMilliseconds, nullptr);
  }
}

Expected<std::string> EndpointCalls::post(const std::string& path, const std::string& body) {
  State& state = *state_;
  constexpr std::string_view kVersion = "/v1";
  std::string address = state.base;
  if (address.ends_with(kVersion)) address.resize(address.size() - kVersion.size());
  address += path;
  for (int attempt = 1;; ++attempt) {
    Transfer transfer;
    transfer.sent = body;
    state.prepare(transfer, address);
    const CURLcode code = curl_easy_perform(transfer.handle.get());
    const auto fault = fault_of(transfer, code, address);
    if (!fault) return std::move(transfer.received);
    if (fault->reach != EndpointFault::Reach::kMoment || attempt >= state.options.attempts)
      return failure("{}", after_attempts(fault->message, attempt));
    ++state.usage.retries;
    std::this_thread::sleep_for(duration_of(state.pause_after(transfer, 0, attempt)));
  }
}

const std::string& EndpointCalls::outage() const { return state_->outage; }
const EndpointUsage& EndpointCalls::usage() const { return state_->usage; }
const EndpointOptions& EndpointCalls::options() const { return state_->options; }

std::string EndpointCalls::spent_budget() const { return state_->spent_budget(); }

Status EndpointCalls::record_usage() const {
  const fs::path& path = state_->options.usage_file;
  return path.empty() ? Status() : write_usage(path, state_->usage);
}

}  // namespace redqueen
