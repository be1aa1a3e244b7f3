#include "redqueen/run/report/variants.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "redqueen/run/report/html.h"

namespace redqueen::run {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// What each run's last policy solved of the problems that all were asked, by variant and seed.
std::vector<std::vector<EvaluationTotal>> totals_of(std::span<const Variant> variants,
                                                    const std::string& suite) {
  std::vector<const std::vector<EvaluationRecord>*> evaluations;
  for (const Variant& variant : variants) {
    for (const RunData* run : variant.runs) evaluations.push_back(&run->evaluations);
  }
  const auto comparable = comparable_evaluations(evaluations, suite);
  std::vector<std::vector<EvaluationTotal>> totals;
  std::size_t next = 0;
  for (const Variant& variant : variants) {
    totals.emplace_back(variant.runs.size());
    for (EvaluationTotal& total : totals.back()) {
      for (const EvaluationRecord& row : comparable[next]) total.add(row);
      ++next;
    }
  }
  return totals;
}

std::vector<double> shares_of(const std::vector<EvaluationTotal>& totals) {
  std::vector<double> shares;
  for (const EvaluationTotal& total : totals)
    shares.push_back(total.problems == 0 ? kNone : total.share());
  return shares;
}

double effective_prompts(const Variant& variant) {
  std::vector<double> means;
  for (const RunData* run : variant.runs) {
    std::vector<double> values;
    for (const MetricPoint& point : run->metric(metric::kEffectivePrompts))
      values.push_back(point.value);
    means.push_back(finite_mean(values));
  }
  return finite_mean(means);
}

VariantRow row_of(const Variant& variant, const std::vector<EvaluationTotal>& own,
                  const std::vector<EvaluationTotal>& first) {
  const std::vector<double> shares = shares_of(own);
  const std::vector<double> firsts = shares_of(first);
  std::vector<double> differences;
  for (std::size_t i = 0; i < shares.size(); ++i) differences.push_back(shares[i] - firsts[i]);
  VariantRow row{.label = variant.label,
                 .solved = finite_mean(shares),
                 .difference = finite_mean(differences),
                 .effective_prompts = effective_prompts(variant)};
  if (shares.size() > 1) {
    row.interval = mean_interval(shares);
    row.difference_interval = mean_interval(differences);
  } else {
    row.interval = own[0].interval();
    row.difference_interval =
        difference_interval(shares[0], own[0].interval(), firsts[0], first[0].interval());
  }
  return row;
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "–";
}

// "21.2 % [19.3, 23.3]"
std::string with_interval(double share, const Interval& interval, bool signed_share) {
  if (!std::isfinite(share)) return "–";
  const std::string sign = signed_share && share > 0 ? "+" : "";
  return fmt::format("{}{} % [{}, {}]", sign, percent(share), percent(interval.low),
                     percent(interval.high));
}

std::string difference_text(const VariantTable& table, std::size_t i) {
  const VariantRow& row = table.rows[i];
  return i == 0 ? "" : with_interval(row.difference, row.difference_interval, true);
}

std::string ratio_text(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "–";
}

}  // namespace

std::vector<VariantTable> variant_tables(std::span<const Variant> variants) {
  std::set<std::string> suites;
  for (const Variant& variant : variants) {
    for (const RunData* run : variant.runs) {
      for (const EvaluationRecord& row : run->evaluations) suites.insert(row.suite);
    }
  }
  if (suites.empty()) suites.insert("");
  std::vector<VariantTable> tables;
  for (const std::string& suite : suites) {
    VariantTable table{.suite = suite, .rows = {}};
    const auto totals = totals_of(variants, suite);
    for (std::size_t i = 0; i < variants.size(); ++i)
      table.rows.push_back(row_of(variants[i], totals[i], totals[0]));
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string variant_text(const VariantTable& table) {
  std::size_t width = 0;
  for (const VariantRow& row : table.rows) width = std::max(width, row.label.size());
  std::string text = table.suite.empty() ? "" : fmt::format("on {}\n", table.suite);
  text += fmt::format("{:<{}}  {:<22}  {:<24}  {}\n", "", width, "solved",
                      "difference to the first", "effective prompts");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const VariantRow& row = table.rows[i];
    text += fmt::format("{:<{}}  {:<22}  {:<24}  {}\n", row.label, width,
                        with_interval(row.solved, row.interval, false), difference_text(table, i),
                        ratio_text(row.effective_prompts));
  }
  return text;
}

std::string variant_html(const VariantTable& table) {
  std::string html =
      "<table><thead><tr><th></th><th>solved</th><th>difference to the first</th>"
      "<th>effective prompts</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const VariantRow& row = table.rows[i];
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        html_escape(row.label), with_interval(row.solved, row.interval, false),
                        difference_text(table, i), ratio_text(row.effective_prompts));
  }
  return html + "</tbody></table>\n";
}

}  // namespace redqueen::run
