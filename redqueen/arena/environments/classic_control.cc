// Gymnasium's Classic Control, version 1.3.0.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

#include "redqueen/arena/environments/catalog.h"
#include "redqueen/arena/environments/float_box.h"
#include "redqueen/arena/environments/numpy_math.h"

namespace redqueen::arena {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kInfinity = HUGE_VAL;

// What all cards here share.
SimulatorCard classic_card(std::string id, int max_episode_steps) {
  return {.id = std::move(id),
          .max_episode_steps = max_episode_steps,
          .versions = {{"gymnasium", "1.3.0"}}};
}

// ------------------------------------------------------------------------------------------------
// CartPole: A. G. Barto, R. S. Sutton and C. W. Anderson, "Neuronlike Adaptive Elements That Can
// Solve Difficult Learning Control Problems" (1983).

SimulatorCard cart_pole_card() {
  SimulatorCard card = classic_card("CartPole-v1", 500);
  card.description =
      "A pole stands on a cart that runs on a track without friction. Push the cart to the left "
      "(0) "
      "or to the right (1), with a force of 10 N in each of the steps of 0.02 s, so that the pole "
      "stays up. Every step pays 1. The episode ends when the pole leans more than 12 degrees, "
      "when "
      "the cart leaves the track at 2.4 m to either side, or after 500 steps.";
  const double angle = 12 * 2 * kPi / 360 * 2;
  card.observation_space =
      float_box({-4.8, -kInfinity, -angle, -kInfinity}, {4.8, kInfinity, angle, kInfinity},
                {"cart position (m)", "cart velocity (m/s)", "pole angle (rad)",
                 "pole angular velocity (rad/s)"});
  card.action_space = {Discrete{.n = 2}};
  return card;
}

class CartPole final : public NativeSimulator {
 public:
  using NativeSimulator::NativeSimulator;

 private:
  void start(Value& observation) override {
    for (double& number : state_) number = random().uniform(-0.05, 0.05);
    observe(state_, observation);
  }

  void advance(const Value& action, Transition& out) override {
    constexpr double kGravity = 9.8;
    constexpr double kPoleMass = 0.1;
    constexpr double kTotalMass = kPoleMass + 1.0;
    constexpr double kHalfLength = 0.5;
    constexpr double kPoleMoment = kPoleMass * kHalfLength;
    constexpr double kSeconds = 0.02;
    auto& [x, speed, angle, turn] = state_;
    const double force = std::get<std::int64_t>(action.form) == 1 ? 10.0 : -10.0;
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    const double push = (force + kPoleMoment * (turn * turn) * sine) / kTotalMass;
    const double turn_change =
        (kGravity * sine - cosine * push) /
        (kHalfLength * (4.0 / 3.0 - kPoleMass * (cosine * cosine) / kTotalMass));
    const double speed_change = push - kPoleMoment * turn_change * cosine / kTotalMass;
    x = x + kSeconds * speed;
    speed = speed + kSeconds * speed_change;
    angle = angle + kSeconds * turn;
    turn = turn + kSeconds * turn_change;
    constexpr double kMaxAngle = 12 * 2 * kPi / 360;
    out.terminated = x < -2.4 || x > 2.4 || angle < -kMaxAngle || angle > kMaxAngle;
    out.reward = 1;
    observe(state_, out.observation);
  }

