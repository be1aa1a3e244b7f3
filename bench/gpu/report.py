#!/usr/bin/env python3
"""Makes a table and one JSON file of what bench/gpu.sh measured.  report.py FOLDER OUT.json

FOLDER holds SHAPE.jsonl, one JSON object a line, and machine.json."""
import json
import pathlib
import sys


def line(*cells):
    print("  ".join(f"{cell:>14}" if i else f"{cell:<34}" for i, cell in enumerate(cells)))


def number(value):
    return "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def show(shape, results):
    of = {}
    for result in results:
        of.setdefault(result["what"], []).append(result)
    first = lambda what: of.get(what, [{}])[0]
    device = first("device")
    print(f"\n{shape}: {number(device.get('parameters'))} parameters; copies {number(device.get('copy_bytes_per_second', 0) / 1e9)} GB/s, "
          f"matrix products {number(device.get('matrix_flops', 0) / 1e12)} TFLOP/s")
    line("sampling, rows", "tokens/s", "x floor", "transformers", "ratio")
    others = {result["rows"]: result["tokens_per_second"] for result in of.get("transformers", [])}
    for result in of.get("sampling", []):
        ours, theirs = result["tokens_per_second"], others.get(result["rows"])
        line(f"  {result['rows']} x {result['tokens']}", number(ours), number(result["times_floor"]), number(theirs),
             number(ours / theirs if theirs else None))
    training, grpo, trl = first("training"), first("grpo"), first("trl")
    line("training", "tokens/s", "TFLOP/s", "of products")
    line("  one step", number(training.get("response_tokens_per_second")), number(training.get("flops", 0) / 1e12),
         f"{100 * training.get('utilisation', 0):.1f} %")
    line("GRPO step, end to end", "tokens/s", "sampling s", "TRL", "ratio")
    ours, theirs = grpo.get("response_tokens_per_second"), trl.get("response_tokens_per_second")
    line("  ", number(ours), number(grpo.get("sampling_seconds")), number(theirs),
         number(ours / theirs if ours and theirs else None))
    for result in of.get("failed", []) + [t for t in of.get("trl", []) if "missing" in t]:
        print("  not measured:", result.get("missing") or result["why"])


def main():
    folder, out = map(pathlib.Path, sys.argv[1:])
    everything = {"machine": json.loads((folder / "machine.json").read_text()), "shapes": {}}
    print(json.dumps(everything["machine"]))
    for file in sorted(folder.glob("*.jsonl")):
        results = [json.loads(text) for text in file.read_text().splitlines() if text.startswith('{"')]
        everything["shapes"][file.stem] = results
        show(file.stem, results)
    out.write_text(json.dumps(everything, indent=1) + "\n")
    print(f"\nwritten to {out}")


if __name__ == "__main__":
    main()
