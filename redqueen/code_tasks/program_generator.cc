#include "redqueen/code_tasks/program_generator.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "redqueen/code_tasks/program_grammar.h"

namespace redqueen::code_tasks {
namespace {

constexpr std::string_view kTypes = "IBSLWTD";

// Small programs call their arguments x and y, so that a small policy has less to learn; from level
// 2 on names are drawn by type.
constexpr int kNamesLevel = 2;

// The names that rules use themselves (a, b, c, e, i, k, v, w, f) are not among them.
std::string_view names_of(char type) {
  switch (type) {
    case 'I':
      return "nxmyu";
    case 'B':
      return "oz";
    case 'S':
      return "strgj";
    case 'L':
      return "lpqhx";
    case 'W':
      return "thgyz";
    case 'T':
      return "pqy";
    default:
      return "dmzy";
  }
}

// A variable stands in the text as this byte plus its number until names are drawn, so that the
// skeleton does not depend on them.
constexpr char kFirstVariable = '\x01';
constexpr std::size_t kMaxVariables = 8;
static_assert(kFirstVariable + kMaxVariables <= '\t', "a variable must not look like a line break");

struct Variable {
  char type = 'I';
  bool used = false;
  bool argument = false;
};

struct Piece {
  std::string text;
  bool loose = false;
  bool conditional = false;               // "a if b else c"
  std::vector<std::string_view> phrases;  // innermost operation first
};

char letter(int level, Rng& rng) {
  return static_cast<char>('a' + rng.below(level < 2 ? 6 : level < 4 ? 12 : 26));
}

std::string quoted_word(int level, std::int64_t low, std::int64_t high, Rng& rng) {
  std::string word = "'";
  for (std::int64_t left = rng.integer(low, high); left > 0; --left) word += letter(level, rng);
  return word + "'";
}

// c a digit, m a factor, n where to cut, z an index or width, k a character, w a word.
std::string literal(char kind, int level, Rng& rng) {
  switch (kind) {
    case 'c':
      return fmt::format("{}", rng.integer(1, level < 2 ? 5 : 9));
    case 'm':
      return fmt::format("{}", rng.integer(2, level < 2 ? 3 : 5));
    case 'n':
      return fmt::format("{}", rng.integer(1, 2));
    case 'z':
      return fmt::format("{}", rng.integer(1, level < 2 ? 2 : 4));
    case 'k':
      return quoted_word(level, 1, 1, rng);
    default:
      return quoted_word(level, 2, 3, rng);
  }
}

class Writer {
 public:
  Writer(int level, Rng& rng) : level_(level), rng_(rng) {}

  std::optional<ProgramDraft> write() {
    draw_signature();
    for (int i = 0; i < statement_count(); ++i) {
      if (!statement()) return std::nullopt;
    }
    auto result = expression(return_type_, expression_depth());
    if (!result) return std::nullopt;
    body_ += "return " + result->text + "\n";
    note(*result);
    if (!std::ranges::all_of(variables_, &Variable::used)) return std::nullopt;
    return finish();
  }

 private:
  int statement_count() const { return level_ < 2 ? 0 : level_ - 1; }
  int expression_depth() const {
    if (level_ == 0) return 1;
    if (level_ < 5) return static_cast<int>(rng_.integer(1, 2));
    return static_cast<int>(rng_.integer(1, 3));
  }

  void draw_signature() {
    const std::string_view arguments = level_ < 2   ? "ISL"
                                       : level_ < 3 ? "ISLISLW"
                                       : level_ < 4 ? "ISLISLWT"
                                                    : "ISLISLWTDB";
    const std::string_view results = level_ == 0  ? "ISL"
                                     : level_ < 2 ? "ISLISLB"
                                     : level_ < 4 ? "ISLISLBWT"
                                                  : "ISLISLBWTD";
    const int count = level_ > 0 && rng_.chance(0.35) ? 2 : 1;
    for (int i = 0; i < count; ++i) {
      const char type = rng_.choice(arguments);
      signature_ += type;
      variables_.push_back({.type = type, .argument = true});
    }
    return_type_ = rng_.choice(results);
  }