  std::array<double, 4> state_{};
};

// ------------------------------------------------------------------------------------------------
// Acrobot: R. S. Sutton, "Generalization in Reinforcement Learning: Successful Examples Using
// Sparse Coarse Coding" (1996), with the equations of Sutton and Barto's book.

SimulatorCard acrobot_card() {
  SimulatorCard card = classic_card("Acrobot-v1", 500);
  card.description =
      "Two links of 1 m hang from a fixed joint; a motor drives the joint between them. Choose its "
      "torque in each step of 0.2 s, -1 (0), 0 (1) or 1 N m (2), so that the free end swings up to "
      "1 m above the fixed joint. Every step pays -1, the one that gets there 0, and the episode "
      "ends. The second angle is relative to the first; both are 0 when the links hang down.";
  const std::vector<double> high{1, 1, 1, 1, 4 * kPi, 9 * kPi};
  card.observation_space =
      float_box({-1, -1, -1, -1, -4 * kPi, -9 * kPi}, high,
                {"cosine of angle 1", "sine of angle 1", "cosine of angle 2", "sine of angle 2",
                 "angular velocity 1 (rad/s)", "angular velocity 2 (rad/s)"});
  card.action_space = {Discrete{.n = 3}};
  return card;
}

class Acrobot final : public NativeSimulator {
 public:
  using NativeSimulator::NativeSimulator;

 private:
  using State = std::array<double, 4>;  // two angles (rad), their velocities (rad/s)

  void start(Value& observation) override {
    for (double& number : state_) number = static_cast<float>(random().uniform(-0.1, 0.1));
    // The first state is float32 there, and so are its sine and cosine.
    const auto out = elements<float>(observation);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto angle = static_cast<float>(state_[i]);
      out[2 * i] = numpy_small_cosine(angle);
      out[2 * i + 1] = numpy_small_sine(angle);
      out[4 + i] = static_cast<float>(state_[2 + i]);
    }
  }

  void advance(const Value& action, Transition& out) override {
    constexpr double kSeconds = 0.2;
    const auto torque = static_cast<double>(std::get<std::int64_t>(action.form) - 1);
    const auto moved = [&](double seconds, const State& slope) {
      State result;
      for (std::size_t i = 0; i < 4; ++i) result[i] = state_[i] + seconds * slope[i];
      return result;
    };
    const State k1 = slope(state_, torque);
    const State k2 = slope(moved(kSeconds / 2.0, k1), torque);
    const State k3 = slope(moved(kSeconds / 2.0, k2), torque);
    const State k4 = slope(moved(kSeconds, k3), torque);
    for (std::size_t i = 0; i < 4; ++i) {
      state_[i] = state_[i] + kSeconds / 6.0 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      while (state_[i] > kPi) state_[i] -= 2 * kPi;
      while (state_[i] < -kPi) state_[i] += 2 * kPi;
    }
    state_[2] = std::clamp(state_[2], -4 * kPi, 4 * kPi);
    state_[3] = std::clamp(state_[3], -9 * kPi, 9 * kPi);
    out.terminated = -std::cos(state_[0]) - std::cos(state_[1] + state_[0]) > 1.0;
    out.reward = out.terminated ? 0 : -1;
    observe<6>({std::cos(state_[0]), std::sin(state_[0]), std::cos(state_[1]), std::sin(state_[1]),
                state_[2], state_[3]},
               out.observation);
  }

  // The derivative of a state under a torque (N m). All masses, lengths and moments are 1, the
  // centres of mass in the middle; products with them are left out where they change no bit.
  static State slope(const State& state, double torque) {
    constexpr double kGravity = 9.8;
    const auto& [angle1, angle2, turn1, turn2] = state;
    const double cosine = std::cos(angle2);
    const double sine = std::sin(angle2);
    const double d1 = 0.25 + (1.0 + 0.25 + 2 * 0.5 * cosine) + 1.0 + 1.0;
    const double d2 = (0.25 + 0.5 * cosine) + 1.0;
    const double phi2 = 0.5 * kGravity * std::cos(angle1 + angle2 - kPi / 2.0);
    const double phi1 = -0.5 * numpy_square_power(turn2) * sine - 2 * 0.5 * turn2 * turn1 * sine +
                        (0.5 + 1.0) * kGravity * std::cos(angle1 - kPi / 2) + phi2;
    const double change2 =
        (torque + d2 / d1 * phi1 - 0.5 * numpy_square_power(turn1) * sine - phi2) /
        (0.25 + 1.0 - numpy_square_power(d2) / d1);
    const double change1 = -(d2 * change2 + phi1) / d1;
    return {turn1, turn2, change1, change2};
  }

