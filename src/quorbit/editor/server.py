"""The language server: what changes in an editor is looked at again, and what is known is shown.

A change is read at once (mistakes, names); symmetry and possible values follow in a second process, and the next change
cuts both short.  The texts of models are data: they go through a pipe as JSON and back as plain text.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from quorbit.editor.worker import Worker
from quorbit.languages.registry import language_of
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.version import VERSION

__all__ = ["serve"]

READ_SECONDS, FIND_SECONDS = 10.0, 60.0
CHECK = "quorbit.check"
KINDS = {
    "variable": types.SymbolKind.Variable,
    "constant": types.SymbolKind.Constant,
    "type": types.SymbolKind.Struct,
    "process": types.SymbolKind.Class,
    "operation": types.SymbolKind.Function,
    "value": types.SymbolKind.EnumMember,
    "property": types.SymbolKind.Event,
}


@mutable
class Seen:
    """What is known of an open file: of its last text that could be read, and of the newest one."""

    symbols: list[dict[str, Any]] = field(default_factory=list)
    mistakes: list[dict[str, Any]] = field(default_factory=list)
    found: dict[str, Any] = field(default_factory=dict)
    at_work: asyncio.Task[None] | None = None


@mutable
class Editor:
    quick: Worker = field(default_factory=lambda: Worker(READ_SECONDS))
    slow: Worker = field(default_factory=lambda: Worker(FIND_SECONDS))
    files: dict[str, Seen] = field(default_factory=dict)


def serve() -> None:
    build_server().start_io()


def build_server() -> LanguageServer:
    server = LanguageServer("quorbit", VERSION, text_document_sync_kind=types.TextDocumentSyncKind.Full)
    editor = Editor()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def opened(told: types.DidOpenTextDocumentParams | types.DidSaveTextDocumentParams) -> None:
        look(server, editor, told.text_document.uri, is_saved=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(told: types.DidChangeTextDocumentParams) -> None:
        look(server, editor, told.text_document.uri, is_saved=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(told: types.DidCloseTextDocumentParams) -> None:
        seen = editor.files.pop(told.text_document.uri, None)
        if seen is not None and seen.at_work is not None:
            seen.at_work.cancel()

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(asked: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return outline(editor.files.get(asked.text_document.uri, Seen()).symbols)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(asked: types.DefinitionParams) -> types.Location | None:
        symbol = symbol_at(server, editor, asked)
        return None if symbol is None else types.Location(asked.text_document.uri, range_of(symbol["range"]))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(asked: types.HoverParams) -> types.Hover | None:
        symbol = symbol_at(server, editor, asked)
        if symbol is None:
            return None
        values = editor.files[asked.text_document.uri].found.get("values", {})
        return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, describe(symbol, values)))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(asked: types.CodeLensParams) -> list[types.CodeLens]:
        return lenses_of(asked.text_document.uri, editor.files.get(asked.text_document.uri, Seen()))

    @server.feature(types.SHUTDOWN)
    def ended(_: None) -> None:
        editor.quick.stop()
        editor.slow.stop()

    return server


# What is looked at, and when.


def look(server: LanguageServer, editor: Editor, uri: str, is_saved: bool) -> None:
    """Begin anew with the newest text; what was going on about an older one ends."""
    seen = editor.files.setdefault(uri, Seen())
    if seen.at_work is not None:
        seen.at_work.cancel()
    seen.at_work = asyncio.get_running_loop().create_task(look_at(server, editor, uri, seen, is_saved))


async def look_at(server: LanguageServer, editor: Editor, uri: str, seen: Seen, is_saved: bool) -> None:
    path, text = path_of(uri), server.workspace.get_text_document(uri).source
    try:
        reads_quickly = language_of(path).outline is not None
    except UserError:
        return
    if reads_quickly:
        take(server, uri, seen, await editor.quick.ask("read", path, text))
    if (reads_quickly and not seen.mistakes) or (not reads_quickly and is_saved):  # who needs Yosys waits for a save
        found = await editor.slow.ask("find", path, text)
        seen.found = found
        take(server, uri, seen, found)
        await refresh(server)


def take(server: LanguageServer, uri: str, seen: Seen, found: dict[str, Any]) -> None:
    seen.symbols = found.get("symbols", seen.symbols)
    seen.mistakes = found.get("mistakes", [])
    told = types.PublishDiagnosticsParams(uri, [*map(mistake, seen.mistakes), *breaks(uri, found.get("breaks", []))])
    server.text_document_publish_diagnostics(told)


async def refresh(server: LanguageServer) -> None:
    """Lenses are asked for again, by editors that can."""
    workspace = server.client_capabilities.workspace
    if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
        await server.workspace_code_lens_refresh_async(None)


# What is shown.


def mistake(each: dict[str, Any]) -> types.Diagnostic:
    severity = types.DiagnosticSeverity.Error
    return types.Diagnostic(range_of(each["range"]), each["message"], severity=severity, source="quorbit")


def breaks(uri: str, found: list[dict[str, Any]]) -> list[types.Diagnostic]:
    """A hint on every line that breaks a symmetry, with why as related information."""
    told = []
    for each in found:
        where = range_of(each["range"])
        why = types.DiagnosticRelatedInformation(types.Location(uri, where), each["message"])
        told.append(
            types.Diagnostic(
                where,
                f"{each['exchange']} is not a symmetry",
                severity=types.DiagnosticSeverity.Hint,
                source="quorbit",
                related_information=[why],
            )
        )
    return told


def lenses_of(uri: str, seen: Seen) -> list[types.CodeLens]:
    top = range_of([0, 0, 0, 0])
    found = [types.CodeLens(top, types.Command("Check", CHECK, arguments=[uri]))]
    if "symmetry" in seen.found:
        broken = [str(each["range"][0] + 1) for each in seen.found["breaks"]]
        behind = f" - broken by line {', '.join(broken[:3])}" if broken else ""
        title = f"Symmetry: {seen.found['symmetry']}{behind}"
        found.append(types.CodeLens(top, types.Command(title, "quorbit.symmetry", arguments=[uri])))
    return found


def outline(symbols: list[dict[str, Any]]) -> list[types.DocumentSymbol]:
    """The names with their locals below them."""
    own = [each for each in symbols if not each["container"]]
    return [symbol_of(each, [inner for inner in symbols if inner["container"] == each["name"]]) for each in own]


def symbol_of(symbol: dict[str, Any], inner: list[dict[str, Any]]) -> types.DocumentSymbol:
    where = range_of(symbol["range"])
    children = [symbol_of(each, []) for each in inner]
    return types.DocumentSymbol(
        symbol["name"], KINDS[symbol["kind"]], where, where, detail=symbol["detail"], children=children
    )


def describe(symbol: dict[str, Any], values: dict[str, str]) -> str:
    inside = f"{symbol['container']}.{symbol['name']}" if symbol["container"] else symbol["name"]
    known = values.get(inside) or values.get(symbol["name"])
    return f"{symbol['detail']}\npossible values: {known}" if known else str(symbol["detail"])


def symbol_at(
    server: LanguageServer, editor: Editor, asked: types.DefinitionParams | types.HoverParams
) -> dict[str, Any] | None:
    """The declaration of the word there: of the nearest container before it, else the global one."""
    uri = asked.text_document.uri
    document = server.workspace.get_text_document(uri)
    word = document.word_at_position(asked.position)
    named = [each for each in editor.files.get(uri, Seen()).symbols if each["name"] == word]
    line = asked.position.line
    before = [each for each in named if each["range"][0] <= line and each["container"]]
    own = [each for each in named if not each["container"]]
    return before[-1] if before else own[0] if own else named[0] if named else None


def range_of(numbers: list[int]) -> types.Range:
    first, column, last, end = numbers
    return types.Range(types.Position(first, column), types.Position(last, end))


def path_of(uri: str) -> Path:
    return Path(unquote(urlparse(uri).path))
