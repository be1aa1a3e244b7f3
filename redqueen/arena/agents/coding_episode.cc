#include "redqueen/arena/agents/coding_episode.h"

#include <algorithm>
#include <optional>

#include "redqueen/base/fields.h"
#include "redqueen/base/text.h"
#include "redqueen/core/tool.h"
#include "redqueen/sandbox/outcome_text.h"

namespace redqueen::arena {
namespace {

constexpr std::size_t kMostShown = 6000;  // bytes of a file or an output in one message
constexpr double kRunSeconds = 20;

struct ReadArguments {
  std::string path;
  std::optional<std::int64_t> from;
  REDQUEEN_FIELDS(path, from)
};
struct WriteArguments {
  std::string path;
  std::string text;
  REDQUEEN_FIELDS(path, text)
};
struct EditArguments {
  std::string path;
  std::string find;
  std::string replace;
  REDQUEEN_FIELDS(path, find, replace)
};
struct RunArguments {
  std::string path;
  REDQUEEN_FIELDS(path)
};
struct SubmitArguments {
  std::vector<std::int64_t> cases;
  REDQUEEN_FIELDS(cases)
};
struct NoArguments {
  std::optional<std::string> remark;
  REDQUEEN_FIELDS(remark)
};

// At most kMostShown bytes from `from` on; says what was left out.
std::string shown(std::string_view text, std::size_t from = 0) {
  const std::size_t begin = std::min(from, text.size());
  std::string part = sandbox::valid_utf8(text.substr(begin, kMostShown));
  const std::size_t end = begin + std::min(kMostShown, text.size() - begin);
  if (begin > 0 || end < text.size()) {
    part += fmt::format("\n[bytes {} to {} of {}]", begin, end, text.size());
  }
  return part;
}

std::string error_text(const Error& error) { return "error: " + error.message; }

class CodingEpisode final : public Episode {
 public:
  CodingEpisode(std::unique_ptr<Workbench> workbench, std::string prompt, int turns,
                const EpisodeOptions& options)
      : bench_(std::move(workbench)),
        prompt_(std::move(prompt)),
        turns_(turns),
        most_bytes_(options.max_response_bytes) {}

  Observation begin() override {
    return {
        .messages = {{.role = "user", .content = prompt_, .tool_calls = {}, .tool_call_id = {}}},
        .tools = coding_tools()};
  }

  Observation step(const Action& action) override {
    Observation seen;
    if (ended_) {
      seen.terminated = true;
      return seen;
    }
    ++taken_;
    const bool heard = size_in_bytes(action) <= most_bytes_;
    for (const ToolCall& call : heard ? action.tool_calls : std::vector<ToolCall>()) {
      used_ = true;
      seen.messages.push_back(
          tool_message(call, finished_ ? "the search has ended" : answer(call)));
    }
    if (seen.messages.empty()) {
      seen.messages.push_back({.role = "user",
                               .content = "Nothing was called. Write system/policy.py, submit it, "
                                          "and call finish when you are done.",
                               .tool_calls = {},
                               .tool_call_id = {}});
    }
    seen.terminated = finished_ || bench_->over();
    seen.truncated = !seen.terminated && taken_ >= turns_;
    if (seen.done()) {
      ended_ = true;
      seen.reward = verdict().reward;
    }
    return seen;
  }

  Verdict verdict() const override {
    if (!used_) return {};
    if (!worth_) worth_ = bench_->worth();
    return *worth_;
  }

 private:
  std::string answer(const ToolCall& call) {
    worth_.reset();
    if (call.name == "read") return with<ReadArguments>(call, &CodingEpisode::read);
    if (call.name == "write") return with<WriteArguments>(call, &CodingEpisode::write);
    if (call.name == "edit") return with<EditArguments>(call, &CodingEpisode::edit);
    if (call.name == "run") return with<RunArguments>(call, &CodingEpisode::run);
    if (call.name == "submit") return with<SubmitArguments>(call, &CodingEpisode::submit);
    if (call.name == "finish") {
      finished_ = true;
      return "the search has ended";
    }
    return unknown_tool_message(call, coding_tools()).content;
  }

  template <typename Arguments>
  std::string with(const ToolCall& call, std::string (CodingEpisode::*work)(const Arguments&)) {
    const auto arguments = from_json<Arguments>(call.arguments);
    return arguments ? (this->*work)(*arguments) : error_text(arguments.error());
  }

