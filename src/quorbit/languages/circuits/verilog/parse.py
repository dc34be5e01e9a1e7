"""Parse Verilog modules: the subset that describes one synchronous circuit, with VIS's typedef enum."""

from __future__ import annotations

import re

from quorbit.languages.circuits.verilog.declarations import DIRECTIONS, declarations, is_declaration, read_range
from quorbit.languages.circuits.verilog.expressions import Cursor, clean, expression, skip_delay
from quorbit.languages.circuits.verilog.primitive_tables import read_primitive
from quorbit.languages.circuits.verilog.scope import merge_declarations
from quorbit.languages.circuits.verilog.statements import CHECKS, assignment, check, lvalue, statement
from quorbit.languages.circuits.verilog.tokens import BESIDE, Place, Token, place_of
from quorbit.languages.circuits.verilog.tree import (
    TRISTATES,
    Always,
    Block,
    Check,
    Declaration,
    Design,
    Expr,
    Function,
    Gate,
    GenerateFor,
    GenerateIf,
    Instance,
    Module,
    ModuleBody,
    Number,
    Parameter,
    Range,
    UserPrimitive,
)
from quorbit.source.errors import UserError

CONSTANT = re.compile(r"\b(any|all)const\b")  # an attribute
GATES = TRISTATES | {"and", "or", "not", "nand", "nor", "xor", "xnor", "buf", "pullup", "pulldown"}
TRANSISTORS = ("nmos", "pmos", "cmos", "rnmos", "rpmos", "rcmos")
SWITCHES = (*TRANSISTORS, "tran", "tranif0", "tranif1", "rtran", "rtranif0", "rtranif1", "trireg", "tri0", "tri1")
LARGER = ("class", "interface", "program", "bind", "covergroup", "clocking", "property", "sequence", "always_latch")
MODULE_NAMES = ("class", "interface", "program", "bind", "clocking")
REFUSED = frozenset([*SWITCHES, *LARGER, "real", "realtime", "event"])


def parse_verilog(tokens: list[Token]) -> Design:
    c = Cursor([token for token in tokens if token.kind not in BESIDE])
    design = Design(implicit=not any(t.text == "`default_nettype none" for t in tokens), constants=constants(tokens))
    design.is_vis = any(t.text in ("$ND", "$NDset") for t in tokens)
    types: set[str] = set()
    while c.peek().kind != "end":
        if c.accept("typedef"):
            types.add(typedef(c, design))
            design.is_vis = True
        elif c.accept("module", "macromodule"):
            module = read_module(c, types, design)
            if module.name in design.modules:
                raise UserError(module.span, f"the module {module.name} is defined twice")
            design.modules[module.name] = module
        elif c.accept("primitive"):
            p = user_primitive(c)
            if design.primitives.setdefault(p.name, p) is not p:
                raise UserError(p.span, f"the primitive {p.name} is defined twice")
        elif not c.accept(";"):
            raise c.error(f"expected a module, not {c.peek().text}")
    if not design.modules:
        raise c.error("there is no module in this file")
    return design


def constants(tokens: list[Token]) -> frozenset[Place]:
    """Where names stand in declarations with an attribute that says they are chosen once; other attributes do not
    matter."""
    found: set[Place] = set()
    marked = False
    for token in tokens:
        if token.kind == "attribute":
            marked = marked or CONSTANT.search(token.text) is not None
        elif token.text == ";":
            marked = False
        elif marked and token.kind == "name":
            found.add(place_of(token.span))
    return frozenset(found)


def typedef(c: Cursor, design: Design) -> str:
    """The name of a type, which is known in all modules from there on."""
    c.expect("enum")
    if c.peek().text != "{":
        raise c.error("an enumeration with a base type is SystemVerilog, which goes through Yosys")
    c.expect("{")
    values = [c.name("the name of a value").text]
    while c.accept(","):
        values.append(c.name("the name of a value").text)
    c.expect("}")
    name = c.name("the name of the type")
    c.expect(";")
    if len(set(values)) < len(values):
        raise UserError(name.span, f"{name.text} names a value twice")
    if design.enumerations.setdefault(name.text, tuple(values)) != tuple(values):
        raise UserError(name.span, f"the type {name.text} is defined twice, with other values")
    return name.text