  // Variables that nothing has used yet are taken first, most of the time.
  std::optional<std::size_t> draw_variable(char type) {
    std::vector<std::size_t> candidates;
    std::vector<double> weights;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i].type != type || i == pending_) continue;
      candidates.push_back(i);
      weights.push_back(variables_[i].used ? 1 : 6);
    }
    if (candidates.empty()) return std::nullopt;
    return candidates[rng_.weighted(weights)];
  }

  std::string name_of(std::size_t variable) const {
    return std::string(1, static_cast<char>(kFirstVariable + static_cast<char>(variable)));
  }

  // An expression whose operations nest `depth` deep; depth 0 is a variable.
  std::optional<Piece> expression(char type, int depth) {
    const bool loop = std::string_view("EPFQ").find(type) != std::string_view::npos;
    if (depth == 0 && !loop) {
      const auto variable = draw_variable(type);
      if (!variable) return std::nullopt;
      variables_[*variable].used = true;
      return Piece{.text = name_of(*variable)};
    }
    std::vector<const ExpressionRule*> rules;
    std::vector<double> weights;
    for (const ExpressionRule& rule : expression_rules()) {
      if (rule.type != type || rule.level > level_) continue;
      rules.push_back(&rule);
      weights.push_back(rule.weight);
    }
    if (rules.empty()) return std::nullopt;
    for (int attempt = 0; attempt < 8; ++attempt) {
      const ExpressionRule& rule = *rules[rng_.weighted(weights)];
      const std::vector<Variable> before = variables_;
      if (auto piece = fill(rule.text, depth)) {
        piece->loose = rule.loose;
        piece->conditional = rule.text.find(" if <B> else ") != rule.text.npos;
        if (!rule.phrase.empty()) piece->phrases.push_back(rule.phrase);
        return piece;
      }
      variables_ = before;
    }
    return std::nullopt;
  }

  std::optional<Piece> expression_up_to(char type, int depth) {
    for (; depth >= 0; --depth) {
      if (auto piece = expression(type, depth)) return piece;
    }
    return std::nullopt;
  }

  // The text of a rule with its slots filled; the first slot nests deepest.
  std::optional<Piece> fill(std::string_view text, int depth) {
    Piece piece;
    bool first = true;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t close = at + 2 < text.size() && text[at + 2] == ',' ? at + 3 : at + 2;
      if (text[at] != '<' || close >= text.size() || text[close] != '>') {
        piece.text += text[at];
        continue;
      }
      const char kind = text[at + 1];
      const bool alone = close == at + 3;
      // What a comprehension runs over; a loop's colon would follow at once.
      const bool iterated = piece.text.ends_with(" in ") && text.substr(close + 1, 1) != ":";
      at = close;
      if (kind >= 'a' && kind <= 'z') {
        piece.text += literal(kind, level_, rng_);
        continue;
      }
      const char type = kind == 'R' ? return_type_ : kind;
      const int deepest = std::max(0, depth - 1);
      const auto part = first ? expression_up_to(type, deepest)
                              : expression_up_to(type, static_cast<int>(rng_.integer(0, deepest)));
      if (!part) return std::nullopt;
      first = false;
      const bool brackets = part->loose && (!alone || (iterated && part->conditional));
      piece.text += brackets ? "(" + part->text + ")" : part->text;
      piece.phrases.insert(piece.phrases.end(), part->phrases.begin(), part->phrases.end());
    }
    return piece;
  }

  void note(const Piece& piece) {
    phrases_.insert(phrases_.end(), piece.phrases.begin(), piece.phrases.end());
  }

  bool statement() {
    std::vector<const StatementRule*> rules;
    for (const StatementRule& rule : statement_rules()) {
      if (rule.level <= level_) rules.push_back(&rule);
    }
    for (int attempt = 0; attempt < 12; ++attempt) {
      const std::vector<Variable> before = variables_;
      if (apply(*rng_.choice(rules))) return true;
      variables_ = before;
      pending_ = kNone;
    }
    return false;
  }

  bool apply(const StatementRule& rule) {
    std::string target;
    const bool makes = rule.text.find('$') != std::string_view::npos;
    if (makes) {
      if (variables_.size() == kMaxVariables) return false;
      pending_ = variables_.size();
      variables_.push_back({.type = rule.type});
      target = name_of(pending_);
    } else if (rule.text.find('@') != std::string_view::npos) {
      const auto changed = draw_variable(rule.type);
      if (!changed) return false;
      target = name_of(*changed);
    }
    auto piece = fill(rule.text, expression_depth() + 1);
    if (!piece) return false;
    pending_ = kNone;
    if (!rule.phrase.empty()) piece->phrases.push_back(rule.phrase);
    for (const char c : piece->text) body_ += c == '$' || c == '@' ? target : std::string(1, c);
    body_ += "\n";
    note(*piece);
    return true;
  }

  ProgramDraft finish() {
    std::string skeleton = "def f(";
    for (std::size_t i = 0; i < signature_.size(); ++i)
      skeleton += (i > 0 ? ", " : "") + name_of(i);
    skeleton += "):\n    ";
    for (std::size_t i = 0; i + 1 < body_.size(); ++i) {
      skeleton += body_[i];
      if (body_[i] == '\n') skeleton += "    ";
    }
    ProgramDraft draft{.source = {},
                       .message = message(),
                       .argument_types = signature_,
                       .return_type = return_type_,
                       .inputs = {},
                       .skeleton = hash_name(skeleton)};
    const std::string names = draw_names();
    for (const char c : skeleton) {
      const auto variable = static_cast<std::size_t>(c - kFirstVariable);
      draft.source += variable < names.size() ? names[variable] : c;
    }
    return draft;
  }

  // A letter for every variable, no letter twice.
  std::string draw_names() {
    if (level_ < kNamesLevel) return "xy";
    std::string names;
    for (const Variable& variable : variables_) {
      std::string free;
      for (const char c : names_of(variable.type)) {
        if (names.find(c) == std::string::npos) free += c;
      }
      for (char c = 'A'; free.empty(); ++c) {
        if (names.find(c) == std::string::npos) free += c;
      }
      names += rng_.choice(free);
    }
    return names;
  }

  std::string message() const {
    constexpr std::size_t kMaxPhrases = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(phrases_.size(), kMaxPhrases); ++i)
      text += fmt::format("{}{}", i > 0 ? ", " : "", phrases_[i]);
    return text;
  }

  static constexpr std::size_t kNone = kMaxVariables;

  int level_;
  Rng& rng_;
  std::string signature_;
  char return_type_ = 'I';
  std::vector<Variable> variables_;
  std::size_t pending_ =
      kNone;  // the variable that the statement in hand makes: not yet to be read
  std::string body_;
  std::vector<std::string_view> phrases_;
};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? ", " : "") + parts[i];
  return text;
}