  std::string read(const ReadArguments& asked) {
    if (asked.path.empty() || asked.path == ".") {
      std::string names;
      for (const std::string& name : bench_->list()) names += name + "\n";
      return names.empty() ? "there are no files yet" : shown(names);
    }
    const auto text = bench_->read(asked.path);
    if (!text) return error_text(text.error());
    return shown(*text,
                 static_cast<std::size_t>(std::max<std::int64_t>(asked.from.value_or(0), 0)));
  }

  std::string write(const WriteArguments& asked) {
    const Status done = bench_->write(asked.path, asked.text);
    return done ? fmt::format("written: {} bytes", asked.text.size()) : error_text(done.error());
  }

  std::string edit(const EditArguments& asked) {
    const auto text = bench_->read(asked.path);
    if (!text) return error_text(text.error());
    const std::size_t at = asked.find.empty() ? std::string::npos : text->find(asked.find);
    if (at == std::string::npos) return "error: the text to find is not in " + asked.path;
    if (text->find(asked.find, at + 1) != std::string::npos) {
      return "error: the text to find is there more than once; take more of what surrounds it";
    }
    std::string changed = *text;
    changed.replace(at, asked.find.size(), asked.replace);
    return write({.path = asked.path, .text = std::move(changed)});
  }

  std::string run(const RunArguments& asked) { return shown(bench_->run(asked.path)); }

  std::string submit(const SubmitArguments& asked) {
    return shown(dump_json(bench_->submit(asked.cases)));
  }

  std::unique_ptr<Workbench> bench_;
  std::string prompt_;
  int turns_;
  std::size_t most_bytes_;
  int taken_ = 0;
  bool used_ = false;      // a tool was called
  bool finished_ = false;  // by the model
  bool ended_ = false;
  mutable std::optional<Verdict> worth_;
};

}  // namespace

bool is_plain_path(std::string_view path) {
  if (path.empty() || path.size() > 200 || path.find('\0') != std::string_view::npos) return false;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

std::string run_file(sandbox::ChannelSandbox& sandbox, const std::vector<SystemFile>& files,
                     const std::string& path, bool numpy) {
  sandbox::Program program;
  program.profile = numpy ? sandbox::data_profile() : sandbox::program_profile();
  program.limits.wall_seconds = kRunSeconds;
  program.limits.output_bytes = 1U << 20;
  bool found = false;
  for (const SystemFile& file : files) {
    if ("system/" + file.path == path) {
      program.source = file.bytes;
      found = true;
    }
    // A program takes no files from sub-folders.
    if (sandbox::is_file_name(file.path)) program.files.push_back({file.path, file.bytes});
  }
  if (!found) return "error: there is no file " + path + " below system/";
  const sandbox::ChannelSession session = sandbox.open(std::move(program));
  const sandbox::Outcome& outcome = session.loaded();
  std::string text = outcome.out;
  if (!outcome.err.empty()) text += "\n[stderr]\n" + outcome.err;
  if (outcome.ok() && outcome.exit_code == 0) return text.empty() ? "it printed nothing" : text;
  if (!outcome.traceback.empty()) text += "\n" + outcome.traceback;
  const std::string what = outcome.exception.empty() ? std::string() : outcome.exception + ": ";
  return text + fmt::format("\n[ended: {}, {}{}]", sandbox::name_of(outcome.status), what,
                            outcome.message);
}

std::vector<ToolSpec> coding_tools() {
  return {
      tool<ReadArguments>("read",
                          "Shows a file of the workspace; of the path \".\" the list of all.",
                          {{"from", "the first byte to show, of a long file"}}),
      tool<WriteArguments>("write", "Writes a file below system/, all of it."),
      tool<EditArguments>("edit", "Replaces a text in a file below system/.",
                          {{"find", "a text that is there exactly once"}}),
      tool<RunArguments>("run", "Runs a Python file of system/ as a program and shows its output."),
      tool<SubmitArguments>("submit",
                            "Plays training episodes with the policy in system/ and says what they "
                            "returned. Each costs one episode of the budget.",
                            {{"cases", "numbers of training cases, e.g. [0, 1, 2]"}}),
      tool<NoArguments>("finish", "Ends the search.")};
}

std::unique_ptr<Episode> coding_episode(std::unique_ptr<Workbench> workbench, std::string prompt,
                                        int turns, const EpisodeOptions& options) {
  return std::make_unique<CodingEpisode>(std::move(workbench), std::move(prompt), turns, options);
}

}  // namespace redqueen::arena
