#include "redqueen/session/distributed/rank_service.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "redqueen/session/distributed/channel.h"
#include "redqueen/session/distributed/messages.h"
#include "redqueen/session/distributed/process_group.h"

namespace redqueen {
namespace {

class RankService {
 public:
  RankService(const RankPlace& place, const LoadLearners& load, const Channel& channel)
      : place_(place), load_(load), channel_(channel) {}

  Expected<Json> answer(const Json& message) {
    const auto wanted = message.at("do").get<std::string>();
    if (wanted == "begin") return begin(message);
    if (wanted == "join") return join();
    const auto role = message.at("role").get<std::string>();
    const auto learner = std::ranges::find(learners_, role, &LocalLearner::role);
    if (learner == learners_.end()) return failure("there is no learner of the role \"{}\"", role);
    if (wanted == "sample") return sample(*learner->policy, message);
    if (wanted == "drop_kept") return drop_kept(*learner->policy);
    if (wanted == "step") return step(*learner->trainer, message);
    if (wanted == "load") return load(*learner->trainer, message);
    if (wanted == "save") return save(*learner->trainer, message);
    return failure("nobody here knows how to \"{}\"", wanted);
  }

 private:
  Expected<Json> begin(const Json& message) {
    group_ = {.rank = place_.rank,
              .size = place_.size,
              .rendezvous_file = message.at("rendezvous").get<std::string>(),
              .timeout = std::chrono::seconds(message.at("timeout").get<std::int64_t>())};
    ASSIGN_OR_RETURN(learners_, load_(message.at("toml").get<std::string>(), place_));
    return learners_message(learners_);
  }

  Expected<Json> join() {
    group_.cuda = std::ranges::any_of(learners_, uses_gpu);
    ASSIGN_OR_RETURN(const auto communicator, make_process_group(group_));
    for (const LocalLearner& learner : learners_) learner.trainer->join(communicator);
    return Json::object();
  }

  // Sends groups in lots as they become whole; the answer is the last lot.
  Expected<Json> sample(Policy& policy, const Json& message) const {
    constexpr std::size_t kResponsesOfLot = 256;
    std::vector<SampleRequest> requests;
    for (const Json& entry : message.at("requests")) requests.push_back(sample_request(entry));
    Json lot = Json::array();
    std::size_t responses = 0;  // in the lot
    Status sent;
    const auto take = [&](std::size_t number, const CompletionGroup& group) {
      lot.push_back({{"number", number}, {"group", to_message(group)}});
      responses += group.completions.size();
      if (responses < kResponsesOfLot) return;
      responses = 0;
      const Json groups = std::exchange(lot, Json::array());
      if (sent) sent = channel_.send({{"groups", groups}, {"last", false}});
    };
    RETURN_IF_ERROR(
        policy.sample_each(requests, sample_parameters(message.at("parameters")), take));
    RETURN_IF_ERROR(sent);
    return Json{{"groups", std::move(lot)}, {"last", true}};
  }

  static Json drop_kept(Policy& policy) {
    policy.drop_kept();
    return Json::object();
  }

  static Expected<Json> step(Trainer& trainer, const Json& message) {
    std::vector<ScoredGroup> groups;
    for (const Json& entry : message.at("groups")) groups.push_back(scored_group(entry));
    ASSIGN_OR_RETURN(const StepReport report, trainer.step(groups));
    return Json{{"updates", report.updates}, {"gradient_norm", report.gradient_norm}};
  }

  static Expected<Json> load(Trainer& trainer, const Json& message) {
    RETURN_IF_ERROR(trainer.load(message.at("folder").get<std::string>()));
    return Json::object();
  }

  static Expected<Json> save(const Trainer& trainer, const Json& message) {
    RETURN_IF_ERROR(trainer.save(message.at("folder").get<std::string>()));
    return Json::object();
  }

  RankPlace place_;
  const LoadLearners& load_;
  const Channel& channel_;  // to rank 0
  ProcessGroupOptions group_;
  std::vector<LocalLearner> learners_;
};

// Libraries throw; rank 0 is to hear of it instead of finding this process gone.
Expected<Json> answer(RankService& service, const Json& message) {
  try {
    return service.answer(message);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return failure("{}", text.substr(0, text.find('\n')));
  }
}

}  // namespace

Status serve_rank(const RankPlace& place, const LoadLearners& load) {
  ::fcntl(place.channel, F_SETFD, FD_CLOEXEC);
  const Channel channel(place.channel);
  RankService service(place, load, channel);
  while (true) {
    const auto message = channel.receive();
    if (!message) return {};  // rank 0 has ended
    const auto reply = answer(service, *message);
    if (!channel.send(reply ? *reply : to_message(reply.error()))) return {};
  }
}

}  // namespace redqueen
