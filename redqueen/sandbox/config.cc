#include "redqueen/sandbox/config.h"

namespace redqueen {

const Profile& pure_profile() {
  static const Profile profile{.name = "pure",
                               .allow_only = true,
                               .modules = {"random", "math", "collections", "itertools", "heapq",
                                           "bisect", "functools", "re", "typing"},
                               .attributes = {}};
  return profile;
}

const Profile& code_profile() {
  static const Profile profile{
      .name = "code",
      .allow_only = false,
      .modules = {"logging", "random", "multiprocessing", "pebble", "subprocess", "threading",
                  "datetime", "time", "hashlib", "calendar", "bcrypt"},
      .attributes = {"os.sys", "os.path", "sys.exit", "os.environ"}};
  return profile;
}

Expected<Profile> find_profile(std::string_view name) {
  for (const Profile* profile : {&pure_profile(), &code_profile()}) {
    if (profile->name == name) return *profile;
  }
  return usage_error("There is no sandbox profile '{}': use 'pure' or 'code'.", name);
}

Expected<Require> parse_require(std::string_view text) {
  if (text == "standard") return Require::kStandard;
  if (text == "strict") return Require::kStrict;
  return usage_error("sandbox.require is '{}': use 'standard' or 'strict'.", text);
}

std::vector<std::string> default_preload() {
  return {"random", "math",   "collections", "itertools", "heapq", "bisect", "functools",
          "re",     "typing", "string",      "operator",  "copy",  "json",   "ast"};
}

}  // namespace redqueen
