// The built-in coding agent: a conversation in which a model improves a policy with tools. It is an
// Episode, so whatever plays episodes can play it: evaluation, training, `redqueen arena run`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/arena/judge/snapshot.h"
#include "redqueen/arena/policies/policy_seats.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/core/episode.h"
#include "redqueen/core/verdict.h"

namespace redqueen::arena {

// The files that the tools read and write, and the runner that plays the policy. Paths are relative
// to the workspace, with '/' between folders; the policy and its modules lie below system/.
class Workbench {
 public:
  virtual ~Workbench() = default;

  virtual std::vector<std::string> list() = 0;
  // Fails where there is no such file.
  virtual Expected<std::string> read(const std::string& path) = 0;
  // Fails outside of system/, and where a limit is exceeded.
  virtual Status write(const std::string& path, const std::string& text) = 0;
  // The policy's files, with which run() and submit() work.
  virtual Expected<std::vector<SystemFile>> program() = 0;
  // Runs a file of system/ as a program, in the sandbox: what it printed, and how it ended.
  virtual std::string run(const std::string& path) = 0;
  // Plays training cases. An object with "status", "mean_return", "returns", "remaining_budget" and
  // "feedback", or with "error": why nothing was played and charged.
  virtual Json submit(const std::vector<std::int64_t>& cases) = 0;
  // Nothing more can be submitted.
  virtual bool over() = 0;
  // Returns the score of the submissions so far; slow, and called once.
  virtual Verdict worth() = 0;
};

// A plain path below the workspace: no "..", no empty part, none that begins with '/'.
bool is_plain_path(std::string_view path);

// Runs one file in the sandbox: the tool run() of every workbench.
std::string run_file(sandbox::ChannelSandbox& sandbox, const std::vector<SystemFile>& files,
                     const std::string& path, bool numpy);

// Returns the tools that the model is offered: read, write, edit, run, submit, finish.
std::vector<ToolSpec> coding_tools();

// `prompt` is the first message of the user. The episode ends when the model calls finish, when
// nothing more can be submitted, or after `turns`; its last step earns what the workbench is worth,
// all others 0.
std::unique_ptr<Episode> coding_episode(std::unique_ptr<Workbench> workbench, std::string prompt,
                                        int turns, const EpisodeOptions& options);

}  // namespace redqueen::arena
