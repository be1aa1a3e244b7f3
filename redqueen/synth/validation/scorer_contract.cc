#include "redqueen/synth/validation/scorer_contract.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace redqueen::synth {
namespace {

constexpr double kNearlyAlways = 0.9;
constexpr double kOften = 0.25;
constexpr double kSlight = 0.25;        // partial credit that an answer far off may have
constexpr int kFewest = 3;              // problems that a share must rest on
constexpr std::size_t kSlotBefore = 8;  // bytes around an answer that must agree in all prompts
constexpr std::size_t kSlotBehind = 3;
constexpr std::size_t kLongestShown = 60;

using Tables = std::span<const ProbeTable>;
using Test = std::function<bool(const ProbeRow&)>;

bool above_nothing(const ProbeRow& row) { return row.score.value_or(0.0) > 0.0; }
bool rewarded(const ProbeRow& row) { return row.solved || row.score.value_or(0.0) > kSlight; }
bool solved(const ProbeRow& row) { return row.solved; }
bool read_as_reference(const ProbeRow& row) { return row.same; }

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongestShown)) {
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return text.size() > kLongestShown ? out + "…" : out;
}

// Of the rows of one kind, how many problems have one that passes.
struct Evidence {
  int problems = 0;  // in which the kind was tried
  int hits = 0;
  std::set<std::string> values;  // references of the problems that were hit
  std::string example;
  std::string example_value;

  [[nodiscard]] double share() const {
    return problems == 0 ? 0.0 : static_cast<double>(hits) / problems;
  }
};

using Kinds = std::map<std::pair<std::string, std::string>, Evidence>;  // by group and kind

Kinds gather(Tables tables, const std::set<std::string>& groups, const Test& passes) {
  Kinds kinds;
  for (const ProbeTable& table : tables) {
    std::map<std::pair<std::string, std::string>, const ProbeRow*> hit;
    for (const ProbeRow& row : table.rows) {
      if (!groups.contains(row.group)) continue;
      const ProbeRow*& found = hit.try_emplace({row.group, row.kind}, nullptr).first->second;
      if (found == nullptr && passes(row)) found = &row;
    }
    for (const auto& [kind, row] : hit) {
      Evidence& evidence = kinds[kind];
      ++evidence.problems;
      if (row == nullptr) continue;
      ++evidence.hits;
      evidence.values.insert(table.value);
      evidence.example = row->text;
      evidence.example_value = table.value;
    }
  }
  return kinds;
}

// A fault if one kind of these groups passes in the given share of problems with different
// references.
ValidationFinding if_any(Tables tables, const std::set<std::string>& groups, const Test& passes,
                         double share, ValidationFault fault, std::string_view what) {
  for (const auto& [kind, evidence] : gather(tables, groups, passes)) {
    if (evidence.values.size() < 2 || evidence.share() < share) continue;
    return {fault, fmt::format("{} in {} of {} problems: \"{}\", where the reference is {}", what,
                               evidence.hits, evidence.problems, shown(evidence.example),
                               shown(evidence.example_value))};
  }
  return {};
}

// --- the rules, in order ------------------------------------------------------------------------

ValidationFinding check_reference(Tables tables) {
  for (const ProbeTable& table : tables) {
    for (const ProbeRow& row : table.rows) {
      if (row.group != "reference" || row.solved) continue;
      return {ValidationFault::kReferenceRejected,
              fmt::format("the scorer does not accept the reference \"{}\"{}", shown(row.text),
                          row.kind == "again" ? " when it is asked a second time" : "")};
    }
  }
  return {};
}

ValidationFinding check_parser(Tables tables) {
  return if_any(tables, {"empty", "malformed", "type"}, read_as_reference, 0.5,
                ValidationFault::kParserLeaksReference,
                "_process reads a text without the answer as the reference");
}

