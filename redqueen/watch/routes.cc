#include "redqueen/watch/routes.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "redqueen/watch/page_files.h"
#include "redqueen/watch/runs_api.h"

namespace redqueen::watch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{1000};  // between two looks at the runs
constexpr std::chrono::seconds kSignOfLife{20};   // so that proxies keep a quiet stream

net::Response redirect(std::string to) {
  return {.status = 308,
          .body = "",
          .content_type = "text/plain",
          .headers = {{"Location", std::move(to)}}};
}

// Sets the headers of all of the page's files.
net::Response file_response(const PageFile& file) {
  return {.body = std::string(file.text),
          .content_type = std::string(file.content_type),
          .headers = {{"Content-Security-Policy", std::string(page_policy())},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}}};
}

net::Response page(const net::Request& request) {
  // The page names its files by where it is: behind "/runs/".
  if (request.path == "/runs") return redirect("/runs/");
  const std::string_view asked = request.part("file");
  const std::string_view name = asked.empty() ? "index.html" : asked;
  const auto file = std::ranges::find(page_files(), name, &PageFile::name);
  if (file == page_files().end()) return net::error_response(404, "there is no such file");
  return file_response(*file);
}

// Where the runs are, looked up at most once in kLook however many watch.
class Revision {
 public:
  explicit Revision(std::shared_ptr<const RunsApi> api) : api_(std::move(api)) {}

  std::string text() {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (text_.empty() || now - looked_ >= kLook) {
      text_ = api_->revision();
      looked_ = now;
    }
    return text_;
  }

 private:
  std::shared_ptr<const RunsApi> api_;
  std::mutex mutex_;
  Clock::time_point looked_;
  std::string text_;
};

net::Stream events(std::shared_ptr<Revision> revision) {
  struct Sent {
    std::string text;
    Clock::time_point at;
  };
  auto sent = std::make_shared<Sent>();
  const auto next = [revision = std::move(revision), sent]() -> std::optional<std::string> {
    const Clock::time_point now = Clock::now();
    std::string text = revision->text();
    if (text != sent->text) {
      *sent = {std::move(text), now};
      return fmt::format("data: {}\n\n", sent->text);
    }
    if (now - sent->at < kSignOfLife) return "";
    sent->at = now;
    return ":\n\n";
  };
  return {.headers = {{"Cache-Control", "no-store"}}, .next = next, .interval = kLook};
}

net::Response json_answer(const RunsApi& api, std::string_view view, const net::Request& request) {
  Parameters parameters = parse_parameters(request.query);
  // A token that came with the address is the server's affair.
  std::erase_if(parameters, [](const auto& one) { return one.first == "token"; });
  const Answer answer = api.answer(view, parameters);
  net::Response response = net::json_response(answer.body, answer.status);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

}  // namespace

void add_run_routes(net::Router& router, const std::filesystem::path& folder) {
  const auto api = std::make_shared<const RunsApi>(folder);
  const auto revision = std::make_shared<Revision>(api);
  const auto notes = [](std::string summary) {
    return net::RouteNotes{.summary = std::move(summary), .group = "runs"};
  };
  // The page's files hold nothing of the runs; what they ask for needs the token.
  router.add(net::Method::kGet, "/runs/{file...}", page,
             {.access = net::Access::kOpen, .summary = "The page of runs", .group = "runs"});
  router.add(net::Method::kGet, "/v1/runs", net::on_worker([api](const net::Request& request) {
               return json_answer(*api, "", request);
             }),
             notes("The runs below the server's folder"));
  router.add(
      net::Method::kGet, "/v1/runs/events",
      [revision](const net::Request&) { return events(revision); },
      notes("Server-sent events: one at first, and one whenever a run moves"));
  router.add(net::Method::kGet, "/v1/runs/{view}",
             net::on_worker([api](const net::Request& request) {
               return json_answer(*api, request.part("view"), request);
             }),
             notes("A view of one run, or the comparison of several"));
}

void add_start_page(net::Router& router) {
  router.add(
      net::Method::kGet, "/", [](const net::Request&) { return redirect("/runs/"); },
      {.access = net::Access::kOpen, .summary = "Leads to the page of runs", .group = "runs"});
}

}  // namespace redqueen::watch
