#!/usr/bin/env bash
# GRPO by slime on a suite whose levels rise with the policy. Run it in slime's folder.
#
#   redqueen serve --address 0.0.0.0 --token-file token --state curricula.db     # on a machine that all nodes reach
#   URL=http://HOST:8000 REDQUEEN_TOKEN=… MODEL=/models/Qwen3-4B examples/slime_grpo.sh [more of slime's options]
#
# Fixed problems need neither of the first two files: `--prompt-data` of examples/export_data_set.py --for slime, and
# `--rm-type remote_rm --rm-url $URL/slime/reward`, which installs nothing where slime runs.
set -euo pipefail
: "${URL:?the URL of redqueen serve}" "${MODEL:?a checkpoint}" "${PYTHON:=python3}" "${SUITE:=c16}"

cat > redqueen.yaml << YAML
redqueen_suite: "$SUITE"
redqueen_url: "$URL"
redqueen_id: slime
redqueen_settings: {minimum_groups: 8}
YAML

exec "$PYTHON" train.py \
  --hf-checkpoint "$MODEL" --apply-chat-template \
  --data-source-path redqueen.adapters.slime.CurriculumSource --custom-rm-path redqueen.adapters.slime.reward \
  --custom-config-path redqueen.yaml \
  --advantage-estimator grpo --n-samples-per-prompt 8 --rollout-batch-size 32 --num-rollout 1000 \
  --rollout-max-response-len 4096 --rollout-temperature 1.0 \
  "$@"