bool word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Where `text` stands in `prompt`, not as a part of a longer word or number.
std::vector<std::size_t> places_of(std::string_view text, std::string_view prompt) {
  std::vector<std::size_t> places;
  if (text.empty()) return places;
  for (std::size_t at = prompt.find(text); at != std::string_view::npos;
       at = prompt.find(text, at + 1)) {
    const std::size_t end = at + text.size();
    const bool begins = at == 0 || !word_character(text.front()) ||
                        !(word_character(prompt[at - 1]) || prompt[at - 1] == '-');
    const bool ends =
        end == prompt.size() || !word_character(text.back()) || !word_character(prompt[end]);
    if (begins && ends) places.push_back(at);
  }
  return places;
}

// The prompt shows the reference, shows another one when that is stored in its place, and not
// before.
bool shows_stored_reference(const ProbeTable& table) {
  if (table.masked_prompt.empty() || table.masked_prompt == table.prompt) return false;
  for (std::size_t i = 0; i < std::min(table.texts.size(), table.masked_texts.size()); ++i) {
    if (!places_of(table.texts[i], table.prompt).empty() &&
        !places_of(table.masked_texts[i], table.masked_prompt).empty() &&
        places_of(table.masked_texts[i], table.prompt).empty()) {
      return true;
    }
  }
  return false;
}

// What stands directly before and behind the reference, wherever it stands. (Before alone would
// also be so of answers that are the beginning of the data.)
std::set<std::string> slots_of(const ProbeTable& table) {
  std::set<std::string> slots;
  for (const std::string& text : table.texts) {
    for (const std::size_t at : places_of(text, table.prompt)) {
      const std::size_t length = std::min(at, kSlotBefore);
      slots.insert(table.prompt.substr(at - length, length) + "…" +
                   table.prompt.substr(at + text.size(), kSlotBehind));
    }
  }
  return slots;
}

ValidationFinding check_leak(Tables tables) {
  const auto shown_in = std::ranges::count_if(tables, shows_stored_reference);
  if (shown_in > 0 && 2 * shown_in >= std::ssize(tables)) {
    return {ValidationFault::kReferenceInPrompt,
            fmt::format("the prompt shows the stored reference in {} of {} problems", shown_in,
                        tables.size())};
  }
  std::set<std::string> values;
  std::set<std::string> common = slots_of(tables.front());
  for (const ProbeTable& table : tables) {
    values.insert(table.value);
    const std::set<std::string> here = slots_of(table);
    std::erase_if(common, [&](const std::string& slot) { return !here.contains(slot); });
  }
  if (common.empty() || values.size() < 3) return {};
  return {ValidationFault::kReferenceInPrompt,
          fmt::format("in all {} prompts the answer stands at the same place: \"{}\"",
                      tables.size(), shown(*common.begin()))};
}

ValidationFinding check_finite(Tables tables) {
  for (const ProbeTable& table : tables) {
    for (const ProbeRow& row : table.rows) {
      if (!row.not_finite) continue;
      return {ValidationFault::kScoreNotFinite,
              fmt::format("scorer returns NaN or infinity for the answer \"{}\"", shown(row.text))};
    }
  }
  return {};
}

ValidationFinding check_malformed(Tables tables) {
  using enum ValidationFault;
  ValidationFinding finding = if_any(tables, {"empty"}, rewarded, kOften, kAcceptsEmpty,
                                     "an answer without content earns more than 0.25");
  if (finding.fault != kNone) return finding;
  finding = if_any(tables, {"malformed"}, above_nothing, kOften, kAcceptsMalformed,
                   "a text that is no answer earns more than 0");
  if (finding.fault != kNone) return finding;
  finding = if_any(tables, {"prompt"}, solved, 0.5, kAcceptsMalformed,
                   "the prompt, given back as the answer, is right");
  if (finding.fault != kNone) return finding;
  return if_any(tables, {"type"}, solved, 0.5, kAcceptsWrongType,
                "an answer of another type is right");
}

bool is_swap(const ProbeRow& row) { return row.kind == "swapped" || row.kind == "duplicated"; }

// Of all rows of a group that were not read as the reference itself.
ValidationFinding if_most(Tables tables, std::string_view group, std::string_view what) {
  int tried = 0;
  int passed = 0;
  for (const ProbeTable& table : tables) {
    for (const ProbeRow& row : table.rows) {
      if (row.group != group || row.same || is_swap(row)) continue;
      ++tried;
      passed += row.solved;
    }
  }
  if (tried < kFewest || 2 * passed <= tried) return {};
  return {ValidationFault::kAcceptsAnything,
          fmt::format("{} of {} {} are accepted as right", passed, tried, what)};
}

