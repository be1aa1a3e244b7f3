"""Checkpoints for tests: real architectures, a few thousand random weights, and settings that make any run a matter of
seconds."""
import json
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

SIZES = ("run.steps=2 run.checkpoint_every=1 run.threads=1 sampling.max_new_tokens=8 batch.prompts=2 batch.sampled_prompts=2 "
         "batch.rollouts=2 batch.max_rounds=1 evaluation.problems=1 evaluation.levels=[0] warm_start.problems=8 "
         "warm_start.held_out=2 model.tokenizer_problems=8 model.vocabulary=300 model.hidden_size=16 model.intermediate_size=32 "
         "model.layers=1 model.heads=2 model.key_value_heads=1 model.head_dim=8 azr.tasks=1 azr.rollouts=1 azr.references=1 "
         "azr.estimates=2 azr.inputs=2 azr.seed_factor=1 azr.seed_rounds=1 evoenv.generator_prompts=1 evoenv.candidates=2 "
         "evoenv.generator_tokens=8 genenv.seeds=2 genenv.variations=2 genenv.attempts=2 genenv.static_seeds=2 "
         "genenv.environment.max_new_tokens=8 evoenv.review_tokens=8 evoenv.review_audit=2 evoenv.calibration_instances=2").split()

_MODEL = """
import sys, torch, transformers
family, folder = sys.argv[1:]
config = getattr(transformers, family + "Config")(
    vocab_size=512, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1,
    head_dim=8, max_position_embeddings=32768, tie_word_embeddings=False, eos_token_id=0, bos_token_id=0)
torch.manual_seed(0)
getattr(transformers, family + "ForCausalLM")(config).to(torch.bfloat16).save_pretrained(folder)
"""
_TEMPLATE = ("{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
             "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")


def make_checkpoint(redqueen, family, folder, environment=None):
    """A checkpoint with random weights of transformers' `family` (Qwen2, Qwen3, …), with a tokenizer and a chat template."""
    subprocess.run([ROOT / ".venv/bin/python", "-c", _MODEL, family, folder], check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as made:
        sizes = [word for size in SIZES for word in ("--set", size)]
        subprocess.run([redqueen, "policy", "init", "--set", "curriculum.suite=Sorting", *sizes, "--out", f"{made}/policy"],
                       check=True, capture_output=True, env=environment)
        shutil.copy(f"{made}/policy/tokenizer.json", folder)
    (pathlib.Path(folder) / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": _TEMPLATE, "eos_token": "<|endoftext|>"}))
