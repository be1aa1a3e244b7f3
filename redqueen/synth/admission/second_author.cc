#include "redqueen/synth/admission/second_author.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "redqueen/core/batch.h"
#include "redqueen/synth/novelty/novelty_text.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/validation/extraction.h"

namespace redqueen::synth {
namespace {

constexpr std::size_t kProbed = 4;      // problems that a program has to say something to
constexpr double kSameAnswers = 0.9;    // of two programs that agree
constexpr double kUnderstanding = 0.1;  // share of right answers that shows it
constexpr int kFewestOpposed = 2;       // problems
constexpr int kVoices = 2;              // that refute, where they understand
constexpr int kVoicesInTheDark = 3;     // where they do not
constexpr std::size_t kLongestSource = 100'000;
constexpr std::size_t kLongestAnswer = 100'000;

// Words separated by one space, lines by one end: other layout is no difference between answers.
std::string plain_text(std::string_view text) {
  std::string plain;
  char gap = 0;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!plain.empty()) gap = c == '\n' || gap == '\n' ? '\n' : ' ';
      continue;
    }
    if (gap != 0) plain += std::exchange(gap, 0);
    plain += c;
  }
  return plain;
}

// The same on one line.
std::string on_one_line(std::string_view text) {
  std::string line = plain_text(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

// The integers of a text, as they are written.
std::vector<std::string> numbers_of(std::string_view text) {
  std::vector<std::string> numbers;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    const bool negative = i > 0 && text[i - 1] == '-';
    std::size_t end = i;
    while (end < text.size() && is_digit(text[end])) ++end;
    numbers.push_back((negative ? "-" : "") + std::string(text.substr(i, end - i)));
    i = end;
  }
  return numbers;
}

// Whether every answer is the number at one place of its prompt, counted from either end.
bool is_echo(std::span<const SecondInstance> instances, const SecondProgram& program) {
  std::optional<std::set<std::ptrdiff_t>> places;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (!program.answers[i]) continue;
    const auto numbers = numbers_of(instances[i].prompt);
    std::set<std::ptrdiff_t> here;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (numbers[k] != *program.answers[i]) continue;
      here.insert(static_cast<std::ptrdiff_t>(k));
      here.insert(static_cast<std::ptrdiff_t>(k) - std::ssize(numbers));
    }
    if (!places) {
      places = std::move(here);
    } else {
      std::erase_if(*places, [&](std::ptrdiff_t place) { return !here.contains(place); });
    }
    if (places->empty()) return false;
  }
  return places.has_value();
}

// Why a program counts for nothing; empty: it speaks.
std::string silence_of(std::span<const SecondInstance> instances, const SecondProgram& program,
                       std::set<std::string>& shapes) {
  if (program.source.empty()) return "it has no program";
  if (2 * program.answered() < std::ssize(instances)) {
    return fmt::format("it answers {} of {} problems", program.answered(), instances.size());
  }
  std::set<std::string> different;
  for (const auto& answer : program.answers) {
    if (answer) different.insert(*answer);
  }
  if (different.size() < 2) return "it always answers the same";
  if (is_echo(instances, program)) return "it repeats a number of the prompt";
  if (!shapes.insert(program_shape(program.source)).second) return "it is another one's copy";
  return {};
}

bool agrees_with_reference(const SecondProgram& program) {
  return program.rights() == program.answered();
}

// Whether two programs answer alike where both answer.
bool agree(const SecondProgram& a, const SecondProgram& b) {
  std::size_t both = 0;
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.answers.size(); ++i) {
    if (!a.answers[i] || !b.answers[i]) continue;
    ++both;
    same += *a.answers[i] == *b.answers[i];
  }
  return 2 * both >= a.answers.size() &&
         static_cast<double>(same) >= kSameAnswers * static_cast<double>(both);
}

// The problems to which all of a group give one answer, which the scorer refuses.
std::vector<std::size_t> opposed_by(std::span<const SecondProgram* const> group) {
  std::vector<std::size_t> opposed;
  for (std::size_t i = 0; i < group.front()->answers.size(); ++i) {
    const auto& answer = group.front()->answers[i];
    const bool common = answer && std::ranges::all_of(group, [&](const SecondProgram* one) {
                          return one->answers[i] == answer && !one->right[i];
                        });
    if (common) opposed.push_back(i);
  }
  return opposed;
}

// Whether the answers to the opposed problems are more than one fallback: they differ, or the one
// that they are was right more often elsewhere, as yes and no are.
bool are_answers(const SecondProgram& program, std::span<const std::size_t> opposed) {
  const auto& first = program.answers[opposed.front()];
  if (std::ranges::any_of(opposed, [&](std::size_t i) { return program.answers[i] != first; }))
    return true;
  std::size_t rights = 0;
  for (std::size_t i = 0; i < program.answers.size(); ++i)
    rights += program.right[i] && program.answers[i] == first;
  return rights > opposed.size();
}