ValidationFinding check_discrimination(Tables tables) {
  ValidationFinding finding = if_most(tables, "foreign", "references of other problems");
  if (finding.fault != ValidationFault::kNone) return finding;
  finding = if_most(tables, "perturbed", "changed references");
  if (finding.fault != ValidationFault::kNone) return finding;
  return if_any(tables, {"constant"}, solved, kNearlyAlways, ValidationFault::kAcceptsAnything,
                "one and the same answer is right");
}

ValidationFinding near_miss(const Evidence& evidence, std::string_view kind) {
  return {ValidationFault::kAcceptsNearMisses,
          fmt::format("a changed answer ({}) is right in {} of {} problems: \"{}\", where the "
                      "reference is {}",
                      kind, evidence.hits, evidence.problems, shown(evidence.example),
                      shown(evidence.example_value))};
}

bool nearly_always(const Evidence& evidence) {
  return evidence.problems >= kFewest && evidence.share() >= kNearlyAlways;
}

// The kinds of one change at every place where it was tried: of a number alone, or of the first,
// the middle and the last element of a list. One element of a right list may well be free (the last
// of several moves); all of them are hardly.
std::vector<std::string> at_every_place(const Kinds& kinds, const std::string& change) {
  std::vector<std::string> found;
  for (const std::string_view place : {"", "first_", "middle_", "last_", "element_"}) {
    std::string kind = std::string(place) + change;
    if (kinds.contains({"perturbed", kind})) found.push_back(std::move(kind));
  }
  return found;
}

ValidationFinding check_near_misses(Tables tables) {
  const Kinds kinds = gather(tables, {"perturbed", "fraction"}, solved);
  const auto always = [&](const std::string& kind) {
    const auto found = kinds.find({"perturbed", kind});
    return found != kinds.end() && nearly_always(found->second);
  };
  for (const auto& [key, evidence] : kinds) {
    const std::string& kind = key.second;
    if (!nearly_always(evidence)) continue;
    if (kind == "added" || kind == "fraction" || kind.ends_with("far") ||
        kind.ends_with("edited") || kind.ends_with("edited_end")) {
      return near_miss(evidence, kind);
    }
  }
  // A step in one direction may lead to another right answer; in both, hardly.
  for (const auto& changes : {std::vector<std::string>{"plus_one", "minus_one"},
                              {"plus_step", "minus_step"},
                              {"flipped"}}) {
    std::vector<std::string> tried;
    for (const std::string& change : changes) {
      for (std::string& kind : at_every_place(kinds, change)) tried.push_back(std::move(kind));
    }
    if (!tried.empty() && std::ranges::all_of(tried, always))
      return near_miss(kinds.at({"perturbed", tried.front()}), tried.front());
  }
  const Kinds unsigned_ones = gather(
      tables, {"perturbed"}, [](const ProbeRow& row) { return row.kind == "negated" && row.same; });
  const auto negated = unsigned_ones.find({"perturbed", "negated"});
  if (negated != unsigned_ones.end() && nearly_always(negated->second)) {
    return near_miss(negated->second, "its sign is not read");
  }
  return {};
}

ValidationFinding check_tricks(Tables tables) {
  using enum ValidationFault;
  const ValidationFinding finding =
      if_any(tables, {"shotgun"}, solved, 0.5, kAcceptsShotgun,
             "several guesses at once, the answer among them, are right");
  if (finding.fault != kNone) return finding;
  return if_any(tables, {"data"}, solved, 0.8, kAcceptsData,
                "the numbers of the prompt, copied, are right");
}

