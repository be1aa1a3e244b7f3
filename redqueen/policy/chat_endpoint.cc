#include "redqueen/policy/chat_endpoint.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <deque>
#include <fstream>
#include <iterator>
#include <list>
#include <optional>
#include <system_error>

#include "redqueen/core/json.h"
#include "redqueen/core/text_file.h"
#include "redqueen/policy/chat_protocol.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kMaxBody = std::size_t{64} << 20;
constexpr long kConnectSeconds = 30;
constexpr int kPollMilliseconds = 50;
constexpr double kMaxRetryAfter = 600;
// A stream that says nothing for this long is dead.
constexpr long kSilentSeconds = 120;

Clock::duration duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

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
  std::string line(data, size * count);
  std::ranges::transform(line, line.begin(), [](unsigned char c) { return std::tolower(c); });
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

bool worth_another_attempt(long status) {
  return status == 408 || status == 409 || status == 425 || status == 429 || status >= 500;
}

// The end of an attempt: a reply, or an error and whether another attempt may help.
struct AttemptOutcome {
  Expected<ChatReply> reply;
  bool again = false;
};

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
Expected<EndpointUsage> read_usage(const fs::path& path) {
  if (path.empty() || !fs::exists(path)) return EndpointUsage{};
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

// Writes beside the file's place and renames: a process that is killed leaves the old account or
// the new one.
Status write_usage(const fs::path& path, const EndpointUsage& used) {
  const fs::path draft = path.string() + ".draft";
  std::ofstream file(draft, std::ios::binary | std::ios::trunc);
  file << dump_json(Json{{"requests", used.requests},
                         {"retries", used.retries},
                         {"failures", used.failures},
                         {"prompt_tokens", used.prompt_tokens},
                         {"completion_tokens", used.completion_tokens},
                         {"cost", used.cost}})
       << '\n';
  file.close();
  std::error_code error;
  if (file) fs::rename(draft, path, error);
  if (!file || error) return failure("{}: cannot be written", path.string());
  return {};
}

}  // namespace

struct ChatEndpoint::State {
  EndpointOptions options;
  EndpointUsage usage;
  std::string address;
  HeaderList headers;
  MultiHandle multi;
  Clock::time_point next_start = Clock::now();  // rate limits

  // A request that waits for its next attempt.
  struct Waiting {
    std::size_t index = 0;
    Clock::time_point not_before;
  };

  // One call of complete().
  struct Work {
    std::span<const ChatRequest> requests;
    std::vector<std::optional<Expected<ChatReply>>> replies;
    std::vector<int> attempts;
    std::deque<Waiting> waiting;
    std::list<Transfer> under_way;
    const ReplyObserver& observer;
  };

  void end(Work& work, std::size_t index, Expected<ChatReply> reply) {
    if (reply) {
      ++usage.requests;
      usage.prompt_tokens += reply->prompt_tokens;
      usage.completion_tokens += reply->completion_tokens;
      usage.cost += (static_cast<double>(reply->prompt_tokens) * options.price_prompt +
                     static_cast<double>(reply->completion_tokens) * options.price_completion) /
                    1e6;
      if (options.tokens_per_minute > 0) {
        const auto tokens = static_cast<double>(reply->prompt_tokens + reply->completion_tokens);
        next_start =
            std::max(next_start, Clock::now()) + duration(60 * tokens / options.tokens_per_minute);
      }
    } else {
      ++usage.failures;
    }
    work.replies[index] = std::move(reply);
    if (work.observer) work.observer(index, *work.replies[index]);
  }

  [[nodiscard]] std::string spent_budget() const {
    if (options.max_cost > 0 && usage.cost >= options.max_cost)
      return fmt::format("{:.4f} of {:.4f} (endpoint.max_cost)", usage.cost, options.max_cost);
    const std::int64_t tokens = usage.prompt_tokens + usage.completion_tokens;
    if (options.max_tokens > 0 && tokens >= options.max_tokens)
      return fmt::format("{} of {} tokens (endpoint.max_tokens)", tokens, options.max_tokens);
    return {};
  }

  void start(Work& work, std::size_t index) {
    Transfer& transfer = work.under_way.emplace_back();
    transfer.index = index;
    transfer.handle.reset(curl_easy_init());
    transfer.sent = chat_request_body(work.requests[index], options);
    transfer.started = Clock::now();
    ++work.attempts[index];
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
    if (options.stream) {
      curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
      curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
    }
    curl_multi_add_handle(multi.get(), handle);
    if (options.requests_per_minute > 0) {
      next_start =
          std::max(next_start, transfer.started) + duration(60 / options.requests_per_minute);
    }
  }

  void start_what_may(Work& work) {
    while (!work.waiting.empty() &&
           work.under_way.size() < static_cast<std::size_t>(options.concurrency)) {
      const auto now = Clock::now();
      const auto due = std::ranges::find_if(
          work.waiting, [&](const Waiting& one) { return one.not_before <= now; });
      if (due == work.waiting.end()) return;
      if (const std::string spent = spent_budget(); !spent.empty()) {
        const std::size_t index = due->index;
        work.waiting.erase(due);
        end(work, index, failure("not asked, the budget is spent: {}", spent));
        continue;
      }
      if (next_start > now) return;
      const std::size_t index = due->index;
      work.waiting.erase(due);
      start(work, index);
    }
  }

