#!/usr/bin/env bash
# GRPO by veRL 0.9.1 on a suite whose levels rise with the policy.
#
#   redqueen serve --address 0.0.0.0 --token-file token --state curricula.db     # on a machine that all nodes reach
#   URL=http://HOST:8000 REDQUEEN_TOKEN=… MODEL=Qwen/Qwen3-1.7B examples/verl_grpo.sh [trainer.total_epochs=1 …]
#
# Rows of training are drawn when they are wanted, hence one process that reads them, in order. Validation has a file.
set -euo pipefail
: "${URL:?the URL of redqueen serve}" "${MODEL:?a model}" "${PYTHON:=python3}" "${ID:=verl}" "${SUITE:=c16}"

"$PYTHON" "$(dirname "$0")/export_data_set.py" "$SUITE" --levels 0,1,2 --size 256 --split test --for verl --url "$URL" --out validation.parquet

exec "$PYTHON" -m verl.trainer.main_ppo \
  algorithm.adv_estimator=grpo \
  data.train_files=curriculum data.val_files=validation.parquet \
  data.custom_cls.path=pkg://redqueen.adapters.verl data.custom_cls.name=CurriculumDataset \
  +data.redqueen.suite="'$SUITE'" +data.redqueen.url="$URL" +data.redqueen.id="$ID" +data.redqueen.rollouts=8 \
  data.shuffle=false data.dataloader_num_workers=0 data.train_batch_size=128 \
  data.max_prompt_length=2048 data.max_response_length=4096 \
  actor_rollout_ref.model.path="$MODEL" actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.name=vllm \
  reward.custom_reward_function.path=pkg://redqueen.adapters.verl reward.custom_reward_function.name=compute_score \
  +reward.custom_reward_function.reward_kwargs.url="$URL" +reward.custom_reward_function.reward_kwargs.curriculum="$ID" \
  "$@"