// Whether a group may refute: answers, and enough voices for what it understands.
bool convinces(std::span<const SecondProgram* const> group, std::span<const std::size_t> opposed) {
  if (std::ssize(opposed) < kFewestOpposed || !are_answers(*group.front(), opposed)) return false;
  const bool understands = std::ranges::all_of(group, [](const SecondProgram* one) {
    return one->rights() >= kUnderstanding * one->answered();
  });
  return std::ssize(group) >= (understands ? kVoices : kVoicesInTheDark);
}

struct Refutation {
  std::vector<const SecondProgram*> group;
  std::vector<std::size_t> opposed;
};

// Whether two programs gave different right answers to a problem.
bool found_several(std::span<const SecondProgram> programs) {
  const std::size_t count = programs.empty() ? 0 : programs.front().answers.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::set<std::string> right;
    for (const SecondProgram& program : programs) {
      if (program.answers[i] && program.right[i]) right.insert(*program.answers[i]);
    }
    if (right.size() > 1) return true;
  }
  return false;
}

// The largest convincing group that grows from one of the programs; none: nothing.
std::optional<Refutation> find_refutation(std::span<const SecondProgram* const> programs) {
  std::optional<Refutation> best;
  for (const SecondProgram* first : programs) {
    std::vector<const SecondProgram*> group{first};
    for (const SecondProgram* other : programs) {
      if (other == first) continue;
      if (std::ranges::all_of(group, [&](const auto* one) { return agree(*one, *other); }))
        group.push_back(other);
    }
    auto opposed = opposed_by(group);
    if (!convinces(group, opposed)) continue;
    if (!best || group.size() > best->group.size())
      best = Refutation{std::move(group), std::move(opposed)};
  }
  return best;
}

// A value that a program returned, as a solver would write it; nothing for what is no answer.
std::optional<std::string> answer_text(const Json& value) {
  if (value.is_string()) return plain_text(value.get<std::string>());
  if (value.is_number()) return dump_json(value);
  if (!value.is_array()) return std::nullopt;
  std::string text;
  for (const Json& item : value) {
    if (!item.is_string() && !item.is_number()) return std::nullopt;
    text +=
        (text.empty() ? "" : " ") + (item.is_string() ? item.get<std::string>() : dump_json(item));
  }
  return plain_text(text);
}

std::vector<std::optional<std::string>> read_answers(std::span<const sandbox::Outcome> outcomes) {
  std::vector<std::optional<std::string>> answers;
  for (const sandbox::Outcome& outcome : outcomes) {
    std::optional<std::string> answer;
    if (outcome.ok() && outcome.json.size() <= kLongestAnswer) {
      if (const auto value = parse_json(outcome.json)) answer = answer_text(*value);
    }
    if (answer && answer->empty()) answer.reset();
    answers.push_back(std::move(answer));
  }
  return answers;
}

sandbox::Batch batch_of(const std::string& source, std::span<const ProblemPtr> problems,
                        double call_seconds) {
  sandbox::Batch batch;
  batch.program.source = source;
  batch.program.limits.wall_seconds = call_seconds;
  for (const ProblemPtr& problem : problems)
    batch.calls.push_back(
        sandbox::Call::json("solve", dump_json(Json::array({problem->prompt()}))));
  return batch;
}

// Adds the answers of the chosen programs to the problems.
void run_on(sandbox::Sandbox& sandbox, std::span<const ProblemPtr> problems, double call_seconds,
            std::span<const std::size_t> chosen, std::vector<SecondProgram>& programs) {
  std::vector<sandbox::Batch> batches;
  for (const std::size_t p : chosen)
    batches.push_back(batch_of(programs[p].source, problems, call_seconds));
  const auto outcomes = sandbox.run_many(batches);
  for (std::size_t b = 0; b < chosen.size(); ++b) {
    auto answers = read_answers(outcomes[b]);
    answers.resize(problems.size());
    std::ranges::move(answers, std::back_inserter(programs[chosen[b]].answers));
  }
}

void score_answers(std::span<const ProblemPtr> problems, std::vector<SecondProgram>& programs) {
  std::vector<AnswerRequest> requests;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    programs[p].answers.resize(problems.size());
    programs[p].right.assign(problems.size(), false);
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (!programs[p].answers[i]) continue;
      requests.push_back({problems[i].get(), *programs[p].answers[i]});
      places.emplace_back(p, i);
    }
  }
  const auto verdicts = score_all(requests);
  for (std::size_t k = 0; k < places.size(); ++k)
    programs[places[k].first].right[places[k].second] = verdicts[k].solved;
}

}  // namespace