std::string argument(char type, int level, Rng& rng) {
  const std::int64_t shortest = level >= 3 && rng.chance(0.1) ? 0 : 1;
  const std::int64_t longest = 4 + level / 2;
  const auto number = [&] {
    return fmt::format("{}", rng.integer(level < 2 ? 0 : -9, level < 2 ? 9 : 9 + 5 * level));
  };
  std::vector<std::string> parts;
  switch (type) {
    case 'I':
      return fmt::format("{}", rng.integer(level < 2 ? 0 : -9, level < 2 ? 9 : 9 + 10 * level));
    case 'B':
      return rng.chance(0.5) ? "True" : "False";
    case 'S':
      return quoted_word(level, shortest, longest, rng);
    case 'L':
      for (auto left = rng.integer(shortest, longest); left > 0; --left) parts.push_back(number());
      return "[" + joined(parts) + "]";
    case 'W':
      for (auto left = rng.integer(shortest, 3); left > 0; --left)
        parts.push_back(quoted_word(level, 1, 3, rng));
      return "[" + joined(parts) + "]";
    case 'T':
      return fmt::format("({}, {})", number(), number());
    default: {
      std::set<std::string> keys;
      for (auto left = rng.integer(shortest, 3); left > 0; --left) {
        const std::string key = quoted_word(level, 1, 2, rng);
        if (keys.insert(key).second) parts.push_back(key + ": " + number());
      }
      return "{" + joined(parts) + "}";
    }
  }
}

