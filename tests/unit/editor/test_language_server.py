"""The language server over standard input and output, asked by a scripted client."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from quorbit.cli.main import main
from quorbit.editor.work import answer

FLOORS = Path("examples/promela/floors.pml").absolute()
PATIENCE = 60.0
LARGE = 300  # proctypes of about three lines each


class Client:
    """A client that has one model open."""

    def __init__(self) -> None:
        self.client = LanguageClient("test", "1")
        self.told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.uri = ""
        self.version = 1

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def hear(told: types.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(told)

    async def start(self) -> None:
        await self.client.start_io(sys.executable, "-m", "quorbit", "lsp")
        told = types.InitializeParams(capabilities=types.ClientCapabilities())
        await self.client.initialize_async(told)
        self.client.initialized(types.InitializedParams())

    def open(self, path: Path, text: str) -> None:
        self.uri = path.as_uri()
        document = types.TextDocumentItem(self.uri, "model", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def change(self, text: str) -> None:
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def diagnostics(self) -> list[types.Diagnostic]:
        return list((await asyncio.wait_for(self.told.get(), PATIENCE)).diagnostics)

    @property
    def document(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


def with_client(talk: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        client = Client()
        await client.start()
        try:
            await talk(client)
        finally:
            await client.stop()

    asyncio.run(run())


def test_mistakes_names_and_symmetry() -> None:
    text = FLOORS.read_text()

    async def talk(client: Client) -> None:
        client.open(FLOORS, text)
        assert await client.diagnostics() == []  # read
        assert await client.diagnostics() == []  # and its symmetry found
        symbols = await client.client.text_document_document_symbol_async(types.DocumentSymbolParams(client.document))
        assert symbols is not None
        found = {symbol.name: symbol for symbol in symbols if isinstance(symbol, types.DocumentSymbol)}
        assert [inner.name for inner in found["climber"].children or ()] == ["mine"]
        lenses = await client.client.text_document_code_lens_async(types.CodeLensParams(client.document))
        assert [lens.command.title for lens in lenses or () if lens.command] == ["Check", "Symmetry: S4"]
        line = next(i for i, each in enumerate(text.splitlines()) if "inside++" in each)
        column = text.splitlines()[line].index("inside") + 1
        place = types.Position(line, column)
        hover = await client.client.text_document_hover_async(types.HoverParams(client.document, place))
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert hover.contents.value.startswith("byte inside")
        where = await client.client.text_document_definition_async(types.DefinitionParams(client.document, place))
        assert isinstance(where, types.Location)
        assert where.range.start.line == found["inside"].range.start.line
        client.change(text.replace("inside++", "insid++; outside = 1"))
        wrong = await client.diagnostics()
        assert [each.message for each in wrong] == [
            "'insid' is not declared; did you mean inside?",
            "'outside' is not declared; did you mean inside?",
        ]
        assert {each.range.start.line for each in wrong} == {line}

    with_client(talk)


def test_lines_that_break_a_symmetry() -> None:
    path = Path("examples/readers_writers.edges").absolute()

    async def talk(client: Client) -> None:
        client.open(path, path.read_text())
        assert await client.diagnostics() == []
        [hint] = await client.diagnostics()
        assert hint.severity is types.DiagnosticSeverity.Hint
        assert hint.range.start.line == 9
        assert hint.related_information
        lenses = await client.client.text_document_code_lens_async(types.CodeLensParams(client.document))
        titles = [lens.command.title for lens in lenses or () if lens.command]
        assert titles[1].endswith("broken by line 10")

    with_client(talk)


def test_a_thousand_lines_are_read_within_300_ms(tmp_path: Path) -> None:
    """Of a change to its diagnostics; the best of several, for a machine may be busy."""
    body = "".join(f"proctype p{i}(byte a) {{\n  byte b = a;\n  x = b + {i % 7};\n}}\n" for i in range(LARGE))
    text = f"int x;\n{body}init {{ run p0(1) }}\n"
    assert text.count("\n") > 1000

    async def talk(client: Client) -> None:
        client.open(tmp_path / "large.pml", text)
        assert await client.diagnostics() == []
        best = PATIENCE
        for i in range(6):
            client.change(text.replace("x = b", f"y{i} = b", 1))
            began = time.monotonic()
            while not (wrong := await client.diagnostics()):
                pass
            assert wrong[0].message.startswith(f"'y{i}' is not declared")
            best = min(best, time.monotonic() - began)
        assert best < 0.3

    with_client(talk)


@pytest.mark.parametrize(
    "model",
    ["examples/promela/email.pml", "examples/b/PhoneBook.mch", "examples/murphi/mesi.m", "examples/mutex.edges"],
)
def test_a_model_that_is_half_typed_is_answered(model: str) -> None:
    text, random_places = Path(model).read_text(), random.Random(3)
    for _ in range(25):
        cut = text[: random_places.randrange(len(text))]
        found = answer({"task": "read", "path": str(Path(model).absolute()), "text": cut})
        assert "failed" not in found
        assert isinstance(found["mistakes"], list)


def test_the_server_leaves_quietly(tmp_path: Path) -> None:
    """It closes the stream on which it answered, and no report of a fault of ours is left behind."""
    body = json.dumps({"jsonrpc": "2.0", "method": "exit"}).encode()
    said = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    command = [sys.executable, "-m", "quorbit", "lsp"]
    done = subprocess.run(
        command, input=said, capture_output=True, env={**os.environ, "TMPDIR": str(tmp_path)}, timeout=PATIENCE
    )
    assert done.stdout == b""
    assert list(tmp_path.iterdir()) == []


def test_without_pygls(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorbit.cli.commands.lsp_command.find_spec", lambda name: None)
    assert main(["lsp"]) == 2
    assert "pip install 'quorbit[editor]'" in capsys.readouterr().err
