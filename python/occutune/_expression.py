"""Python expressions over parameters, as text, in the spec's expression language.

What the language does not have raises Untranslatable; the caller then evaluates the expression itself, once for
each configuration.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Union

from ._blame import function_error

Value = Union[int, float, bool, str]
TOO_DEEP = (MemoryError, RecursionError)  # what Python's parser raises there, and who follows its tree


class Untranslatable(ValueError):
    """The expression language has no such thing."""


class Term(NamedTuple):
    """Text in the expression language and what it stands for: "number", "real", "truth" or "text"."""

    text: str
    kind: str


_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
           ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|"}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FUNCTIONS = {"min": "min", "max": "max", "abs": "abs", "ceil": "ceil", "floor": "floor", "sqrt": "sqrt", "log2": "log2"}
_MODULES = {"math", "np", "numpy"}


def kind_of(values: Sequence[Value]) -> str:
    """What a parameter with these values is: "number" (an integer), "real", "truth" or "text"."""
    if all(isinstance(value, bool) for value in values):
        return "truth"
    if any(isinstance(value, str) for value in values):
        return "text"
    return "number" if all(isinstance(value, int) for value in values) else "real"


def number(term: Term) -> str:
    """The term as a number; a truth value is 1 or 0, as in Python."""
    if term.kind in ("number", "real"):
        return term.text
    if term.kind == "truth":
        return f"(1 if {term.text} else 0)"
    raise Untranslatable(f"{term.text} is text, not a number")


def truth(term: Term) -> str:
    """The term as a condition; a number is true unless it is 0, as in Python."""
    if term.kind == "truth":
        return term.text
    if term.kind in ("number", "real"):
        return f"({term.text} != 0)"
    raise Untranslatable(f"{term.text} is text, not a condition")


def _constant(value: Any) -> Term:
    if isinstance(value, bool):
        return Term("true" if value else "false", "truth")
    if isinstance(value, int) and abs(value) < 1 << 63:
        return Term(str(value) if value >= 0 else f"({value})", "number")
    if isinstance(value, float) and math.isfinite(value):
        return Term(repr(value), "number")
    if isinstance(value, str) and not set(value) & set("\"'\\\n"):
        return Term(f'"{value}"', "text")
    raise Untranslatable(f"the constant {value!r}")


class _Translator(ast.NodeVisitor):
    """Walks Python's tree; every method returns a Term."""

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self.kinds = kinds

    def generic_visit(self, node: ast.AST) -> Term:
        raise Untranslatable(type(node).__name__)

    def visit_Expression(self, node: ast.Expression) -> Term:
        result: Term = self.visit(node.body)
        return result

    def visit_Constant(self, node: ast.Constant) -> Term:
        return _constant(node.value)

    def visit_Name(self, node: ast.Name) -> Term:
        if node.id not in self.kinds:
            raise Untranslatable(f"the name {node.id}")
        return Term(node.id, self.kinds[node.id])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Term:
        operand: Term = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return Term(f"(not {truth(operand)})", "truth")
        if isinstance(node.op, ast.USub):
            return Term(f"(-{number(operand)})", "number")
        raise Untranslatable(type(node.op).__name__)

    def visit_BinOp(self, node: ast.BinOp) -> Term:
        left: Term = self.visit(node.left)
        right: Term = self.visit(node.right)
        if isinstance(node.op, (ast.BitAnd, ast.BitOr)) and left.kind == right.kind == "truth":
            return Term(f"({left.text} {'and' if isinstance(node.op, ast.BitAnd) else 'or'} {right.text})", "truth")
        if type(node.op) not in _BINARY:
            raise Untranslatable(type(node.op).__name__)
        return Term(f"({number(left)} {_BINARY[type(node.op)]} {number(right)})", "number")

    def visit_BoolOp(self, node: ast.BoolOp) -> Term:
        word = " and " if isinstance(node.op, ast.And) else " or "
        return Term(f"({word.join(truth(self.visit(value)) for value in node.values)})", "truth")

    def visit_Compare(self, node: ast.Compare) -> Term:
        terms: List[Term] = []
        left: Term = self.visit(node.left)
        for op, right in zip(node.ops, node.comparators):
            if isinstance(op, (ast.In, ast.NotIn)):
                terms.append(self._member(left, op, right))
                continue
            after: Term = self.visit(right)
            terms.append(_compare(left, op, after))
            left = after
        return terms[0] if len(terms) == 1 else Term(f"({' and '.join(term.text for term in terms)})", "truth")

    def _member(self, left: Term, op: ast.cmpop, right: ast.expr) -> Term:
        if not isinstance(right, (ast.List, ast.Tuple, ast.Set)) or not right.elts:
            raise Untranslatable("`in` of anything but a list")
        equal = " or ".join(_compare(left, ast.Eq(), self.visit(item)).text for item in right.elts)
        return Term(f"(not ({equal}))" if isinstance(op, ast.NotIn) else f"({equal})", "truth")

    def visit_IfExp(self, node: ast.IfExp) -> Term:
        test, body, other = (self.visit(part) for part in (node.test, node.body, node.orelse))
        if body.kind == other.kind == "truth":
            return Term(f"({body.text} if {truth(test)} else {other.text})", "truth")
        return Term(f"({number(body)} if {truth(test)} else {number(other)})", "number")

    def visit_Call(self, node: ast.Call) -> Term:
        name = _called(node.func)
        if name not in _FUNCTIONS and name != "int":
            raise Untranslatable(f"the function {name or 'called here'}")
        if node.keywords or not node.args:
            raise Untranslatable(f"this call of {name}")
        values = [number(self.visit(argument)) for argument in node.args]
        if name == "int" and len(values) == 1:
            return Term(_integer(node.args[0], values[0], self.kinds), "number")
        return Term(f"{_FUNCTIONS[name]}({', '.join(values)})", "number")