std::string empty_of(char type) {
  switch (type) {
    case 'S':
      return "''";
    case 'L':
    case 'W':
      return "[]";
    case 'T':
      return "()";
    case 'D':
      return "{}";
    default:
      return "None";
  }
}

// What a program with an argument of this type does not expect.
std::string wrong_argument(char type, int level, Rng& rng) {
  constexpr double kEmptyShare = 0.4;
  if (rng.chance(kEmptyShare)) return empty_of(type);
  return argument(rng.choice(kTypes), level, rng);
}

// `failing`: one of the arguments is wrong.
std::vector<std::string> draw_inputs(std::string_view types, int level, int count, bool failing,
                                     Rng& rng) {
  std::vector<std::string> inputs;
  for (int attempt = 0; attempt < 4 * count && std::ssize(inputs) < count; ++attempt) {
    std::vector<std::string> arguments;
    for (const char type : types) arguments.push_back(argument(type, level, rng));
    if (failing) {
      const std::size_t wrong = rng.below(types.size());
      arguments[wrong] = wrong_argument(types[wrong], level, rng);
    }
    std::string input = joined(arguments);
    if (std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(std::move(input));
  }
  return inputs;
}

// Some outputs differ, none makes up most of them, and the program is not the identity.
bool is_interesting(const std::vector<ProgramExample>& examples) {
  std::map<std::string_view, std::size_t> counts;
  std::size_t identical = 0;
  for (const ProgramExample& example : examples) {
    ++counts[example.output];
    identical += example.input == example.output;
  }
  std::size_t most = 0;
  for (const auto& [output, count] : counts) most = std::max(most, count);
  return 10 * most <= 7 * examples.size() && 2 * identical <= examples.size();
}

// A wrong argument raises a TypeError in nearly every program, an AttributeError in many, others in
// few: places take turns, so that no name is the answer to most.
bool is_wanted(std::string_view exception, const ProgramPlace& place) {
  Rng rng({.seed = place.salt,
           .purpose = hash_name("wanted exception"),
           .step = static_cast<std::uint64_t>(place.level),
           .index = place.seed});
  constexpr std::array<std::string_view, 2> kFrequent{"TypeError", "AttributeError"};
  const std::size_t turn = rng.below(4);
  if (turn < kFrequent.size()) return exception == kFrequent[turn];
  return exception.ends_with("Error") && std::ranges::count(kFrequent, exception) == 0;
}

std::optional<RandomProgram> sift_failing(const ProgramDraft& draft,
                                          const std::vector<sandbox::Outcome>& outcomes,
                                          const ProgramPlace& place) {
  RandomProgram program{draft.source, draft.message, {}};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const sandbox::Outcome& outcome = outcomes[i];
    if (outcome.status != sandbox::OutcomeStatus::kError || !is_wanted(outcome.exception, place))
      continue;
    if (std::ranges::find(program.examples, outcome.exception, &ProgramExample::output) ==
        program.examples.end())
      program.examples.push_back({draft.inputs[i], outcome.exception});
  }
  if (program.examples.empty()) return std::nullopt;
  return program;
}

std::optional<RandomProgram> sift(const ProgramDraft& draft,
                                  const std::vector<sandbox::Outcome>& outcomes,
                                  const ProgramPlace& place, const ProgramOptions& options) {
  if (options.failing) return sift_failing(draft, outcomes, place);
  RandomProgram program{draft.source, draft.message, {}};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const sandbox::Outcome& outcome = outcomes[i];
    if (!outcome.ok() || outcome.canonical.empty() || outcome.value == "None" ||
        outcome.value.size() > options.max_output_bytes)
      continue;
    program.examples.push_back({draft.inputs[i], outcome.value});
  }
  if (std::ssize(program.examples) < options.examples || !is_interesting(program.examples))
    return std::nullopt;
  return program;
}