int SecondProgram::answered() const {
  return static_cast<int>(
      std::ranges::count_if(answers, [](const auto& answer) { return answer.has_value(); }));
}

int SecondProgram::rights() const { return static_cast<int>(std::ranges::count(right, true)); }

std::string_view to_string(SecondVerdict verdict) {
  switch (verdict) {
    case SecondVerdict::kSilent:
      return "silent";
    case SecondVerdict::kConfirmed:
      return "confirmed";
    case SecondVerdict::kAmbiguous:
      return "ambiguous";
    case SecondVerdict::kRefuted:
      return "refuted";
  }
  return "unknown";
}

std::string SecondOpinion::sentence() const {
  switch (verdict) {
    case SecondVerdict::kSilent:
      return "No second author speaks about it.";
    case SecondVerdict::kConfirmed:
      return fmt::format("{} of {} second programs give its references.", agreeing, programs);
    case SecondVerdict::kAmbiguous:
      return fmt::format(
          "The {} second programs that speak disagree with each other: its statement may be "
          "ambiguous.",
          speaking);
    case SecondVerdict::kRefuted:
      break;
  }
  constexpr std::size_t kLongest = 160;
  std::string text = fmt::format(
      "{} independent programs, written from its problems alone, agree on {} of {} problems "
      "against "
      "its reference",
      against, opposed, instances);
  if (example) {
    text += fmt::format("; they answer {} where it has {}: {}",
                        shortened(on_one_line(answer), kLongest),
                        shortened(on_one_line(example->reference), kLongest),
                        shortened(on_one_line(example->prompt), 4 * kLongest));
  }
  return text;
}

Json SecondOpinion::to_json() const {
  Json json{{"verdict", std::string(to_string(verdict))},
            {"programs", programs},
            {"speaking", speaking},
            {"agreeing", agreeing},
            {"against", against},
            {"instances", instances},
            {"opposed", opposed},
            {"lost", lost},
            {"several_answers", several_answers},
            {"silences", silences},
            {"sources", sources}};
  if (example) {
    json["example"] = {{"level", example->level},
                       {"prompt", example->prompt},
                       {"reference", example->reference},
                       {"answer", answer}};
  }
  return json;
}

std::string program_shape(std::string_view source) {
  std::string shape;
  std::map<std::string_view, std::size_t> names;
  for (const PythonLine& line : python_lines(source)) {
    const bool is_docstring =
        line.tokens.size() == 1 && line.tokens.front().kind == PythonTokenKind::kString;
    if (is_docstring) continue;
    for (const PythonToken& token : line.tokens) {
      if (token.kind == PythonTokenKind::kName) {
        shape += fmt::format("${} ", names.emplace(token.text, names.size()).first->second);
      } else if (token.kind == PythonTokenKind::kString) {
        shape += fmt::format("\"{}\" ", python_string_value(token.text));
      } else {
        shape += fmt::format("{} ", token.text);
      }
    }
  }
  return shape;
}

SecondOpinion weigh_programs(std::span<const SecondInstance> instances,
                             std::span<const SecondProgram> programs) {
  SecondOpinion opinion{.programs = static_cast<int>(programs.size()),
                        .instances = static_cast<int>(instances.size())};
  opinion.several_answers = found_several(programs);
  std::set<std::string> shapes;
  std::vector<const SecondProgram*> speaking;
  for (const SecondProgram& program : programs) {
    opinion.sources.push_back(program.source);
    std::string silence = silence_of(instances, program, shapes);
    if (silence.empty()) {
      speaking.push_back(&program);
    } else {
      opinion.silences.push_back(std::move(silence));
    }
  }
  opinion.speaking = static_cast<int>(speaking.size());
  opinion.agreeing = static_cast<int>(std::ranges::count_if(
      speaking, [](const SecondProgram* one) { return agrees_with_reference(*one); }));
  if (speaking.empty()) return opinion;
  if (opinion.agreeing == opinion.speaking) {
    opinion.verdict = SecondVerdict::kConfirmed;
    return opinion;
  }
  if (opinion.speaking > 1) opinion.verdict = SecondVerdict::kAmbiguous;
  if (opinion.agreeing > 0) return opinion;
  const auto refutation = find_refutation(speaking);
  if (!refutation) return opinion;
  opinion.verdict = SecondVerdict::kRefuted;
  opinion.against = static_cast<int>(refutation->group.size());
  opinion.opposed = static_cast<int>(refutation->opposed.size());
  const std::size_t shortest = *std::ranges::min_element(
      refutation->opposed, {}, [&](std::size_t i) { return instances[i].prompt.size(); });
  opinion.example = instances[shortest];
  opinion.answer = *refutation->group.front()->answers[shortest];
  return opinion;
}

