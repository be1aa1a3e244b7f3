#include "redqueen/checkpoint/generation_config.h"

#include "redqueen/base/file_queries.h"
#include "redqueen/checkpoint/json_fields.h"

namespace redqueen {

Expected<GenerationConfig> GenerationConfig::load(const std::filesystem::path& file) {
  GenerationConfig config;
  if (!is_there(file)) return config;
  ASSIGN_OR_RETURN(const auto json,
                   read_json_object(file.string(), "Remove it, or make it readable."));
  JsonFields fields(json, file.string());
  fields.token_ids("eos_token_id", config.eos_token_ids);
  fields.integer("bos_token_id", config.bos_token_id);
  fields.integer("pad_token_id", config.pad_token_id);
  fields.boolean("do_sample", config.do_sample);
  fields.real("temperature", config.temperature);
  fields.integer("top_k", config.top_k);
  fields.real("top_p", config.top_p);
  fields.real("min_p", config.min_p);
  fields.real("repetition_penalty", config.repetition_penalty);
  fields.integer("max_new_tokens", config.max_new_tokens);
  if (!fields.status()) return tl::make_unexpected(fields.status().error());
  return config;
}

nlohmann::ordered_json GenerationConfig::json() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto add = [&](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  if (eos_token_ids.size() == 1) json["eos_token_id"] = eos_token_ids[0];
  if (eos_token_ids.size() > 1) json["eos_token_id"] = eos_token_ids;
  add("bos_token_id", bos_token_id);
  add("pad_token_id", pad_token_id);
  add("do_sample", do_sample);
  add("temperature", temperature);
  add("top_k", top_k);
  add("top_p", top_p);
  add("min_p", min_p);
  add("repetition_penalty", repetition_penalty);
  add("max_new_tokens", max_new_tokens);
  return json;
}

}  // namespace redqueen