// The first draft of a place, from attempt `attempt` on, that belongs to the split and is short
// enough. `attempt` moves past it.
std::optional<ProgramDraft> next_draft(const ProgramPlace& place, const ProgramOptions& options,
                                       int& attempt) {
  while (attempt < options.attempts) {
    Rng rng({.seed = place.salt,
             .purpose = hash_name("random program"),
             .step = static_cast<std::uint64_t>(place.level),
             .index = place.seed,
             .salt = static_cast<std::uint64_t>(attempt++)});
    auto draft = draft_program(place.level, options.inputs, rng);
    if (!draft || split_of(*draft) != options.split ||
        std::ssize(draft->inputs) < options.examples ||
        draft->source.size() > options.max_source_bytes)
      continue;
    if (options.failing) {
      draft->inputs =
          draw_inputs(draft->argument_types, place.level, options.inputs, /*failing=*/true, rng);
    }
    return draft;
  }
  return std::nullopt;
}

// Programs share a child, under names of their own: a fork costs more than running them all, and
// nobody hostile wrote them.
sandbox::Batch batch_of(std::span<const ProgramDraft> drafts) {
  constexpr std::string_view kHead = "def f(";
  sandbox::Batch batch;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const std::string name = fmt::format("f{}", i);
    batch.program.source +=
        fmt::format("def {}({}\n\n", name, drafts[i].source.substr(kHead.size()));
    for (const std::string& input : drafts[i].inputs)
      batch.calls.push_back(sandbox::Call::literal(name, input));
  }
  return batch;
}

// The outcomes of every draft's inputs.
std::vector<std::vector<sandbox::Outcome>> run_drafts(sandbox::Sandbox& sandbox,
                                                      std::span<const ProgramDraft> drafts) {
  constexpr std::size_t kTogether = 16;
  std::vector<sandbox::Batch> batches;
  for (std::size_t begin = 0; begin < drafts.size(); begin += kTogether)
    batches.push_back(batch_of(drafts.subspan(begin, std::min(kTogether, drafts.size() - begin))));
  std::vector<std::vector<sandbox::Outcome>> outcomes;
  std::size_t draft = 0;
  for (std::vector<sandbox::Outcome>& batch : sandbox.run_many(batches)) {
    auto at = batch.begin();
    for (std::size_t i = 0; i < kTogether && draft < drafts.size(); ++i, ++draft) {
      const auto end = at + std::ssize(drafts[draft].inputs);
      outcomes.emplace_back(std::make_move_iterator(at), std::make_move_iterator(end));
      at = end;
    }
  }
  return outcomes;
}

}  // namespace

std::optional<ProgramDraft> draft_program(int level, int inputs, Rng& rng) {
  constexpr int kAttempts = 40;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto draft = Writer(std::clamp(level, 0, kMaxProgramLevel), rng).write();
    if (!draft) continue;
    draft->inputs = draw_inputs(draft->argument_types, level, inputs, /*failing=*/false, rng);
    return draft;
  }
  return std::nullopt;
}

ProgramSplit split_of(const ProgramDraft& draft) {
  constexpr std::uint64_t kShare = 8;
  return draft.skeleton % kShare == 0 ? ProgramSplit::kHeldOut : ProgramSplit::kTraining;
}

std::vector<std::optional<RandomProgram>> draw_programs(sandbox::Sandbox& sandbox,
                                                        std::span<const ProgramPlace> places,
                                                        const ProgramOptions& options) {
  std::vector<std::optional<RandomProgram>> programs(places.size());
  std::vector<int> attempts(places.size(), 0);
  std::vector<std::size_t> open(places.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  while (!open.empty()) {
    std::vector<std::size_t> drawn;
    std::vector<ProgramDraft> drafts;
    for (const std::size_t i : open) {
      auto draft = next_draft(places[i], options, attempts[i]);
      if (!draft) continue;
      drawn.push_back(i);
      drafts.push_back(std::move(*draft));
    }
    const auto outcomes = run_drafts(sandbox, drafts);
    open.clear();
    for (std::size_t j = 0; j < drawn.size(); ++j) {
      programs[drawn[j]] = sift(drafts[j], outcomes[j], places[drawn[j]], options);
      if (!programs[drawn[j]]) open.push_back(drawn[j]);
    }
  }
  return programs;
}

}  // namespace redqueen::code_tasks
