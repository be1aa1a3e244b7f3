#include "redqueen/data_sets/audit.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "redqueen/base/durable.h"
#include "redqueen/base/parallel.h"
#include "redqueen/base/sha256.h"
#include "redqueen/base/text_file.h"
#include "redqueen/core/answer.h"
#include "redqueen/data_sets/rewritings.h"
#include "redqueen/data_sets/separate_tests.h"

namespace redqueen::data_sets {
namespace {

// Another number makes audits of before worthless.
constexpr int kAuditVersion = 1;
constexpr std::size_t kShownBytes = 120;

std::string shown(std::string_view text) {
  return text.size() <= kShownBytes ? std::string(text)
                                    : std::string(text.substr(0, kShownBytes)) + "…";
}

std::string with_single_blanks(std::string_view text) {
  return fmt::format("{}", fmt::join(split_words(text), " "));
}

struct RowState {
  const ReadRow* row = nullptr;
  std::optional<RowFault> fault;   // what makes it unsound
  std::optional<RowFault> remark;  // that its tests run inside
  bool tested = true;
};

RowFault fault_at(const ReadRow& row, RowFaultKind kind, std::string reason) {
  return {.line = row.line,
          .id = row.row ? row.row->id : std::string(),
          .kind = kind,
          .reason = std::move(reason)};
}

// Rows whose verdicts need no sandbox.
void audit_answer(RowState& state) {
  const Verifier& verifier = state.row->row->verifier;
  const auto reward = [&](std::string_view answer) { return verify(verifier, answer).reward; };
  if (const double own = reward(verifier.answer); own < kSolvedReward) {
    state.fault =
        fault_at(*state.row, RowFaultKind::kAnswer,
                 fmt::format("its own answer \"{}\" earns {}", shown(verifier.answer), own));
    return;
  }
  for (const Rewriting& other : rewritings(verifier)) {
    const double earned = reward(other.text);
    if (earned == kSolvedReward) continue;
    state.fault =
        fault_at(*state.row, RowFaultKind::kRewriting,
                 fmt::format("its answer \"{}\" earns {} when written {}: \"{}\"",
                             shown(verifier.answer), earned, other.rule, shown(other.text)));
    return;
  }
}

void audit_values(sandbox::Sandbox& sandbox, std::span<RowState* const> states) {
  std::vector<std::string> texts;
  std::vector<VerifyRequest> asked;
  std::vector<RowState*> owners;
  for (RowState* state : states) {
    const Verifier& verifier = state->row->row->verifier;
    texts.push_back(verifier.answer);
    owners.push_back(state);
    for (const Rewriting& other : rewritings(verifier)) {
      texts.push_back(other.text);
      owners.push_back(state);
    }
  }
  for (std::size_t i = 0; i < texts.size(); ++i)
    asked.push_back({&owners[i]->row->row->verifier, texts[i]});
  const std::vector<Verdict> verdicts = verify_python(sandbox, asked);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (verdicts[i].solved || owners[i]->fault) continue;
    owners[i]->fault = fault_at(*owners[i]->row, RowFaultKind::kAnswer,
                                fmt::format("its own answer, written \"{}\", earns {}",
                                            shown(texts[i]), verdicts[i].reward));
  }
}

void audit_programs(sandbox::Sandbox& sandbox, std::span<RowState* const> states) {
  std::vector<Submission> references;
  std::vector<RowState*> owners;
  for (RowState* state : states) {
    const Verifier& verifier = state->row->row->verifier;
    state->tested = !trim(verifier.answer).empty();
    if (!state->tested) {
      if (!verifier.tests.code.empty()) {
        state->remark = fault_at(*state->row, RowFaultKind::kInside,
                                 "its tests run in the program's own process, where a program can "
                                 "forge them: there is no reference");
      }
      continue;
    }
    std::string program = program_of(verifier.answer, entry_name(verifier.tests));
    references.push_back({&verifier.tests, std::move(program), verifier.answer});
    owners.push_back(state);
  }
  const std::vector<Judgement> judged = judge(sandbox, references);
  const auto recorded = record_calls(sandbox, references);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const std::string& why = recorded[i]->fault;
    const bool has_code = !references[i].tests->code.empty();
    if (judged[i] != Judgement::kPassed) {
      owners[i]->fault = fault_at(
          *owners[i]->row, RowFaultKind::kReference,
          fmt::format("its own program {}{}{}",
                      judged[i] == Judgement::kBroken ? "does not run to the end of its tests"
                                                      : "fails its tests",
                      has_code && !why.empty() ? ": " : "", has_code ? shown(why) : ""));
    } else if (has_code && !why.empty()) {
      owners[i]->remark = fault_at(*owners[i]->row, RowFaultKind::kInside,
                                   "its tests run in the program's own process, where a program "
                                   "can forge them: " +
                                       shown(why));
    }
  }
}