  State state_{};
};

// ------------------------------------------------------------------------------------------------
// MountainCar: A. W. Moore, "Efficient Memory-based Learning for Robot Control" (1990).

constexpr std::string_view kHill =
    "A car stands in a valley between two hills; its motor is too weak to drive straight up. Rock "
    "it "
    "to and fro until it reaches the flag on the right hill. The slope is that of sin(3 x), x the "
    "position; the left end of the road at -1.2 stops the car. ";

Space hill_space() {
  return float_box({-1.2, -0.07}, {0.6, 0.07}, {"position", "velocity per step"});
}

SimulatorCard mountain_car_card() {
  SimulatorCard card = classic_card("MountainCar-v0", 200);
  card.description = std::string(kHill) +
                     "Accelerate to the left (0), not at all (1) or to the right (2). Every step "
                     "pays -1; the episode ends at position 0.5 or after 200 steps.";
  card.observation_space = hill_space();
  card.action_space = {Discrete{.n = 3}};
  return card;
}

class MountainCar final : public NativeSimulator {
 public:
  using NativeSimulator::NativeSimulator;

 private:
  void start(Value& observation) override {
    position_ = random().uniform(-0.6, -0.4);
    velocity_ = 0;
    observe<2>({position_, velocity_}, observation);
  }

  void advance(const Value& action, Transition& out) override {
    const auto push = static_cast<double>(std::get<std::int64_t>(action.form) - 1);
    velocity_ += push * 0.001 + std::cos(3 * position_) * -0.0025;
    velocity_ = std::clamp(velocity_, -0.07, 0.07);
    position_ += velocity_;
    position_ = std::clamp(position_, -1.2, 0.6);
    if (position_ == -1.2 && velocity_ < 0) velocity_ = 0;
    out.terminated = position_ >= 0.5 && velocity_ >= 0;
    out.reward = -1;
    observe<2>({position_, velocity_}, out.observation);
  }

  double position_ = 0;
  double velocity_ = 0;
};

SimulatorCard mountain_car_continuous_card() {
  SimulatorCard card = classic_card("MountainCarContinuous-v0", 999);
  card.description =
      std::string(kHill) +
      "The action is the force, [-1] to [1]; what lies beyond is clipped. A step costs a tenth of "
      "the square of the force as you gave it, reaching position 0.45 pays 100 and ends the "
      "episode.";
  card.observation_space = hill_space();
  card.action_space = float_box({-1}, {1}, {"force"});
  return card;
}

// Its first step computes with the float64 state of the reset, all later ones with the float32
// state of the step before; and by NumPy's rules (NEP 50) Python numbers take the type of what they
// meet.
class MountainCarContinuous final : public NativeSimulator {
 public:
  using NativeSimulator::NativeSimulator;

 private:
  void start(Value& observation) override {
    first_position_ = random().uniform(-0.6, -0.4);
    position_ = static_cast<float>(first_position_);
    velocity_ = 0;
    observe<2>({position_, velocity_}, observation);
  }

  void advance(const Value& action, Transition& out) override {
    const float force = elements<float>(action)[0];
    if (steps() == 1) {
      std::tie(position_, velocity_) = moved<double>(force, first_position_, 0.0, out.terminated);
    } else {
      std::tie(position_, velocity_) = moved<float>(force, position_, velocity_, out.terminated);
    }
    out.reward = (out.terminated ? 100.0 : 0.0) - static_cast<double>(force) * force * 0.1;
    observe<2>({position_, velocity_}, out.observation);
  }

