// Gymnasium's MuJoCo environments, version 1.3.0: HalfCheetah-v5, Ant-v5, Reacher-v5, Pusher-v5.
#include <algorithm>
#include <array>
#include <cmath>

#include "redqueen/arena/environments/catalog.h"
#include "redqueen/arena/environments/mujoco_engine.h"
#include "redqueen/arena/environments/native_simulator.h"
#include "redqueen/arena/environments/numpy_math.h"

namespace redqueen::arena {
namespace {

using Numbers = std::vector<double>;

// np.linalg.norm. The products are rounded before they are added, as NumPy's BLAS does but on
// processors with AVX-512, where it fuses both.
double norm(std::span<const double> vector) {
  double sum = 0;
  for (const double number : vector) sum += number * number;
  return std::sqrt(sum);
}

std::array<double, 3> difference(std::span<const double> a, std::span<const double> b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

// np.sum(np.square(action)), in float32.
float sum_of_squares(std::span<const float> action) {
  Array squares = Array::zeros(ElementType::kFloat32, {static_cast<std::int64_t>(action.size())});
  const auto out = squares.elements<float>();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = action[i] * action[i];
  return numpy_sum<float>(out);
}

// What an environment of this family is made of.
struct MujocoTask {
  std::string_view id;
  std::string_view model;
  int frame_skip = 5;
  int max_episode_steps = 1000;
  int observations = 0;
  std::vector<std::string> reward_components;
  std::string_view description;
};

class MujocoSimulator : public NativeSimulator {
 public:
  MujocoSimulator(SimulatorCard card, std::unique_ptr<MujocoEngine> engine, int frame_skip)
      : NativeSimulator(std::move(card)),
        engine_(std::move(engine)),
        frame_skip_(frame_skip),
        model_qpos_(engine_->qpos().begin(), engine_->qpos().end()),
        model_qvel_(engine_->qvel().begin(), engine_->qvel().end()) {}

  // Gymnasium's, in float64 throughout.
  Json info() const final {
    Json info = Json::object();
    add_state(info);
    if (steps() == 0) return info;
    for (std::size_t i = 0; i < components_.size(); ++i) {
      info[card().reward_components[i]] = number_to_json(components_[i]);
    }
    return info;
  }

 protected:
  // Draws the state at the start of an episode; both arguments hold the model's own.
  virtual void draw_state(Numbers& qpos, Numbers& qvel) = 0;
  // Appends the observation.
  virtual void observe(Numbers& out) const = 0;
  // Takes the step, and pays for it.
  virtual void act(std::span<const float> action, Transition& out) = 0;
  // What `info` tells of the state.
  virtual void add_state(Json&) const {}

  MujocoEngine& engine() { return *engine_; }
  const MujocoEngine& engine() const { return *engine_; }
  double seconds() const { return engine_->timestep() * frame_skip_; }  // of a step

  void simulate(std::span<const float> action) {
    std::ranges::copy(action, engine_->ctrl().begin());
    engine_->step(frame_skip_);
  }

 private:
  void start(Value& observation) final {
    engine_->reset();
    Numbers qpos = model_qpos_;
    Numbers qvel = model_qvel_;
    draw_state(qpos, qvel);
    engine_->set_state(qpos, qvel);
    write(observation);
  }

  void advance(const Value& action, Transition& out) final {
    act(elements<float>(action), out);
    components_ = out.reward_components;
    write(out.observation);
  }

  void write(Value& observation) {
    numbers_.clear();
    observe(numbers_);
    std::ranges::copy(numbers_, elements<double>(observation).begin());
  }

  std::unique_ptr<MujocoEngine> engine_;
  int frame_skip_;
  Numbers model_qpos_;
  Numbers model_qvel_;
  Numbers numbers_;
  Numbers components_;
};

void append(std::span<const double> numbers, Numbers& out) {
  out.insert(out.end(), numbers.begin(), numbers.end());
}

// HalfCheetah and Ant start alike: noise of a tenth on the model's own state.
void add_walker_noise(NumpyRandom& random, Numbers& qpos, Numbers& qvel) {
  for (double& number : qpos) number += random.uniform(-0.1, 0.1);
  for (double& number : qvel) number += 0.1 * random.standard_normal();
}

// ------------------------------------------------------------------------------------------------

const MujocoTask kHalfCheetah{
    .id = "HalfCheetah-v5",
    .model = "half_cheetah.xml",
    .observations = 17,
    .reward_components = {"reward_forward", "reward_ctrl"},
    .description =
        "A flat animal with two legs runs to the right. The action is the torque on six joints, -1 "
        "to "
        "1 each: back thigh, shin and foot, front thigh, shin and foot. A step of 0.05 s pays the "
        "forward velocity (m/s) less a tenth of the sum of the squared torques. The observation: "
        "height, pitch and the six joint angles, then the velocities of x, height, pitch and "
        "joints. "
        "Nothing ends an episode before its 1000 steps."};

class HalfCheetah final : public MujocoSimulator {
 public:
  using MujocoSimulator::MujocoSimulator;

 private:
  void draw_state(Numbers& qpos, Numbers& qvel) override { add_walker_noise(random(), qpos, qvel); }

  void observe(Numbers& out) const override {
    append(engine().qpos().subspan(1), out);
    append(engine().qvel(), out);
  }

  void act(std::span<const float> action, Transition& out) override {
    const double before = engine().qpos()[0];
    simulate(action);
    velocity_ = (engine().qpos()[0] - before) / seconds();
    const auto cost = static_cast<double>(0.1f * sum_of_squares(action));
    out.reward = velocity_ - cost;
    out.reward_components = {velocity_, -cost};
  }

  void add_state(Json& info) const override {
    info["x_position"] = number_to_json(engine().qpos()[0]);
    if (steps() > 0) info["x_velocity"] = number_to_json(velocity_);
  }

  double velocity_ = 0;  // of the last step, m/s
};

// ------------------------------------------------------------------------------------------------

const MujocoTask kAnt{
    .id = "Ant-v5",
    .model = "ant.xml",
    .observations = 105,
    .reward_components = {"reward_forward", "reward_ctrl", "reward_contact", "reward_survive"},
    .description =
        "A torso with four legs of two joints each walks in the direction of x. The action is the "
        "torque on the eight joints, -1 to 1 each: hip and ankle of the back right, front left, "
        "front "
        "right and back left leg. A step of 0.05 s pays 1 for being healthy and the forward "
        "velocity "
        "(m/s), less half the sum of the squared torques and 0.0005 times the sum of the squared "
        "contact forces, each clipped to 1. The observation: height, orientation (a quaternion), "
        "eight joint angles; velocities of the torso (3), its rotation (3) and the joints (8); the "
        "clipped forces on 13 bodies (6 each). The episode ends when the torso's height leaves 0.2 "
        "to 1 m, or after 1000 steps."};

class Ant final : public MujocoSimulator {
 public:
  using MujocoSimulator::MujocoSimulator;

 private:
  void draw_state(Numbers& qpos, Numbers& qvel) override { add_walker_noise(random(), qpos, qvel); }

  void observe(Numbers& out) const override {
    append(engine().qpos().subspan(2), out);
    append(engine().qvel(), out);
    for (const double force : engine().cfrc_ext().subspan(6)) {
      out.push_back(std::clamp(force, -1.0, 1.0));
    }
  }

  void act(std::span<const float> action, Transition& out) override {
    const auto torso = engine().body_position(1);
    const double before_x = torso[0];
    const double before_y = torso[1];
    simulate(action);
    velocity_x_ = (torso[0] - before_x) / seconds();
    velocity_y_ = (torso[1] - before_y) / seconds();
    const double survive = is_healthy() ? 1.0 : 0.0;
    const auto control_cost = static_cast<double>(0.5f * sum_of_squares(action));
    const double contact_cost = 5e-4 * sum_of_squared_forces();
    out.reward = (velocity_x_ + survive) - (control_cost + contact_cost);
    out.reward_components = {velocity_x_, -control_cost, -contact_cost, survive};
    out.terminated = survive == 0;
  }

  bool is_healthy() const {
    const auto finite = [](double number) { return std::isfinite(number); };
    const double height = engine().qpos()[2];
    return std::ranges::all_of(engine().qpos(), finite) &&
           std::ranges::all_of(engine().qvel(), finite) && height >= 0.2 && height <= 1.0;
  }

  double sum_of_squared_forces() const {
    Numbers squares;
    for (const double force : engine().cfrc_ext()) {
      const double clipped = std::clamp(force, -1.0, 1.0);
      squares.push_back(clipped * clipped);
    }
    return numpy_sum<double>(squares);
  }

  void add_state(Json& info) const override {
    info["x_position"] = number_to_json(engine().qpos()[0]);
    info["y_position"] = number_to_json(engine().qpos()[1]);
    info["distance_from_origin"] = number_to_json(norm(engine().qpos().first(2)));
    if (steps() == 0) return;
    info["x_velocity"] = number_to_json(velocity_x_);
    info["y_velocity"] = number_to_json(velocity_y_);
  }

  double velocity_x_ = 0;  // of the last step, m/s
  double velocity_y_ = 0;
};

// ------------------------------------------------------------------------------------------------

const MujocoTask kReacher{
    .id = "Reacher-v5",
    .model = "reacher.xml",
    .frame_skip = 2,
    .max_episode_steps = 50,
    .observations = 10,
    .reward_components = {"reward_dist", "reward_ctrl"},
    .description =
        "An arm of two links turns in the plane; bring its fingertip to the target, which is "
        "elsewhere "
        "in every episode. The action is the torque on both joints, -1 to 1 each. A step of 0.02 s "
        "pays minus the distance of fingertip and target (m), less the sum of the squared torques. "
        "The "
        "observation: the cosines of both angles, their sines, x and y of the target, both angular "
        "velocities, and the vector from the target to the fingertip. An episode has 50 steps."};

class Reacher final : public MujocoSimulator {
 public:
  Reacher(SimulatorCard card, std::unique_ptr<MujocoEngine> engine, int frame_skip)
      : MujocoSimulator(std::move(card), std::move(engine), frame_skip),
        fingertip_(this->engine().body("fingertip")),
        target_(this->engine().body("target")) {}

 private:
  void draw_state(Numbers& qpos, Numbers& qvel) override {
    for (double& number : qpos) number = random().uniform(-0.1, 0.1) + number;
    std::array<double, 2> goal{};
    do {
      for (double& number : goal) number = random().uniform(-0.2, 0.2);
    } while (norm(goal) >= 0.2);
    std::ranges::copy(goal, qpos.end() - 2);
    for (double& number : qvel) number += random().uniform(-0.005, 0.005);
    std::fill(qvel.end() - 2, qvel.end(), 0.0);
  }

  std::array<double, 3> offset() const {
    return difference(engine().body_position(fingertip_), engine().body_position(target_));
  }

  void observe(Numbers& out) const override {
    const auto qpos = engine().qpos();
    for (const double angle : qpos.first(2)) out.push_back(std::cos(angle));
    for (const double angle : qpos.first(2)) out.push_back(std::sin(angle));
    append(qpos.subspan(2), out);
    append(engine().qvel().first(2), out);
    append(std::span<const double>(offset()).first(2), out);
  }

  void act(std::span<const float> action, Transition& out) override {
    simulate(action);
    const double distance = -norm(offset());
    const auto control = static_cast<double>(-sum_of_squares(action));
    out.reward = distance + control;
    out.reward_components = {distance, control};
  }

  int fingertip_;
  int target_;
};

// ------------------------------------------------------------------------------------------------

const MujocoTask kPusher{
    .id = "Pusher-v5",
    .model = "pusher_v5.xml",
    .max_episode_steps = 100,
    .observations = 23,
    .reward_components = {"reward_dist", "reward_ctrl", "reward_near"},
    .description =
        "A robot arm of seven joints pushes a cylinder on a table to a goal. The action is the "
        "torque "
        "on the joints, -2 to 2 each. A step of 0.05 s pays minus the distance of cylinder and "
        "goal "
        "(m), minus half the distance of cylinder and fingertip, less a tenth of the sum of the "
        "squared torques. The observation: seven joint angles, their velocities, and the positions "
        "(x, y, z) of fingertip, cylinder and goal. An episode has 100 steps."};

class Pusher final : public MujocoSimulator {
 public:
  Pusher(SimulatorCard card, std::unique_ptr<MujocoEngine> engine, int frame_skip)
      : MujocoSimulator(std::move(card), std::move(engine), frame_skip),
        tip_(this->engine().body("tips_arm")),
        object_(this->engine().body("object")),
        goal_(this->engine().body("goal")) {}

 private:
  void draw_state(Numbers& qpos, Numbers& qvel) override {
    std::array<double, 2> cylinder{};
    do {
      cylinder[0] = random().uniform(-0.3, 0);
      cylinder[1] = random().uniform(-0.2, 0.2);
    } while (norm(cylinder) <= 0.17);
    std::ranges::copy(cylinder, qpos.end() - 4);
    std::fill(qpos.end() - 2, qpos.end(), 0.0);
    for (double& number : qvel) number += random().uniform(-0.005, 0.005);
    std::fill(qvel.end() - 4, qvel.end(), 0.0);
  }

  void observe(Numbers& out) const override {
    append(engine().qpos().first(7), out);
    append(engine().qvel().first(7), out);
    for (const int body : {tip_, object_, goal_}) append(engine().body_position(body), out);
  }

  void act(std::span<const float> action, Transition& out) override {
    simulate(action);
    const auto object = engine().body_position(object_);
    const double near = -norm(difference(object, engine().body_position(tip_))) * 0.5;
    const double distance = -norm(difference(object, engine().body_position(goal_)));
    const auto control = static_cast<double>(-sum_of_squares(action) * 0.1f);
    out.reward = distance + control + near;
    out.reward_components = {distance, control, near};
  }

  int tip_;
  int object_;
  int goal_;
};

// ------------------------------------------------------------------------------------------------

SimulatorCard mujoco_card(const MujocoTask& task, const MujocoEngine& engine) {
  SimulatorCard card{.id = std::string(task.id),
                     .description = std::string(task.description),
                     .max_episode_steps = task.max_episode_steps,
                     .reward_components = task.reward_components,
                     .versions = engine.versions()};
  card.observation_space = {Box{.type = ElementType::kFloat64,
                                .shape = {task.observations},
                                .low = {-HUGE_VAL},
                                .high = {HUGE_VAL}}};
  Box actions{.type = ElementType::kFloat32};
  const auto range = engine.ctrl_range();
  for (std::size_t i = 0; i + 1 < range.size(); i += 2) {
    actions.low.push_back(static_cast<float>(range[i]));
    actions.high.push_back(static_cast<float>(range[i + 1]));
  }
  actions.shape = {static_cast<std::int64_t>(actions.low.size())};
  card.action_space = {std::move(actions)};
  return card;
}

template <typename Environment, const MujocoTask& task>
Expected<std::unique_ptr<Simulator>> make_mujoco(std::string_view,
                                                 const SimulatorSettings& settings) {
  ASSIGN_OR_RETURN(auto engine, load_mujoco(task.model, settings));
  SimulatorCard card = mujoco_card(task, *engine);
  return std::make_unique<Environment>(std::move(card), std::move(engine), task.frame_skip);
}

constexpr std::array kEntries{
    CatalogEntry{"Ant-v5", make_mujoco<Ant, kAnt>},
    CatalogEntry{"HalfCheetah-v5", make_mujoco<HalfCheetah, kHalfCheetah>},
    CatalogEntry{"Pusher-v5", make_mujoco<Pusher, kPusher>},
    CatalogEntry{"Reacher-v5", make_mujoco<Reacher, kReacher>},
};

}  // namespace

std::span<const CatalogEntry> mujoco_entries() { return kEntries; }

}  // namespace redqueen::arena
