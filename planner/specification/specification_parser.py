"""Read Z from text, with boxes drawn by line characters.

    § 4.2 Player State
    │ max_board_size : ℕ                     an axiomatic definition; predicates follow a line `├──`
    ┌─ Board                                 a schema: declarations, `├──`, predicates, `└──`
    │ board : ℙ Minion
    ├──
    │ # board ≤ max_board_size
    └──
    Start == Deal ∨ ΞGameState               a schema by an expression
    ⊢? [a name] Start ⇒ MatchEnd             a conjecture, for the prover
    -- a note on the next paragraph

A line that is indented more deeply continues the line above it. After `•` each such line is a predicate of its own, and
all of them must hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from planner.errors import PlannerError, quote
from planner.specification.notation import (
    CLOSING,
    LEVELS,
    PREFIX,
    PRIME,
    RELATION,
    Apply,
    Binary,
    BindingDisplay,
    Conditional,
    Declaration,
    Display,
    Let,
    Name,
    Node,
    Number,
    Paragraph,
    Quantified,
    Select,
    Specification,
    Unary,
)

_WORDS: Final = ("let", "if", "then", "else", "pre", "seq", "iseq", "dom", "ran", "head", "tail")
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+)|(?P<name>[A-Za-z][A-Za-z0-9_]*[?!]?|ℕ₁|ℕ|ℤ|∅)"
    r"|(?P<symbol>::=|==|\.\.|[-+#ℙΔΞ¬∀∃•|:;,.=≠∈∉<≤>≥⊆→⇸×↦∪∖⊕∩↾↿⩤∧∨⇒⇔⨟(){}⟨⟩⦉⦊\[\]′]))"
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int
    follows: bool = False  # directly after another token, without a space


def _tokens(text: str, line: int) -> list[_Token]:
    tokens: list[_Token] = []
    text, position = text.replace("'", PRIME).rstrip(), 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise PlannerError(f"line {line}: unexpected character {quote(text[position:].strip()[0])}")
        kind = match.lastgroup or ""
        follows = match.start(kind) == position and position > 0
        if kind == "name" and match[kind] in _WORDS:
            kind = "symbol"
        tokens.append(_Token(kind, match[match.lastgroup or 0], line, follows))
        position = match.end()
    return tokens


# -- layout


@dataclass
class _Line:
    indent: int
    text: str
    number: int
    below: list[_Line] = field(default_factory=list)


def _tree(lines: list[tuple[str, int]]) -> list[_Line]:
    """Arrange lines by their indentation."""
    top: list[_Line] = []
    open_lines: list[_Line] = []
    for text, number in lines:
        if not text.strip():
            continue
        line = _Line(len(text) - len(text.lstrip()), text, number)
        while open_lines and open_lines[-1].indent >= line.indent:
            open_lines.pop()
        (open_lines[-1].below if open_lines else top).append(line)
        open_lines.append(line)
    return top


def _line_tokens(line: _Line) -> list[_Token]:
    """Return the tokens of a line with the lines below it, which are predicates of their own after `•`."""
    tokens = _tokens(line.text, line.number)
    block = bool(tokens) and tokens[-1].text == "•"
    for index, below in enumerate(line.below):
        inner = _line_tokens(below)
        if block:
            join = [_Token("symbol", "∧", below.number)] if index else [_Token("symbol", "(", below.number)]
            inner = [*join, _Token("symbol", "(", below.number), *inner, _Token("symbol", ")", below.number)]
        tokens += inner
    return [*tokens, _Token("symbol", ")", line.number)] if block and line.below else tokens


# -- expressions


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens, self.position = tokens, 0

    @property
    def token(self) -> _Token:
        if self.position < len(self.tokens):
            return self.tokens[self.position]
        return _Token("end", "end of the line", self.tokens[-1].line if self.tokens else 0)

    def take(self, text: str = "") -> _Token:
        token = self.token
        if text and token.text != text:
            raise PlannerError(f"line {token.line}: expected {quote(text)}, got {quote(token.text)}")
        self.position += 1
        return token

    def accept(self, text: str) -> bool:
        if self.token.text == text and self.token.kind == "symbol":
            self.position += 1
            return True
        return False

    def name(self) -> str:
        token = self.take()
        if token.kind != "name":
            raise PlannerError(f"line {token.line}: expected a name, got {quote(token.text)}")
        text = token.text
        while self.token.text == PRIME and self.token.follows:
            text += self.take().text
        return text

    def end(self) -> None:
        if self.token.kind != "end":
            raise PlannerError(f"line {self.token.line}: unexpected {quote(self.token.text)}")

    def predicate(self, level: int = 0) -> Node:
        if level == len(LEVELS):
            return self.prefix()
        left = self.predicate(level + 1)
        line = self.token.line
        chain: list[Node] = []
        while self.token.kind == "symbol" and self.token.text in LEVELS[level]:
            op = self.take().text
            if LEVELS[level] == ("⇒",) or LEVELS[level] == ("→", "⇸"):
                return Binary(op, left, self.predicate(level), line)
            right = self.predicate(level + 1)
            if level == RELATION:  # a ≤ b ≤ c is a ≤ b ∧ b ≤ c
                chain.append(Binary(op, left, right, line))
                left = right
            else:
                left = Binary(op, left, right, line)
        for part in chain[1:]:
            chain[0] = Binary("∧", chain[0], part, line)
        return chain[0] if chain else left

    def prefix(self) -> Node:
        token = self.token
        if token.kind == "symbol":
            if token.text in ("∀", "∃"):
                self.take()
                declarations = self.declarations()
                self.take("•")
                return Quantified(token.text, declarations, self.predicate(), token.line)
            if token.text == "let":
                self.take()
                definitions = [self.definition()]
                while self.accept(";"):
                    definitions.append(self.definition())
                self.take("•")
                return Let(tuple(definitions), self.predicate(), token.line)
            if token.text == "if":
                self.take()
                condition = self.predicate()
                self.take("then")
                then = self.predicate()
                self.take("else")
                return Conditional(condition, then, self.predicate(), token.line)
            if token.text == "¬":  # binds less tightly than a relation
                self.take()
                return Unary("¬", self.predicate(RELATION), token.line)
            if token.text in PREFIX:
                self.take()
                return Unary(token.text, self.prefix(), token.line)
        return self.postfix()

    def postfix(self) -> Node:
        node = self.primary()
        while self.token.kind == "symbol":
            token = self.token
            if token.text == "(" and token.follows:
                self.take()
                items = self.items(")")
                argument = items[0] if len(items) == 1 else Display("(", items, token.line)
                node = Apply(node, argument, token.line)
            elif token.text == "." and token.follows:
                self.take()
                node = Select(node, self.name(), token.line)
            elif token.text == PRIME:
                self.take()
                node = Unary(PRIME, node, token.line)
            else:
                break
        return node

    def primary(self) -> Node:
        token = self.token
        if token.kind == "name":
            return Name(self.name(), token.line)
        self.take()
        if token.kind == "number":
            return Number(int(token.text), token.line)
        if token.text == "⦉":
            components = [self.definition()]
            while self.accept(","):
                components.append(self.definition())
            self.take("⦊")
            return BindingDisplay(tuple(components), token.line)
        if token.text in CLOSING:
            items = self.items(CLOSING[token.text])
            if token.text == "(" and len(items) == 1:
                return items[0]
            return Display(token.text, items, token.line)
        raise PlannerError(f"line {token.line}: unexpected {quote(token.text)}")

    def items(self, closing: str) -> tuple[Node, ...]:
        items: list[Node] = []
        while self.token.text != closing:
            items.append(self.predicate())
            if not self.accept(","):
                break
        self.take(closing)
        return tuple(items)

    def definition(self) -> tuple[str, Node]:
        name = self.name()
        self.take("==")
        return name, self.predicate()

    def declarations(self) -> tuple[Declaration, ...]:
        found = [self.declaration()]
        while self.accept(";"):
            found.append(self.declaration())
        return tuple(found)

    def declaration(self) -> Declaration:
        start, line = self.position, self.token.line
        if self.token.kind == "name":
            names = [self.name()]
            while self.accept(","):
                names.append(self.name())
            if self.accept(":"):
                return Declaration(tuple(names), self.predicate(RELATION + 1), line)
            self.position = start
        return Declaration((), self.predicate(RELATION + 1), line)


# -- paragraphs

_OPEN: Final = re.compile(r"┌─+\s*(\w+)[\s─]*$")
_DEFINITION: Final = re.compile(r"(\w+)\s*(==|::=)\s*(.*)$", re.DOTALL)
_CONJECTURE: Final = re.compile(r"⊢\?\s*\[([^\]]+)\]\s*(.*)$", re.DOTALL)


def parse_specification(text: str, title: str) -> Specification:
    """Return the specification that a text describes; raise a PlannerError with the line of the first mistake."""
    try:
        return Specification(title, tuple(_paragraphs(text.splitlines())))
    except PlannerError as error:
        raise PlannerError(f"{title}: {error}") from None


def _paragraphs(lines: list[str]) -> Iterator[Paragraph]:
    section, note, index = "", "", 0
    while index < len(lines):
        line, number = lines[index], index + 1
        index += 1
        if not line.strip():
            continue
        if line.startswith("§"):
            section = line[1:].strip()
            continue
        if line.startswith("--"):
            note = f"{note} {line[2:].strip()}".strip()
            continue
        block = [(line, number)]
        while index < len(lines) and _belongs(line[0], lines[index]):
            block.append((lines[index], index + 1))
            index += 1
            if lines[index - 1].startswith("└"):
                break
        yield replace(_paragraph(block), section=section, note=note, line=number)
        note = ""


def _belongs(first: str, line: str) -> bool:
    """Return whether a line belongs to the paragraph that begins with this character."""
    return line[:1] in ({"┌": "│├└", "│": "│├"}.get(first) or " ") and bool(line.strip())


def _paragraph(block: list[tuple[str, int]]) -> Paragraph:
    first, number = block[0]
    if first[0] in "┌│":
        return _box(block)
    if given := re.match(r"\[(.*)\]\s*$", first):
        names = tuple(name.strip() for name in given[1].split(","))
        return Paragraph("given", names[0], names)
    tree = _tree(block)[0]
    if conjecture := _CONJECTURE.match(first):
        tree.text = conjecture[2]
        return Paragraph("conjecture", conjecture[1], predicates=(_parse(_line_tokens(tree)),))
    if definition := _DEFINITION.match(first):
        name, sign, tree.text = definition.groups()
        if sign == "::=":
            return Paragraph("free", name, tuple(branch.strip() for branch in tree.text.split("|")))
        return Paragraph("definition", name, predicates=(_parse(_line_tokens(tree)),))
    raise PlannerError(f"line {number}: not a paragraph: {quote(first)}")


def _box(block: list[tuple[str, int]]) -> Paragraph:
    first, number = block[0]
    name = ""
    if first[0] == "┌":
        header = _OPEN.match(first)
        if header is None:
            raise PlannerError(f"line {number}: expected a name, such as ┌─ Board")
        name = header[1]
        if not block[-1][0].startswith("└"):
            raise PlannerError(f"line {number}: the box of {name} is not closed by └──")
        block = block[1:-1]
    split = next((index for index, (line, _) in enumerate(block) if line.startswith("├")), len(block))
    parts = [[(line[1:], at) for line, at in part] for part in (block[:split], block[split + 1 :])]
    declarations: list[Declaration] = []
    for line in _tree(parts[0]):
        parser = _Parser(_line_tokens(line))
        declarations += parser.declarations()
        parser.end()
    predicates = tuple(_parse(_line_tokens(line)) for line in _tree(parts[1]))
    name = name or next((names[0] for names in (one.names for one in declarations) if names), "axiom")
    kind = "schema" if first[0] == "┌" else "axiom"
    return Paragraph(kind, name, declarations=tuple(declarations), predicates=predicates)


def _parse(tokens: list[_Token]) -> Node:
    parser = _Parser(tokens)
    node = parser.predicate()
    parser.end()
    return node
