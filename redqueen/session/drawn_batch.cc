#include "redqueen/session/drawn_batch.h"

#include <cstdint>
#include <exception>
#include <fstream>
#include <span>
#include <string>

#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/session/distributed/messages.h"

namespace redqueen {
namespace {

// The members of a record, by their names in the file.

template <typename Visitor>
void visit_record(run::MetricValue& metric, Visitor& visit) {
  visit("name", metric.name);
  visit("value", metric.value);
}

template <typename Visitor>
void visit_record(run::CurriculumState& row, Visitor& visit) {
  visit("environment", row.environment);
  visit("lower_level", row.lower_level);
  visit("upper_level", row.upper_level);
  visit("attempts", row.attempts);
  visit("solved", row.solved);
}

template <typename Visitor>
void visit_record(run::RolloutRecord& rollout, Visitor& visit) {
  visit("group", rollout.group);
  visit("environment", rollout.environment);
  visit("level", rollout.level);
  visit("problem_address", rollout.problem_address);
  visit("prompt", rollout.prompt);
  visit("response", rollout.response);
  visit("reward", rollout.reward);
  visit("solved", rollout.solved);
  visit("well_formed", rollout.well_formed);
  visit("tokens", rollout.tokens);
  visit("turns", rollout.turns);
}

template <typename Visitor>
void visit_record(run::ItemRecord& item, Visitor& visit) {
  visit("kind", item.kind);
  visit("name", item.name);
  visit("fate", item.fate);
  visit("data", item.data);
}

template <typename Visitor>
void visit_record(MissingResponses& missing, Visitor& visit) {
  visit("asked", missing.asked);
  visit("too_long", missing.too_long);
  visit("failed", missing.failed);
  visit("reason", missing.reason);
}

template <typename Record>
Json record_json(Record record) {
  Json json = Json::object();
  const auto write = [&](const char* key, const auto& member) { json[key] = member; };
  visit_record(record, write);
  return json;
}

template <typename Record>
Record record_from(const Json& json) {
  Record record;
  const auto read = [&](const char* key, auto& member) { json.at(key).get_to(member); };
  visit_record(record, read);
  return record;
}

template <typename Record>
Json record_list(const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(record_json(record));
  return list;
}

template <typename Record>
std::vector<Record> records_from(const Json& list) {
  std::vector<Record> records;
  for (const Json& json : list) records.push_back(record_from<Record>(json));
  return records;
}

Json drawn_batch_json(const DrawnBatch& batch) {
  Json groups = Json::array();
  for (const ScoredGroup& group : batch.made.groups) groups.push_back(to_message(group));
  return {{"step", batch.step},
          {"groups", std::move(groups)},
          {"metrics", record_list(batch.made.metrics)},
          {"rollouts", record_list(batch.made.rollouts)},
          {"items", record_list(batch.made.items)},
          {"sampled_tokens", batch.made.sampled_tokens},
          {"missing", record_json(batch.made.missing)},
          {"remark", batch.made.remark},
          {"curriculum", record_list(batch.curriculum)},
          {"sampling_seconds", batch.sampling_seconds},
          {"waiting_seconds", batch.waiting_seconds}};
}

DrawnBatch drawn_batch_from(const Json& json) {
  DrawnBatch batch{.step = json.at("step").get<std::int64_t>()};
  for (const Json& group : json.at("groups")) batch.made.groups.push_back(scored_group(group));
  batch.made.metrics = records_from<run::MetricValue>(json.at("metrics"));
  batch.made.rollouts = records_from<run::RolloutRecord>(json.at("rollouts"));
  batch.made.items = records_from<run::ItemRecord>(json.at("items"));
  batch.made.sampled_tokens = json.at("sampled_tokens").get<std::int64_t>();
  batch.made.missing = record_from<MissingResponses>(json.at("missing"));
  batch.made.remark = json.at("remark").get<std::string>();
  batch.curriculum = records_from<run::CurriculumState>(json.at("curriculum"));
  batch.sampling_seconds = json.at("sampling_seconds").get<double>();
  batch.waiting_seconds = json.at("waiting_seconds").get<double>();
  return batch;
}

}  // namespace

Status save_drawn_batch(const std::filesystem::path& file, const DrawnBatch& batch) {
  std::ofstream out(file, std::ios::binary);
  Json::to_cbor(drawn_batch_json(batch), nlohmann::detail::output_adapter<char>(out));
  out.close();
  if (!out) return failure("{}: cannot be written. Is the disk full?", file.string());
  return {};
}

Expected<DrawnBatch> load_drawn_batch(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const std::string bytes, read_text_file(file));
  try {  // integers beyond 64 bits have a tag (base/json.h)
    return drawn_batch_from(Json::from_cbor(bytes, /*strict=*/true, /*allow_exceptions=*/true,
                                            Json::cbor_tag_handler_t::store));
  } catch (const std::exception& error) {  // of the library for JSON
    return failure("{}: this is no batch that was drawn ({})", file.string(), error.what());
  }
}

}  // namespace redqueen