// Rows with the prompt of an earlier one.
std::vector<RowFault> repeated_rows(const std::vector<ReadRow>& rows) {
  std::map<std::string, const ReadRow*> first;
  std::vector<RowFault> found;
  for (const ReadRow& row : rows) {
    if (!row.row) continue;
    const auto [place, is_new] =
        first.try_emplace(sha256(with_single_blanks(row.row->prompt)), &row);
    if (is_new) continue;
    const bool same = to_json(*place->second->row)["answer"] == to_json(*row.row)["answer"] &&
                      to_json(*place->second->row)["tests"] == to_json(*row.row)["tests"];
    found.push_back(fault_at(row, same ? RowFaultKind::kDuplicate : RowFaultKind::kConflict,
                             fmt::format("line {} has the same prompt and {} answer",
                                         place->second->line, same ? "the same" : "another")));
  }
  return found;
}

std::vector<RowState> chosen_rows(const std::vector<ReadRow>& rows, std::size_t most) {
  const std::size_t count = most == 0 ? rows.size() : std::min(most, rows.size());
  std::vector<RowState> states;
  for (std::size_t i = 0; i < count; ++i)
    states.push_back({.row = &rows[i * rows.size() / count], .fault = {}, .remark = {}});
  return states;
}

}  // namespace

Expected<Audit> audit_rows(const std::vector<ReadRow>& rows,
                           const std::shared_ptr<sandbox::SandboxService>& sandbox,
                           const AuditOptions& options) {
  std::vector<RowState> states = chosen_rows(rows, options.most_rows);
  std::vector<RowState*> native;
  std::vector<RowState*> values;
  std::vector<RowState*> programs;
  for (RowState& state : states) {
    if (!state.row->row) {
      state.fault = fault_at(*state.row, RowFaultKind::kUnread, state.row->row.error().message);
    } else if (state.row->row->verifier.kind == VerifierKind::kValue) {
      values.push_back(&state);
    } else if (state.row->row->verifier.kind == VerifierKind::kTests) {
      programs.push_back(&state);
    } else {
      native.push_back(&state);
    }
  }
  std::size_t done = states.size() - native.size() - values.size() - programs.size();
  const auto tell = [&](std::size_t more) {
    done += more;
    if (options.progress) options.progress(done, states.size());
  };
  const auto in_pieces = [&](const std::vector<RowState*>& all, std::size_t size,
                             const auto& work) {
    for (std::size_t i = 0; i < all.size(); i += size) {
      const auto piece = std::span(all).subspan(i, std::min(size, all.size() - i));
      work(piece);
      tell(piece.size());
    }
  };
  constexpr std::size_t kNativeAtOnce = 1024;
  constexpr std::size_t kPythonAtOnce = 64;
  in_pieces(native, kNativeAtOnce, [](std::span<RowState* const> piece) {
    parallel_chunks(piece.size(), 16, 0, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) audit_answer(*piece[i]);
    });
  });
  if (!values.empty() || !programs.empty()) {
    if (!sandbox) return failure("the rows are judged in a sandbox");
    ASSIGN_OR_RETURN(sandbox::Sandbox* const running, sandbox->get());
    in_pieces(values, kPythonAtOnce,
              [&](std::span<RowState* const> piece) { audit_values(*running, piece); });
    in_pieces(programs, kPythonAtOnce,
              [&](std::span<RowState* const> piece) { audit_programs(*running, piece); });
  }
  Audit audit{.rows = rows.size(), .audited = states.size()};
  for (RowState& state : states) {
    if (!state.fault) ++audit.earned;
    if (!state.fault && !state.tested) ++audit.untested;
    if (state.fault) audit.faults.push_back(*std::move(state.fault));
    if (state.remark) audit.faults.push_back(*std::move(state.remark));
  }
  std::ranges::move(repeated_rows(rows), std::back_inserter(audit.faults));
  std::ranges::stable_sort(audit.faults, {}, &RowFault::line);
  return audit;
}

