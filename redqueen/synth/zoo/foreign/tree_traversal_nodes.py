# expect: sound
class Node:
    def __init__(self, label, left=None, right=None):
        self.label, self.left, self.right = label, left, right


def build(labels, rng):
    if not labels:
        return None
    at = rng.randrange(len(labels))
    return Node(labels[at], build(labels[:at], rng), build(labels[at + 1:], rng))


def visit(node, order):
    if node is None:
        return ""
    parts = {"l": visit(node.left, order), "n": node.label, "r": visit(node.right, order)}
    return "".join(parts[step] for step in order)


class PostorderFromOthers(VerifiableEnvironment):
    prompt_template = ("A binary tree with distinct labels has the preorder traversal {pre} and the inorder traversal {mid}. Give its postorder "
                       "traversal in the same notation.")

    def _generate(self, seed, difficulty):
        rng = Random(seed)
        labels = rng.sample("ABCDEFGHJKLMNPQRSTUVWXYZ", 4 + min(difficulty, 16))
        tree = build(labels, rng)
        self.pre, self.mid, self.ref_answer = (visit(tree, order) for order in ("nlr", "lnr", "lrn"))

    def _prompt_generate(self):
        return self.prompt_template.format(pre=self.pre, mid=self.mid)

    def _process(self, response):
        text = "".join(response.upper().split())
        return text if text.isalpha() else None

    def scorer(self, parsed):
        return 1.0 if parsed == self.ref_answer else 0.0
