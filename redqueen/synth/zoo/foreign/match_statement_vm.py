# expect: sound
class StackMachine(VerifiableEnvironment):
    prompt_template = """A stack machine runs this program:
{program}
PUSH n puts n on the stack. ADD, SUB and MUL take the top two values y (top) and x (below it) and put x + y, x - y or x * y there
instead. DUP puts a second copy of the top value on the stack. SWAP exchanges the top two values. What is on top at the end?"""

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        self.program, stack = [], []
        for _ in range(5 + 2 * difficulty):
            choices = ["PUSH"] * 2 + (["DUP"] if stack else []) + (["ADD", "SUB", "MUL", "SWAP"] if len(stack) > 1 else [])
            operation = rng.choice(choices)
            match operation:
                case "PUSH":
                    value = rng.randint(-9, 9)
                    stack.append(value)
                    operation = f"PUSH {value}"
                case "DUP":
                    stack.append(stack[-1])
                case "SWAP":
                    stack[-1], stack[-2] = stack[-2], stack[-1]
                case _:
                    y, x = stack.pop(), stack.pop()
                    stack.append({"ADD": x + y, "SUB": x - y, "MUL": x * y}[operation])
            self.program.append(operation)
        self.ref_answer = stack[-1]

    def _prompt_generate(self):
        return self.prompt_template.format(program="\n".join(self.program))

    def _process(self, response):
        return parse_int(response)

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
