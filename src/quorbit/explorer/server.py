"""The explorer over HTTP, for one browser on this machine.

The address holds a token that only the user's browser is told.  A request is answered if it comes to this very host
and port, with the token, and not from a page of another origin; files are served from one list of names.  Nothing is
loaded from elsewhere, which the policy in every answer says too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hmac import compare_digest
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quorbit.explorer.desk import Desk
from quorbit.report.page.write import ASSETS, PRELUDE, modules_of
from quorbit.source.errors import UserError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
LARGEST = 100_000  # bytes of a request
PAGE = (
    f'{PRELUDE}<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="color-scheme" content="light dark">\n<title>Quorbit explorer</title>\n'
    '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="page/style.css">\n</head>\n<body class="explorer">\n'
    '<main id="page"><noscript>The explorer needs JavaScript, all of which comes from this machine.</noscript></main>\n'
    '<script type="module" src="page/explorer.js"></script>\n</body>\n</html>\n'
)
Data = dict[str, Any]
Ask = Callable[[Desk, Data], Data]


def build_app(desk: Desk, token: str, port: int) -> ASGIApp:
    """``port``: where it will be reached."""

    async def answer(request: Request) -> Response:
        return await ask(desk, request)

    app = Starlette(
        routes=[
            Route("/", lambda request: HTMLResponse(PAGE)),
            Route("/page/{name}", serve_asset),
            Route("/api/save", lambda request: save(desk, request)),
            Route("/api/{name}", answer, methods=["POST"]),
        ]
    )
    return Guard(app, token, port)


class Guard:
    """Lets only the user's own page in."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app, self.token = app, token
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *added]}
            await send(message)

        if scope["type"] != "http":
            return  # other protocols are not spoken
        refusal = self.refuse(scope)
        inner = PlainTextResponse(refusal, 403) if refusal else self.app
        await inner(self.within(scope), receive, send_guarded)

    def refuse(self, scope: Scope) -> str:
        """Why a request is not answered; "" if it is."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if host not in self.hosts:
            return "this address is not served here"
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return "requests from other pages are refused"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "requests from other pages are refused"
        first = scope["path"].split("/")[1] if scope["path"].startswith("/") else ""
        return "" if compare_digest(first.encode(), self.token.encode()) else "the token in the address is wrong"

    def within(self, scope: Scope) -> Scope:
        """The request without the token."""
        path = scope["path"][len(self.token) + 1 :] or "/"
        return {**scope, "path": path, "raw_path": path.encode(), "root_path": ""}


def serve_asset(request: Request) -> Response:
    """A file of the page, by its name alone."""
    name = request.path_params["name"]
    if name not in served():
        return PlainTextResponse("there is no such file", 404)
    text = (ASSETS / name).read_text(encoding="utf-8")
    return Response(text, media_type=TYPES[name.rpartition(".")[2]])


def served() -> list[str]:
    return ["style.css", *modules_of("explorer.js")]


def save(desk: Desk, request: Request) -> Response:
    """The page says where its user stands: it may not have told that before."""
    at = request.query_params.get("at", "")
    with desk.lock:
        text = desk.saved_page(int(at) if at.isdecimal() else desk.exploration.run.at)
    return Response(
        text,
        media_type="text/html; charset=utf-8",
        headers={"content-disposition": 'attachment; filename="trace.html"'},
    )


async def ask(desk: Desk, request: Request) -> Response:
    answer = ASKED.get(request.path_params["name"])
    if answer is None:
        return JSONResponse({"error": "there is no such question"}, 404)
    body = await request.body()
    if len(body) > LARGEST:
        return JSONResponse({"error": "the request is too large"}, 413)
    return await answer_in_a_thread(desk, answer, body)


async def answer_in_a_thread(desk: Desk, answer: Ask, body: bytes) -> Response:
    try:
        found = json.loads(body or b"{}")
        if not isinstance(found, dict):
            raise UserError(None, "the request should be an object")
        return JSONResponse(await run_in_threadpool(answer, desk, found))
    except UserError as error:
        return JSONResponse({"error": error.message}, 400)
    except (ValueError, RecursionError):
        return JSONResponse({"error": "the request is not JSON"}, 400)


# The questions.


def number(given: Data, name: str) -> int:
    value = given.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool):
        raise UserError(None, f"{name} should be a number")
    return value


def texts(given: Data, name: str) -> tuple[str, ...]:
    value = given.get(name, [])
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise UserError(None, f"{name} should be a list of texts")
    return tuple(value)


def text(given: Data, name: str, default: str) -> str:
    value = given.get(name, default)
    if not isinstance(value, str):
        raise UserError(None, f"{name} should be a text")
    return value


def locked(answer: Ask) -> Ask:
    def answer_alone(desk: Desk, given: Data) -> Data:
        with desk.lock:
            return answer(desk, given)

    return answer_alone


ASKED: dict[str, Ask] = {
    "session": locked(lambda desk, given: {**desk.session(), "view": desk.view(desk.exploration.run.at)}),
    "view": locked(lambda desk, given: desk.view(number(given, "at"))),
    "starts": locked(lambda desk, given: desk.starts()),
    "step": locked(lambda desk, given: desk.step(number(given, "at"), number(given, "number"))),
    "walk": locked(lambda desk, given: desk.walk(number(given, "at"), number(given, "steps"))),
    "start": locked(lambda desk, given: desk.start(number(given, "number"))),
    "undo": locked(lambda desk, given: desk.undo()),
    "redo": locked(lambda desk, given: desk.redo()),
    "draw": locked(lambda desk, given: desk.draw(number(given, "at"))),
    "follow": locked(lambda desk, given: desk.follow(number(given, "number"))),
    "visit": locked(lambda desk, given: desk.visit(number(given, "number"))),
    "orbit": lambda desk, given: desk.orbit(number(given, "at")),
    "permutations": lambda desk, given: desk.permutations(number(given, "first")),
    "symmetry": lambda desk, given: desk.symmetry,
    "begin": lambda desk, given: desk.begin(
        text(given, "kind", "check"), texts(given, "properties"), text(given, "symmetry", "auto")
    ),
    "stop": lambda desk, given: desk.stop(text(given, "kind", "check")),
    "job": lambda desk, given: desk.job(text(given, "kind", "check")),
}
