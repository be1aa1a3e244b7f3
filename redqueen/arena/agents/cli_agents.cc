#include "redqueen/arena/agents/cli_agents.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "redqueen/arena/embedded_files.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

// Words are separated by spaces.
struct CliAgent {
  std::string_view name;
  std::string_view program;
  std::string_view words;      // of every call
  std::string_view resume;     // after them, of every call but the first
  std::string_view last;       // before the prompt
  std::string_view variables;  // besides kCommonVariables
  std::string_view files;      // below HOME: who the user is, and their settings
};

constexpr std::string_view kCommonVariables =
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR LOGNAME";

constexpr auto kAgents = std::to_array<CliAgent>({
    {.name = "claude",
     .program = "claude",
     .words = "--print --allowedTools Bash,Read,Write,Edit,Glob,Grep --output-format stream-json "
              "--verbose",
     .resume = "--continue",
     .last = "",
     .variables = "ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL "
                  "CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CONFIG_DIR",
     .files = ".claude.json .claude/.credentials.json .claude/settings.json"},
    // Its own sandbox keeps it in the workspace; the judge is reached over the network.
    {.name = "codex",
     .program = "codex",
     .words = "exec --json --skip-git-repo-check --sandbox workspace-write --config "
              "sandbox_workspace_write.network_access=true --config approval_policy=\"never\"",
     .resume = "resume --last",
     .last = "",
     .variables = "CODEX_API_KEY CODEX_HOME OPENAI_API_KEY OPENAI_BASE_URL",
     .files = ".codex/auth.json .codex/config.toml"},
    {.name = "kimi",
     .program = "kimi",
     .words = "--output-format stream-json",
     .resume = "--continue",
     .last = "--prompt",
     .variables = "KIMI_API_KEY KIMI_BASE_URL KIMI_CODE_BASE_URL KIMI_CODE_HOME KIMI_MODEL_NAME",
     .files = ".kimi/config.toml .kimi/config.json"},
    {.name = "qoder",
     .program = "qodercli",
     .words = "--print --output-format stream-json --permission-mode bypass_permissions",
     .resume = "--continue",
     .last = "",
     .variables = "QODER_CONFIG_DIR QODER_PERSONAL_ACCESS_TOKEN",
     .files = ".qoder.json .qoder/settings.json"},
});

void append_words(std::string_view text, std::vector<std::string>& words) {
  std::istringstream stream{std::string(text)};
  for (std::string word; stream >> word;) words.push_back(word);
}

bool is_on_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> cli_agent_names() {
  std::vector<std::string> names;
  names.reserve(kAgents.size());
  for (const CliAgent& agent : kAgents) names.emplace_back(agent.name);
  return names;
}

Expected<CommandAgent> cli_agent(std::string_view name, const std::string& model,
                                 const std::vector<std::string>& options) {
  const auto found = std::ranges::find(kAgents, name, &CliAgent::name);
  if (found == kAgents.end()) {
    const std::vector<std::string> names = cli_agent_names();
    return usage_error("there is no agent \"{}\": expected {}", name, fmt::join(names, ", "));
  }
  for (const std::string_view program : {found->program, std::string_view("python3")}) {
    if (is_on_path(program)) continue;
    return usage_error("--agent {}: there is no program {} on PATH. Install it, or put it there.",
                       name, program);
  }
  std::vector<std::string> first = {std::string(found->program)};
  append_words(found->words, first);
  if (!model.empty()) first.insert(first.end(), {"--model", model});
  first.insert(first.end(), options.begin(), options.end());
  std::vector<std::string> next = first;
  append_words(found->resume, next);
  append_words(found->last, first);
  append_words(found->last, next);
  CommandAgent agent;
  agent.words = {"python3", "-c", std::string(cli_agent_source()),
                 dump_json({{"first", first}, {"next", next}})};
  append_words(kCommonVariables, agent.environment);
  append_words(found->variables, agent.environment);
  agent.programs = {std::string(found->program), "node"};
  append_words(found->files, agent.home_files);
  return agent;
}

}  // namespace redqueen::arena
