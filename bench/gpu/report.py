#!/usr/bin/env python3
"""Makes a table and one JSON file of what bench/gpu.sh measured.  report.py FOLDER OUT.json [PAGE.md]

FOLDER holds SHAPE.jsonl, one JSON object a line, and machine.json. PAGE.md, docs/gpu.md if none is named, gets the lines of a GPU
between its two marks; those of other GPUs stay."""
import json
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/gpu.md"
BEGIN, END = "<!-- made by bench/gpu.sh -->", "<!-- end -->"
HEADER = ["| GPU | shape | sampling, tokens/s (times the floor) | training, tokens/s (of products) | GRPO step, tokens/s (TRL's) |",
          "| --- | --- | --- | --- | --- |"]
NOTHING = "| none yet | | | | |"


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


def page_line(gpu, shape, results):
    def first(what):
        return next((result for result in results if result["what"] == what), {})

    def cell(value, other):
        return "-" if value is None else f"{number(value)} ({other})"

    sampling = "; ".join(f"{result['rows']} rows {cell(result['tokens_per_second'], number(result['times_floor']))}"
                         for result in results if result["what"] == "sampling")
    training, grpo, trl = first("training"), first("grpo"), first("trl")
    share = f"{100 * training.get('utilisation', 0):.0f} %"
    return (f"| {gpu} | {shape} | {sampling or '-'} "
            f"| {cell(training.get('response_tokens_per_second'), share)} "
            f"| {cell(grpo.get('response_tokens_per_second'), number(trl.get('response_tokens_per_second')))} |")


def fill_page(page, everything):
    """Puts a line of every shape into the page's table, in the place of what it has of this GPU."""
    gpu = everything["machine"]["gpu"]
    before, rest = page.read_text().split(BEGIN)
    table, after = rest.split(END)
    others = [text for text in table.strip().splitlines()[len(HEADER):] if text != NOTHING and not text.startswith(f"| {gpu} |")]
    new = [page_line(gpu, shape, results) for shape, results in everything["shapes"].items()]
    lines = HEADER + (sorted(others + new) or [NOTHING])
    page.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")


def main():
    folder, out = map(pathlib.Path, sys.argv[1:3])
    everything = {"machine": json.loads((folder / "machine.json").read_text()), "shapes": {}}
    print(json.dumps(everything["machine"]))
    for file in sorted(folder.glob("*.jsonl")):
        results = [json.loads(text) for text in file.read_text().splitlines() if text.startswith('{"')]
        everything["shapes"][file.stem] = results
        show(file.stem, results)
    out.write_text(json.dumps(everything, indent=1) + "\n")
    print(f"\nwritten to {out}")
    if everything["machine"]["gpu"]:  # what a CPU does says nothing of a GPU
        fill_page(pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else PAGE, everything)


if __name__ == "__main__":
    main()