def read_module(c: Cursor, types: set[str], design: Design) -> Module:
    name = c.name("the name of the module")
    body = ModuleBody()
    if c.accept("#"):
        c.expect("(")
        header_parameters(c, body)
    ports = read_ports(c, types, body) if c.peek().text == "(" else []
    c.expect(";")
    while not c.accept("endmodule"):
        if c.peek().kind == "end":
            raise UserError(name.span, f"the module {name.text} has no endmodule")
        item(c, types, body, design)
    return Module(clean(name.text), ports, body, name.span)


def user_primitive(c: Cursor) -> UserPrimitive:
    name = c.name("the name of the primitive")
    head = ModuleBody()
    ports = read_ports(c, set(), head)
    c.expect(";")
    return read_primitive(c, head.declarations, ports, name)


def header_parameters(c: Cursor, body: ModuleBody) -> None:
    kind, size = "", None
    while not c.accept(")"):
        local = c.accept("parameter", "localparam")
        if local is not None or c.peek(1).text != "=":
            kind, size = parameter_type(c)
        body.parameters.append(one_parameter(c, local is not None and local.text == "localparam", kind, size))
        c.accept(",")


def parameter_type(c: Cursor) -> tuple[str, Range | None]:
    kind = c.accept("integer", "int", "signed", "logic", "bit", "reg")
    signed = kind is not None and (kind.text == "signed" or c.accept("signed") is not None)
    if kind is not None and kind.text in ("integer", "int"):
        return kind.text, None
    return "signed" if signed else "logic" if kind is not None else "", read_range(c)


def one_parameter(c: Cursor, local: bool, kind: str, size: Range | None) -> Parameter:
    name = c.name("a parameter")
    c.expect("=")
    return Parameter(name.text, expression(c), local, size, kind, name.span)


def read_ports(c: Cursor, types: set[str], body: ModuleBody) -> list[str]:
    c.expect("(")
    ports: list[str] = []
    last: Declaration | None = None
    while not c.accept(")"):
        if c.peek().text in DIRECTIONS:
            (last,) = declarations(c, types, in_header=True)
            body.declarations.append(last)
            ports.append(last.name)
        elif last is not None:  # goes on with the same direction and type
            name = c.name("a port")
            last = Declaration(
                name.text, last.kind, last.type, last.direction, last.signed, last.range, None, None, name.span
            )
            body.declarations.append(last)
            ports.append(last.name)
        elif c.peek().text == ".":
            raise c.error("ports with expressions are not supported")
        else:
            ports.append(clean(c.name("a port").text))
        if not c.accept(",") and c.peek().text != ")":
            raise c.error("expected , or )")
    return ports


def item(c: Cursor, types: set[str], body: ModuleBody, design: Design) -> None:
    token = c.peek()
    if token.text in REFUSED and not is_instance(c):
        raise c.error(f"{token.text} is not supported")
    if c.accept(";"):
        return
    if c.accept("typedef"):
        types.add(typedef(c, design))
    elif token.text in ("parameter", "localparam"):
        body.parameters += parameters(c)
    elif is_declaration(c, types):
        body.declarations += declarations(c, types)
    elif c.accept("assign"):
        assigns(c, body)
    elif c.accept("always", "always_ff", "always_comb"):
        body.always.append(always(c, types, token))
    elif c.accept("specify"):
        while not c.accept("endspecify"):
            if c.next().kind == "end":
                raise UserError(token.span, "this specify block has no endspecify")
    elif c.accept("initial"):
        body.initial.append(statement(c, types))
    elif c.accept("function"):
        body.functions.append(function(c, types, "endfunction"))
    elif c.accept("task"):
        found = function(c, types, "endtask")
        body.tasks[found.name] = found
    elif c.accept("generate", "endgenerate"):
        return
    elif token.text in ("for", "if", "begin"):
        generate(c, types, body, design)
    elif c.accept("defparam"):
        defparam(c, body)
    elif token.text in CHECKS or (c.peek(1).text == ":" and c.peek(2).text in CHECKS):
        concurrent(c, body)
    elif token.text in GATES:
        gates(c, body)
    else:
        instances(c, body)