  [[nodiscard]] AttemptOutcome judge(const Transfer& transfer, CURLcode code) const {
    if (code != CURLE_OK) {
      const char* what = transfer.problem[0] != '\0' ? transfer.problem : curl_easy_strerror(code);
      return {failure("{}: {}", address, what), code != CURLE_URL_MALFORMAT};
    }
    long status = 0;
    curl_easy_getinfo(transfer.handle.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) {
      return {failure("{}: status {}: {}", address, status, read_chat_error(transfer.received)),
              worth_another_attempt(status)};
    }
    auto reply =
        options.stream ? read_chat_stream(transfer.received) : read_chat_reply(transfer.received);
    if (!reply) return {failure("{}: {}", address, reply.error().message), true};
    reply->seconds = Seconds(Clock::now() - transfer.started).count();
    return {std::move(reply), false};
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

  void finish(Work& work, std::list<Transfer>::iterator transfer, CURLcode code) {
    const std::size_t index = transfer->index;
    AttemptOutcome outcome = judge(*transfer, code);
    const std::optional<double> asked = transfer->retry_after;
    curl_multi_remove_handle(multi.get(), transfer->handle.get());
    work.under_way.erase(transfer);
    const int attempt = work.attempts[index];
    if (outcome.reply) {
      outcome.reply->attempts = attempt;
      end(work, index, std::move(outcome.reply));
    } else if (outcome.again && attempt < options.attempts) {
      ++usage.retries;
      const double wait = std::max(asked.value_or(0), pause(index, attempt));
      work.waiting.push_back({index, Clock::now() + duration(wait)});
    } else {
      const std::string tries = attempt > 1 ? fmt::format(" ({} attempts)", attempt) : "";
      end(work, index, failure("{}{}", outcome.reply.error().message, tries));
    }
  }

  void collect(Work& work) {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const auto transfer = std::ranges::find_if(work.under_way, [&](const Transfer& one) {
        return one.handle.get() == message->easy_handle;
      });
      finish(work, transfer, message->data.result);
    }
  }

  void abandon(Work& work) {
    for (Transfer& transfer : work.under_way) {
      curl_multi_remove_handle(multi.get(), transfer.handle.get());
      end(work, transfer.index, failure("stopped before the endpoint answered"));
    }
    work.under_way.clear();
    for (const Waiting& one : work.waiting)
      end(work, one.index, failure("stopped before it was asked"));
    work.waiting.clear();
  }
};

Expected<ChatEndpoint> ChatEndpoint::create(const EndpointOptions& options) {
  RETURN_IF_ERROR(check_options(options));
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) return failure("libcurl: {}", curl_easy_strerror(initialised));
  ASSIGN_OR_RETURN(auto used, read_usage(options.usage_file));
  auto state = std::make_unique<State>();
  state->options = options;
  state->usage = used;
  std::string base = options.url;
  while (base.ends_with('/')) base.pop_back();
  state->address = base + "/chat/completions";
  curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/json");
  if (!options.api_key.empty()) {
    headers = curl_slist_append(headers, ("Authorization: Bearer " + options.api_key).c_str());
  }
  state->headers.reset(headers);
  state->multi.reset(curl_multi_init());
  return ChatEndpoint(std::move(state));
}

ChatEndpoint::ChatEndpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChatEndpoint::ChatEndpoint(ChatEndpoint&&) noexcept = default;
ChatEndpoint& ChatEndpoint::operator=(ChatEndpoint&&) noexcept = default;
ChatEndpoint::~ChatEndpoint() = default;

std::vector<Expected<ChatReply>> ChatEndpoint::complete(std::span<const ChatRequest> requests,
                                                        const ReplyObserver& observer,
                                                        const std::atomic<bool>* stop) {
  State& state = *state_;
  State::Work work{.requests = requests,
                   .replies = std::vector<std::optional<Expected<ChatReply>>>(requests.size()),
                   .attempts = std::vector<int>(requests.size()),
                   .waiting = {},
                   .under_way = {},
                   .observer = observer};
  for (std::size_t i = 0; i < requests.size(); ++i) work.waiting.push_back({i, {}});
  while (!work.waiting.empty() || !work.under_way.empty()) {
    if (stop != nullptr && *stop) {
      state.abandon(work);
      break;
    }
    state.start_what_may(work);
    int running = 0;
    curl_multi_perform(state.multi.get(), &running);
    state.collect(work);
    if (work.waiting.empty() && work.under_way.empty()) break;
    curl_multi_poll(state.multi.get(), nullptr, 0, kPollMilliseconds, nullptr);
  }
  std::vector<Expected<ChatReply>> replies;
  replies.reserve(requests.size());
  for (auto& reply : work.replies) replies.push_back(std::move(*reply));
  return replies;
}

const EndpointUsage& ChatEndpoint::usage() const { return state_->usage; }
const EndpointOptions& ChatEndpoint::options() const { return state_->options; }

std::string ChatEndpoint::spent_budget() const { return state_->spent_budget(); }

Status ChatEndpoint::record_usage() const {
  const fs::path& path = state_->options.usage_file;
  return path.empty() ? Status() : write_usage(path, state_->usage);
}

}  // namespace redqueen