  // The state after one step, computed in Real.
  template <typename Real>
  static std::pair<float, float> moved(float force, Real position, Real velocity,
                                       bool& terminated) {
    const double slope = 0.0025 * std::cos(static_cast<double>(3 * position));
    if (force > 1 || force < -1) {  // clipped, it is a Python number
      velocity += static_cast<Real>((force > 1 ? 1.0 : -1.0) * 0.0015 - slope);
    } else {
      velocity += force * 0.0015f - static_cast<float>(slope);
    }
    constexpr Real kMaxSpeed = static_cast<Real>(0.07);
    velocity = std::clamp(velocity, -kMaxSpeed, kMaxSpeed);
    position += velocity;
    position = std::clamp(position, static_cast<Real>(-1.2), static_cast<Real>(0.6));
    if (position == static_cast<Real>(-1.2) && velocity < 0) velocity = 0;
    terminated = position >= static_cast<Real>(0.45) && velocity >= 0;
    return {static_cast<float>(position), static_cast<float>(velocity)};
  }

  double first_position_ = 0;
  float position_ = 0;
  float velocity_ = 0;
};

// ------------------------------------------------------------------------------------------------
// Pendulum.

SimulatorCard pendulum_card() {
  SimulatorCard card = classic_card("Pendulum-v1", 200);
  card.description =
      "A rod of 1 m and 1 kg hangs from a motor. The action is the motor's torque, [-2] to [2] N "
      "m; "
      "what lies beyond is clipped. Swing the rod up and hold it there with little effort: a step "
      "of "
      "0.05 s pays -(angle^2 + 0.1 velocity^2 + 0.001 torque^2), the angle from upright between "
      "-pi "
      "and pi. An episode has 200 steps.";
  card.observation_space =
      float_box({-1, -1, -8}, {1, 1, 8},
                {"cosine of the angle from upright", "sine of the angle from upright",
                 "angular velocity (rad/s)"});
  card.action_space = float_box({-2}, {2}, {"torque (N m)"});
  return card;
}

class Pendulum final : public NativeSimulator {
 public:
  using NativeSimulator::NativeSimulator;

 private:
  void start(Value& observation) override {
    angle_ = random().uniform(-kPi, kPi);
    turn_ = random().uniform(-1.0, 1.0);
    write(observation);
  }

  void advance(const Value& action, Transition& out) override {
    constexpr double kSeconds = 0.05;
    const float torque = std::clamp(elements<float>(action)[0], -2.0f, 2.0f);
    const double upright = numpy_remainder(angle_ + kPi, 2 * kPi) - kPi;
    const double cost = numpy_square_power(upright) + 0.1 * numpy_square_power(turn_) +
                        static_cast<double>(0.001f * numpy_square_power(torque));
    turn_ = turn_ + (15.0 * std::sin(angle_) + static_cast<double>(3.0f * torque)) * kSeconds;
    turn_ = std::clamp(turn_, -8.0, 8.0);
    angle_ = angle_ + turn_ * kSeconds;
    out.reward = -cost;
    write(out.observation);
  }

  void write(Value& observation) const {
    observe<3>({std::cos(angle_), std::sin(angle_), turn_}, observation);
  }

  double angle_ = 0;
  double turn_ = 0;
};

// ------------------------------------------------------------------------------------------------

template <typename Environment, SimulatorCard (*Card)()>
Expected<std::unique_ptr<Simulator>> make(std::string_view, const SimulatorSettings&) {
  return std::make_unique<Environment>(Card());
}

constexpr std::array kEntries{
    CatalogEntry{"Acrobot-v1", make<Acrobot, acrobot_card>},
    CatalogEntry{"CartPole-v1", make<CartPole, cart_pole_card>},
    CatalogEntry{"MountainCar-v0", make<MountainCar, mountain_car_card>},
    CatalogEntry{"MountainCarContinuous-v0",
                 make<MountainCarContinuous, mountain_car_continuous_card>},
    CatalogEntry{"Pendulum-v1", make<Pendulum, pendulum_card>},
};

}  // namespace

std::span<const CatalogEntry> classic_control_entries() { return kEntries; }

}  // namespace redqueen::arena