std::vector<SecondProgram> run_second_programs(sandbox::Sandbox& sandbox,
                                               std::span<const std::string> sources,
                                               std::span<const ProblemPtr> problems,
                                               double call_seconds) {
  std::vector<SecondProgram> programs;
  std::vector<std::size_t> chosen;
  for (const std::string& source : sources) {
    SecondProgram& program = programs.emplace_back();
    if (source.empty() || source.size() > kLongestSource) continue;
    program.source = source;
    chosen.push_back(programs.size() - 1);
  }
  const auto first = problems.first(std::min(kProbed, problems.size()));
  run_on(sandbox, first, call_seconds, chosen, programs);
  std::erase_if(chosen, [&](std::size_t p) { return programs[p].answered() == 0; });
  run_on(sandbox, problems.subspan(first.size()), call_seconds, chosen, programs);
  score_answers(problems, programs);
  return programs;
}

Expected<std::string> second_author_prompt(const PromptTemplate& prompt,
                                           std::span<const std::string> problems) {
  std::string text;
  for (std::size_t i = 0; i < problems.size(); ++i)
    text += fmt::format("{}Problem {}:\n{}", i > 0 ? "\n\n" : "", i + 1, fenced(problems[i]));
  return prompt.fill({{"problems", std::move(text)}});
}

Expected<std::vector<SecondOpinion>> ask_second_author(sandbox::Sandbox& sandbox, Policy& author,
                                                       const SecondAuthorRequest& request,
                                                       MissingResponses* missing) {
  const SecondAuthorSettings& settings = request.settings;
  const std::size_t each = static_cast<std::size_t>(settings.shown + settings.instances);
  std::vector<std::unique_ptr<PythonEnvironment>> environments;
  std::vector<ProblemRequest> problems;
  for (std::size_t c = 0; c < request.sources.size(); ++c) {
    environments.push_back(std::make_unique<PythonEnvironment>(request.sources[c], sandbox));
    RandomAddress address = request.address;
    address.purpose = hash_name("problems of a second author");
    address.index = request.places[c];
    for (std::size_t k = 0; k < each; ++k) {
      address.salt = k;
      problems.push_back({environments.back().get(), settings.levels[k % settings.levels.size()],
                          Rng(address).bits(), request.address.seed | 1});
    }
  }
  auto made = generate_all(problems);

  std::vector<SampleRequest> prompts;
  std::vector<std::vector<ProblemPtr>> run(request.sources.size());
  std::vector<std::vector<SecondInstance>> instances(request.sources.size());
  std::vector<std::optional<std::size_t>> prompt_of(request.sources.size());
  for (std::size_t c = 0; c < request.sources.size(); ++c) {
    std::vector<std::string> shown;
    for (std::size_t k = 0; k < each; ++k) {
      auto& problem = made[c * each + k];
      if (!problem) continue;
      if (k < static_cast<std::size_t>(settings.shown)) {
        shown.push_back((*problem)->prompt());
        continue;
      }
      instances[c].push_back(
          {problems[c * each + k].level, (*problem)->prompt(), (*problem)->reference()});
      run[c].push_back(std::move(*problem));
    }
    if (shown.empty() || run[c].empty()) continue;
    ASSIGN_OR_RETURN(const std::string text, second_author_prompt(request.prompt, shown));
    SampleRequest& one = prompts.emplace_back();
    one.prompt = request.format.render(text);
    for (int k = 0; k < settings.programs; ++k) {
      RandomAddress address = request.address;
      address.index = request.places[c];
      address.salt = static_cast<std::uint64_t>(k);
      one.addresses.push_back(address);
    }
    prompt_of[c] = prompts.size() - 1;
  }
  std::vector<CompletionGroup> groups;
  if (!prompts.empty()) {
    ASSIGN_OR_RETURN(groups, author.sample(prompts, {.max_new_tokens = settings.max_new_tokens,
                                                     .temperature = settings.temperature}));
  }
  if (missing != nullptr) missing->count(groups);

  std::vector<SecondOpinion> opinions;
  for (std::size_t c = 0; c < request.sources.size(); ++c) {
    std::vector<std::string> sources;
    int lost = 0;
    if (prompt_of[c]) {
      for (const Completion& completion : groups[*prompt_of[c]].completions) {
        lost += completion.finish == FinishReason::kFailed;
        sources.push_back(longest_python_block(completion.text).value_or(""));
      }
    }
    const auto programs = run_second_programs(sandbox, sources, run[c], settings.call_seconds);
    SecondOpinion& opinion = opinions.emplace_back(weigh_programs(instances[c], programs));
    opinion.lost = lost;
  }
  return opinions;
}

}  // namespace redqueen::synth