def is_instance(c: Cursor) -> bool:
    """Whether a word that only SystemVerilog reserves is the name of a module here."""
    return c.peek().text in MODULE_NAMES and c.peek(1).kind == "name" and c.peek(2).text in ("(", "#")


def parameters(c: Cursor) -> list[Parameter]:
    local = c.next().text == "localparam"
    kind, size = parameter_type(c)
    found = [one_parameter(c, local, kind, size)]
    while c.accept(","):
        found.append(one_parameter(c, local, kind, size))
    c.expect(";")
    return found


def assigns(c: Cursor, body: ModuleBody) -> None:
    if c.peek().text == "#":
        skip_delay(c)
    while True:
        target = lvalue(c)
        equals = c.expect("=")
        body.assigns.append((target, expression(c), equals.span))
        if not c.accept(","):
            break
    c.expect(";")


def always(c: Cursor, types: set[str], token: Token) -> Always:
    edges: list[tuple[str, str]] = []
    if c.accept("@"):
        if c.accept("*"):
            pass
        elif c.peek().text != "(":
            c.name("a signal")
        else:
            edges = sensitivity(c)
    elif token.text == "always" and c.peek().text not in CHECKS:
        raise UserError(token.span, "an always block needs @(...)")
    return Always(tuple(edges), statement(c, types), token.span)


def sensitivity(c: Cursor) -> list[tuple[str, str]]:
    c.expect("(")
    edges: list[tuple[str, str]] = []
    while not c.accept(")"):
        if edge := c.accept("posedge", "negedge"):
            edges.append((edge.text, c.name("a signal").text))
        elif not c.accept("*"):
            expression(c)
        if not c.accept("or", ",") and c.peek().text != ")":
            raise c.error("expected or, a comma or )")
    return edges


def function(c: Cursor, types: set[str], end: str) -> Function:
    c.accept("automatic")
    signed = bool(c.accept("signed"))
    kind = "integer" if c.accept("integer") else "reg"
    type_name = c.next().text if c.peek().text in types and c.peek(1).kind == "name" else ""
    range_ = read_range(c)
    name = c.name("the name of the function")
    declared: list[Declaration] = []
    if c.accept("("):
        while not c.accept(")"):
            declared += declarations(c, types, in_header=True)
            c.accept(",")
    c.expect(";")
    fixed: list[Parameter] = []
    while is_declaration(c, types) or c.peek().text in ("parameter", "localparam"):
        if c.peek().text in ("parameter", "localparam"):
            fixed += parameters(c)
        else:
            declared += declarations(c, types)
    statements = []
    while not c.accept(end):
        if c.peek().kind == "end":
            raise UserError(name.span, f"{name.text} has no {end}")
        statements.append(statement(c, types))
    result = Declaration(name.text, kind, type_name, "", signed, range_, None, None, name.span)
    body = Block(tuple(statements), name.span)
    merged = merge_declarations(declared).values()
    inputs, local = tuple(d for d in merged if d.direction), tuple(d for d in merged if not d.direction)
    return Function(name.text, result, inputs, local, body, name.span, tuple(fixed))