std::filesystem::path audit_cache_folder() {
  const auto variable = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  std::filesystem::path cache = variable("XDG_CACHE_HOME");
  if (cache.empty()) {
    const std::filesystem::path home = variable("HOME");
    if (home.empty()) return {};
    cache = home / ".cache";
  }
  return cache / "redqueen" / "audits";
}

Expected<Audit> cached_audit(std::string_view text, const std::vector<ReadRow>& rows,
                             const std::shared_ptr<sandbox::SandboxService>& sandbox,
                             const AuditOptions& options, const std::filesystem::path& cache) {
  const std::string name = fmt::format(
      "{}.json", sha256(fmt::format("{} {} {}", kAuditVersion, options.most_rows, sha256(text))));
  if (!cache.empty()) {
    if (const auto written = read_text_file(cache / name)) {
      const auto json = parse_json(*written);
      if (json) {
        if (auto known = audit_from_json(*json)) return known;
      }
    }
  }
  ASSIGN_OR_RETURN(Audit audit, audit_rows(rows, sandbox, options));
  if (!cache.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(cache, ignored);
    static_cast<void>(replace_file(cache / name, dump_json(to_json(audit)) + "\n"));
  }
  return audit;
}

Json to_json(const Audit& audit) {
  Json faults = Json::array();
  for (const RowFault& fault : audit.faults) {
    faults.push_back({{"line", fault.line},
                      {"id", fault.id},
                      {"kind", std::string(kRowFaultNames.name(fault.kind))},
                      {"reason", fault.reason}});
  }
  return {{"rows", audit.rows},
          {"audited", audit.audited},
          {"earned", audit.earned},
          {"untested", audit.untested},
          {"faults", std::move(faults)}};
}

Expected<Audit> audit_from_json(const Json& json) {
  const auto count = [&](const Json& object, const char* key) -> std::optional<std::size_t> {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::size_t>();
  };
  const auto text = [](const Json& object, const char* key) -> std::string {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  };
  if (!json.is_object() || !json.contains("faults") || !json["faults"].is_array())
    return failure("no audit");
  Audit audit;
  for (const auto& [key, place] : {std::pair{"rows", &audit.rows},
                                   {"audited", &audit.audited},
                                   {"earned", &audit.earned},
                                   {"untested", &audit.untested}}) {
    const auto value = count(json, key);
    if (!value) return failure("no audit: \"{}\"", key);
    *place = *value;
  }
  for (const Json& one : json["faults"]) {
    const auto line = one.is_object() ? count(one, "line") : std::nullopt;
    const auto kind = kRowFaultNames.find(one.is_object() ? text(one, "kind") : "");
    if (!line || !kind) return failure("no audit: \"faults\"");
    audit.faults.push_back(
        {.line = *line, .id = text(one, "id"), .kind = *kind, .reason = text(one, "reason")});
  }
  return audit;
}

std::string to_string(const RowFault& fault) {
  return fmt::format("line {}{}: {}", fault.line, fault.id.empty() ? "" : " (" + fault.id + ")",
                     fault.reason);
}

std::string summary(const Audit& audit) {
  std::string text = fmt::format(
      "{} of {} rows ({:.1f} %) are earned by the right answer", audit.earned, audit.audited,
      audit.audited == 0
          ? 0.0
          : 100.0 * static_cast<double>(audit.earned) / static_cast<double>(audit.audited));
  if (audit.audited < audit.rows) text += fmt::format("; the file has {}", audit.rows);
  if (audit.untested > 0)
    text += fmt::format("; {} have no reference program to run", audit.untested);
  for (const auto kind :
       {RowFaultKind::kDuplicate, RowFaultKind::kConflict, RowFaultKind::kInside}) {
    const auto count = std::ranges::count(audit.faults, kind, &RowFault::kind);
    if (count > 0) text += fmt::format("; {}: {}", kRowFaultNames.name(kind), count);
  }
  return text;
}

}  // namespace redqueen::data_sets
