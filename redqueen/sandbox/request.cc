#include "redqueen/sandbox/request.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace redqueen::sandbox {
namespace {

std::string shown(const Json& value) {
  constexpr std::size_t kMost = 60;
  const std::string text = dump_json(value);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

// Reads the members of one object. Keeps the first fault; what comes after it is not looked at.
class Members {
 public:
  Members(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object())
      fault_ = (where_.empty() ? "the request" : where_) + " is not an object";
  }

  const Json* find(std::string_view name) {
    if (!fault_.empty()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  void text(const char* name, std::string& target) {
    const Json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_string()) return expect(name, *value, "text");
    target = value->get<std::string>();
  }

  void texts(const char* name, std::vector<std::string>& target) {
    const Json* value = find(name);
    if (value == nullptr) return;
    if (!value->is_array()) return expect(name, *value, "a list of texts");
    for (const Json& each : *value) {
      if (!each.is_string()) return expect(name, each, "a list of texts");
      target.push_back(each.get<std::string>());
    }
  }

  template <typename T>
  void number(std::string_view name, T& target, T least, T most) {
    const Json* value = find(name);
    if (value == nullptr) return;
    const bool kind = std::is_integral_v<T> ? value->is_number_integer() : value->is_number();
    const double size = value->is_number() ? value->get<double>() : 0;
    if (!kind || !(size >= static_cast<double>(least) && size <= static_cast<double>(most))) {
      return expect(
          name, *value,
          fmt::format("{} between {} and {}", std::is_integral_v<T> ? "a whole number" : "a number",
                      least, most));
    }
    target = value->get<T>();
  }

  // A key that nobody reads is a slip of the pen.
  void only(const std::vector<std::string_view>& names) {
    if (!fault_.empty()) return;
    for (const auto& [key, value] : object_.items()) {
      if (std::find(names.begin(), names.end(), key) != names.end()) continue;
      fault_ = fmt::format("there is no key '{}'{}; there are: {}", key,
                           where_.empty() ? "" : " in " + where_, fmt::join(names, ", "));
      return;
    }
  }

  void expect(std::string_view name, const Json& value, std::string_view what) {
    if (!fault_.empty()) return;
    fault_ = fmt::format("{}{}{} is {}, expected {}", where_, where_.empty() ? "" : ".", name,
                         shown(value), what);
  }

  [[nodiscard]] const std::string& fault() const { return fault_; }
  void adopt(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
  }

 private:
  const Json& object_;
  std::string where_;
  std::string fault_;
};

std::string read_limits(const Json& json, Limits& limits) {
  Members members(json, "limits");
  std::vector<std::string_view> names;
  for_each_limit([&](const auto& limit) {
    members.number(limit.name, limits.*limit.member, limit.least, limit.most);
    names.push_back(limit.name);
  });
  members.only(names);
  return members.fault();
}

std::string read_profile(const Json& json, Profile& profile) {
  if (json.is_string()) {
    auto found = find_profile(json.get<std::string>());
    if (!found) return found.error().message;
    profile = *found;
    return {};
  }
  profile = {"custom", false, {}, {}};
  Members members(json, "profile");
  profile.allow_only = members.find("allow") != nullptr;
  members.texts(profile.allow_only ? "allow" : "ban", profile.modules);
  members.texts("ban_attributes", profile.attributes);
  if (profile.allow_only) {
    members.only({"allow", "ban_attributes"});  // `ban` beside it would say nothing
  } else {
    members.only({"ban", "ban_attributes"});
  }
  return members.fault();
}

std::string file_name_fault(const std::string& name) {
  if (is_file_name(name)) return {};
  return fmt::format("\"{}\" is no file name: letters, digits, '.', '_' and '-', at most 100",
                     name);
}

std::string read_files(const Json& json, std::vector<File>& files) {
  if (!json.is_object()) return "'files' is no object of names and texts";
  for (const auto& [name, text] : json.items()) {
    if (!text.is_string()) return fmt::format("the file \"{}\" is no text", name);
    if (std::string fault = file_name_fault(name); !fault.empty()) return fault;
    files.push_back({name, text.get<std::string>()});
  }
  return {};
}

}  // namespace

Expected<Batch> read_request(const Json& json, const Limits& defaults) {
  Batch batch;
  batch.program.limits = defaults;
  Members members(json, "");
  members.text("source", batch.program.source);
  members.text("stdin", batch.program.input);
  members.number<std::uint64_t>("hash_seed", batch.program.hash_seed, 0, 0xFFFFFFFF);
  if (const Json* profile = members.find("profile")) {
    members.adopt(read_profile(*profile, batch.program.profile));
  }
  if (const Json* limits = members.find("limits")) {
    members.adopt(read_limits(*limits, batch.program.limits));
  }
  if (const Json* files = members.find("files")) {
    members.adopt(read_files(*files, batch.program.files));
  }
  members.texts("fetch", batch.program.fetch);
  for (const std::string& name : batch.program.fetch) members.adopt(file_name_fault(name));
  std::vector<std::string> expressions;
  if (members.find("call") != nullptr) members.text("call", expressions.emplace_back());
  members.texts("calls", expressions);
  members.only({"source", "call", "calls", "stdin", "profile", "limits", "hash_seed", "files",
                "fetch", "id"});
  const bool both = members.find("call") != nullptr && members.find("calls") != nullptr;
  if (both) members.adopt("there is both 'call' and 'calls'; give one of them");
  if (members.fault().empty() && members.find("source") == nullptr) {
    members.adopt("there is no 'source', the text of the program");
  }
  if (!members.fault().empty())
    return usage_error("this request cannot be run: {}", members.fault());
  for (std::string& text : expressions) batch.calls.push_back(Call::expression(std::move(text)));
  return batch;
}

}  // namespace redqueen::sandbox