def generate(c: Cursor, types: set[str], body: ModuleBody, design: Design) -> None:
    start = c.next()
    if start.text == "begin":
        c.at -= 1
        inner, label = generated_body(c, types, design)
        body.generates.append(GenerateIf(one(start), inner, None, label, start.span))
        return
    c.expect("(")
    if start.text == "if":
        test = expression(c)
        c.expect(")")
        then, label = generated_body(c, types, design)
        other = generated_body(c, types, design)[0] if c.accept("else") else None
        body.generates.append(GenerateIf(test, then, other, label, start.span))
        return
    c.accept("genvar")
    variable = c.name("a genvar")
    c.expect("=")
    first = expression(c)
    c.expect(";")
    test = expression(c)
    c.expect(";")
    step = assignment(c).value
    c.expect(")")
    inner, label = generated_body(c, types, design)
    body.generates.append(GenerateFor(variable.text, first, test, step, label, inner, start.span))


def one(token: Token) -> Expr:
    return Number("1", False, token.span)


def generated_body(c: Cursor, types: set[str], design: Design) -> tuple[ModuleBody, str]:
    inner = ModuleBody()
    if not c.accept("begin"):
        item(c, types, inner, design)
        return inner, ""
    label = c.name("a label").text if c.accept(":") else ""
    while not c.accept("end"):
        if c.peek().kind == "end":
            raise c.error("a generate block has no end")
        item(c, types, inner, design)
    return inner, label


def defparam(c: Cursor, body: ModuleBody) -> None:
    while True:
        instance = c.name("an instance")
        c.expect(".")
        name = c.name("a parameter")
        c.expect("=")
        body.overrides.append((instance.text, name.text, expression(c), name.span))
        if not c.accept(","):
            break
    c.expect(";")


def concurrent(c: Cursor, body: ModuleBody) -> None:
    label = ""
    if c.peek(1).text == ":":
        label = clean(c.name("a label").text)
        c.next()
    found = check(c, label)
    assert isinstance(found, Check)
    body.checks.append(found)


def gates(c: Cursor, body: ModuleBody) -> None:
    kind = c.next()
    if c.peek().text == "#":
        skip_delay(c)
    while True:
        if c.peek().kind == "name":
            c.next()
        range_ = read_range(c)
        c.expect("(")
        arguments = [expression(c)]
        while c.accept(","):
            arguments.append(expression(c))
        c.expect(")")
        if kind.text in TRISTATES and len(arguments) != 3:
            raise UserError(
                kind.span, f"{kind.text} takes an output, an input and a control, not {len(arguments)} nets"
            )
        body.gates.append(Gate(kind.text, tuple(arguments), kind.span, range_))
        if not c.accept(","):
            break
    c.expect(";")


def instances(c: Cursor, body: ModuleBody) -> None:
    module = c.name("a declaration, assign, always, initial or an instance")
    given: tuple[tuple[str, Expr], ...] = ()
    if c.accept("#"):
        if c.accept("("):
            given = tuple((name, value) for name, value in connections(c) if value is not None)
        else:
            given = (("", expression(c)),)
    while True:
        name = module if c.peek().text == "(" else c.name("the name of the instance")
        range_ = read_range(c)
        c.expect("(")
        span = module.span.to(name.span)
        label = "" if name is module else clean(name.text)  # only primitives need none
        body.instances.append(Instance(clean(module.text), label, given, tuple(connections(c)), span, range_))
        if not c.accept(","):
            break
    c.expect(";")


def connections(c: Cursor) -> list[tuple[str, Expr | None]]:
    found: list[tuple[str, Expr | None]] = []
    while not c.accept(")"):
        if c.accept("."):
            name = clean(c.name("a port").text)
            c.expect("(")
            value = None if c.peek().text == ")" else expression(c)
            c.expect(")")
            found.append((name, value))
        elif c.peek().text == ",":
            found.append(("", None))
        else:
            found.append(("", expression(c)))
        if not c.accept(",") and c.peek().text != ")":
            raise c.error("expected , or )")
    return found