// Of answers that must be right, or must not be, in a quarter of the problems that ask for it.
ValidationFinding check_rounded(Tables tables) {
  int tried = 0;
  int refused = 0;
  const ProbeRow* example = nullptr;
  const ProbeTable* where = nullptr;
  for (const ProbeTable& table : tables) {
    bool one_refused = false;
    bool one_tried = false;
    for (const ProbeRow& row : table.rows) {
      if (row.group != "rounded") continue;
      one_tried = true;
      if (row.solved) continue;
      one_refused = true;
      example = &row;
      where = &table;
    }
    tried += one_tried;
    refused += one_refused;
  }
  if (refused < 2 || refused < kOften * tried) return {};
  return {
      ValidationFault::kExactFloat,
      fmt::format("the right answer, rounded{}, is wrong in {} of {} problems: \"{}\", where the "
                  "reference is {}",
                  example->kind == "stated" ? " as the statement asks" : " to six places", refused,
                  tried, shown(example->text), shown(where->value))};
}

ValidationFinding check_repeats(Tables tables) {
  int hits = 0;
  std::string example;
  for (const ProbeTable& table : tables) {
    const auto found = std::ranges::find_if(
        table.rows, [](const ProbeRow& row) { return row.group == "repeated" && row.solved; });
    if (found == table.rows.end()) continue;
    ++hits;
    example = found->text;
  }
  if (hits < 2 || hits < kOften * static_cast<double>(tables.size())) return {};
  return {ValidationFault::kAcceptsRepeats,
          fmt::format("the statement lets nothing be named twice; an answer that does is right in "
                      "{} of {} problems: \"{}\"",
                      hits, tables.size(), shown(example))};
}

// Partial credit is for answers that are nearly right.
ValidationFinding check_rewards(Tables tables) {
  double sum = 0;
  int count = 0;
  for (const ProbeTable& table : tables) {
    for (const ProbeRow& row : table.rows) {
      const bool far = row.kind == "far" || row.kind == "huge";
      if (!far || row.same || !row.score) continue;
      sum += std::clamp(*row.score, 0.0, 1.0);
      ++count;
    }
  }
  if (count == 0 || sum <= 0.25 * count) return {};
  return {ValidationFault::kWrongAnswersRewarded,
          fmt::format("{} answers that can be read but are far off earn {:.2f} on average", count,
                      sum / count)};
}

ProbeRow read_row(const Json& json) {
  ProbeRow row{.group = json.at("group").get<std::string>(),
               .kind = json.at("kind").get<std::string>(),
               .text = json.at("text").get<std::string>(),
               .score = std::nullopt,
               .solved = json.at("solved").get<bool>(),
               .same = json.at("same").get<bool>(),
               .fault = json.value("fault", ""),
               .not_finite = json.value("code", "") == "score_not_finite"};
  if (json.at("score").is_number()) row.score = json.at("score").get<double>();
  return row;
}

}  // namespace

Expected<std::vector<ProbeTable>> read_probe_tables(const Json& json,
                                                    std::span<const SampleProblem> problems) {
  std::vector<ProbeTable> tables;
  try {
    for (const Json& one : json.at("tables")) {
      ProbeTable& table = tables.emplace_back();
      if (tables.size() > problems.size()) return failure("there are more tables than problems");
      table.prompt = problems[tables.size() - 1].prompt;
      table.value = one.at("value").get<std::string>();
      table.texts = one.at("texts").get<std::vector<std::string>>();
      table.masked_prompt = one.at("masked_prompt").get<std::string>();
      table.masked_texts = one.at("masked_texts").get<std::vector<std::string>>();
      for (const Json& row : one.at("rows")) table.rows.push_back(read_row(row));
    }
  } catch (const nlohmann::json::exception& error) {
    return failure("the probes' answer cannot be read: {}", error.what());
  }
  if (tables.size() != problems.size()) return failure("there are fewer tables than problems");
  return tables;
}

ValidationFinding check_scorer(std::span<const ProbeTable> tables) {
  if (tables.empty()) return {};
  for (const auto& rule : {check_reference, check_parser, check_leak, check_finite, check_malformed,
                           check_discrimination, check_near_misses, check_tricks, check_rewards,
                           check_repeats, check_rounded}) {
    ValidationFinding finding = rule(tables);
    if (finding.fault != ValidationFault::kNone) return finding;
  }
  return {};
}

}  // namespace redqueen::synth