def _integer(node: ast.expr, text: str, kinds: Mapping[str, str]) -> str:
    """Python's int(): toward zero. An integer stays as it is."""
    if isinstance(node, ast.Name) and kinds[node.id] == "number":
        return text
    return f"(floor({text}) if {text} >= 0 else ceil({text}))"


def _called(function: ast.expr) -> str:
    """The name of a called function, also of math's and NumPy's; else empty."""
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id in _MODULES:
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _compare(left: Term, op: ast.cmpop, right: Term) -> Term:
    if type(op) not in _COMPARE:
        raise Untranslatable(type(op).__name__)
    if left.kind == right.kind == "text" and isinstance(op, (ast.Eq, ast.NotEq)):
        return Term(f"({left.text} {_COMPARE[type(op)]} {right.text})", "truth")
    return Term(f"({number(left)} {_COMPARE[type(op)]} {number(right)})", "truth")


def translate(text: str, kinds: Mapping[str, str]) -> Term:
    """The Python expression `text` over names of these kinds."""
    try:
        result: Term = _Translator(kinds).visit(ast.parse(_joined(text), mode="eval"))
    except SyntaxError as error:
        raise ValueError(f"{text!r}: {error.msg}") from error
    except TOO_DEEP as error:
        raise ValueError("the expression is nested too deeply") from error
    return result


def _joined(text: str) -> str:
    """An expression over several lines is one, as in triple quotes."""
    text = text.strip()
    return f"({text}\n)" if "\n" in text else text


_KNOWN = {name: getattr(builtins, name) for name in (
    "abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "int", "isinstance", "len", "list", "map", "max",
    "min", "pow", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip")}


def evaluator(text: str, place: str) -> Callable[[Mapping[str, Any]], Any]:
    """A function of the parameters that evaluates an expression which the caller's own program wrote.

    Python evaluates it, with `math` and the functions of `_KNOWN` alone: what it may need, not a wall against what is hostile.

    What is wrong with it is a ValueError that names `place`, the argument it was given as.
    """
    shown = f"{place}: {text.strip()!r}"
    try:
        code = compile(_joined(text), f"<{text.strip()}>", "eval")
    except SyntaxError as error:
        raise ValueError(f"{shown}: {error.msg}") from error

    def value(params: Mapping[str, Any]) -> Any:
        try:
            return eval(code, {"__builtins__": _KNOWN, "math": math}, dict(params))  # noqa: S307 - as written by the caller
        except Exception as error:
            raise function_error(shown, params, error) from error

    return value


_SAFE_BINARY: Dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
_MOST_VALUES = 1 << 16  # of a range or a list, as many as a parameter may have
_LARGEST_POWER = 1 << 10


def _power(base: Any, exponent: Any) -> Any:
    if abs(exponent) > _LARGEST_POWER:
        raise Untranslatable(f"an exponent of {exponent}")
    return base**exponent


def _list_of(values: Sequence[Any]) -> List[Any]:
    if len(values) > _MOST_VALUES:
        raise Untranslatable(f"a list of {len(values)} values")
    return list(values)


class _Evaluator(ast.NodeVisitor):
    """Evaluates the lists of values that files hold, such as "[2**i for i in range(6)]", and nothing else."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = dict(names)

    def generic_visit(self, node: ast.AST) -> Any:
        raise Untranslatable(type(node).__name__)

    def visit_Expression(self, node: ast.Expression) -> Any:
        return self.visit(node.body)

    def visit_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id not in self.names:
            raise Untranslatable(f"the name {node.id}")
        return self.names[node.id]

    def visit_List(self, node: ast.List) -> Any:
        return [self.visit(item) for item in node.elts]

    def visit_Tuple(self, node: ast.Tuple) -> Any:
        return [self.visit(item) for item in node.elts]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if not isinstance(node.op, ast.USub):
            raise Untranslatable(type(node.op).__name__)
        return -self.visit(node.operand)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Pow):
            return _power(left, right)
        if type(node.op) not in _SAFE_BINARY or (isinstance(node.op, ast.Mult) and isinstance(left, (str, list))):
            raise Untranslatable(type(node.op).__name__)
        return _SAFE_BINARY[type(node.op)](left, right)

    def visit_Call(self, node: ast.Call) -> Any:
        name = getattr(node.func, "id", "")
        arguments = [self.visit(argument) for argument in node.args]
        if name == "range" and not node.keywords:
            return _list_of(range(*arguments))
        if name in ("list", "sorted") and len(arguments) == 1 and not node.keywords:
            return sorted(arguments[0]) if name == "sorted" else list(arguments[0])
        raise Untranslatable(f"the function {name or 'called here'}")

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        loop = node.generators[0]
        if len(node.generators) != 1 or loop.ifs or not isinstance(loop.target, ast.Name):
            raise Untranslatable("this list comprehension")
        values = []
        for value in _list_of(self.visit(loop.iter)):
            self.names[loop.target.id] = value
            values.append(self.visit(node.elt))
        return values


def evaluate_safely(text: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression that came in a file: arithmetic, lists, ranges and comprehensions over ranges."""
    try:
        return _Evaluator(names).visit(ast.parse(text.strip(), mode="eval"))
    except TOO_DEEP as error:
        raise Untranslatable("the expression is nested too deeply") from error
    except SyntaxError as error:
        raise ValueError(f"{text!r}: {error.msg}") from error
