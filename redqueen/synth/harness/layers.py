"""What layers 2 to 4 of validation do to an environment that harness.py hosts. It reports; the engine decides."""


def report(fault, level, seed):
    return {**fault, 'level': level, 'seed': seed}


def announce(*words):
    """What stands here when a layer's time is up tells where it was."""
    print('@redqueen', *words, flush=True)


def run_all(plan):
    """Layer 2: makes a problem and scores its reference at every (level, seed). The first fault ends it."""
    problems = []
    for level, seed in plan:
        announce(level, seed)
        made = make(seed, level)
        fault = made if 'fault' in made else made['reference_fault']
        if fault:
            return {**report(fault, level, seed), 'made': len(problems)}
        problems.append({'level': level, 'seed': seed, 'prompt': made['prompt'], 'reference': made['reference'],
                         'score': made['score'], 'solved': made['solved'], 'state': made['state']})
    return {'problems': problems}


def rescored(env, text):
    try:
        return judge(env, text)[1]
    except Fault as fault:
        return fault.report['message']


def trace(plan, texts):
    """Layer 3: every problem of the plan, and what its texts score, as one process sees them."""
    seen = []
    for (level, seed), text in zip(plan, texts):
        announce(level, seed)
        try:
            env, prompt, state = build(seed, level)
            seen.append({'prompt': prompt, 'state': state, 'reference': repr(encode(env.ref_answer)),
                         'scores': [rescored(restore(state), item) for item in text]})
        except Fault as fault:
            seen.append(report(fault.report, level, seed))
    return seen


def trace_live(plan, texts):
    """Layer 3: as trace, but all instances live at once, and each is scored twice after all were made."""
    live, seen = [], []
    for level, seed in plan:
        announce(level, seed)
        try:
            live.append(build(seed, level))
        except Fault as fault:
            live.append(report(fault.report, level, seed))
    for (level, seed), text, made in zip(plan, texts, live):
        announce(level, seed)
        if type(made) is dict:
            seen.append(made)
            continue
        env, prompt, state = made
        try:
            later = prompt_of(env)
            seen.append({'prompt': prompt, 'state': state, 'reference': repr(encode(env.ref_answer)),
                         'later_prompt': later, 'later_state': encode(env.__dict__),
                         'scores': [rescored(env, item) for item in text],
                         'later_scores': [rescored(env, item) for item in text]})
        except Fault as fault:
            seen.append(report(fault.report, level, seed))
    return seen


def trace_restored(states, texts):
    """Layer 3: prompts and scores from stored states alone, in a process that never made a problem."""
    seen = []
    for state, text in zip(states, texts):
        announce('restored')
        try:
            prompt = prompt_of(restore(state))
        except Fault as fault:
            prompt = fault.report['message']
        seen.append({'prompt': prompt, 'scores': [rescored(restore(state), item) for item in text]})
    return seen


def sample(plan):
    """Layer 4: prompts and references only."""
    seen = []
    for level, seed in plan:
        announce(level, seed)
        try:
            env, prompt, _ = build(seed, level)
            seen.append([prompt, repr(encode(env.ref_answer))])
        except Fault as fault:
            return report(fault.report, level, seed)
    return seen
