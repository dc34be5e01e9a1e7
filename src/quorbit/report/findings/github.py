"""Findings as GitHub's workflow commands: annotations beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.report.findings.finding import Finding, Status

__all__ = ["github_lines"]

COMMANDS = {Status.FAILS: "error", Status.MISTAKE: "error", Status.UNKNOWN: "warning", Status.BREAKS: "notice"}
IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def github_lines(findings: Sequence[Finding]) -> list[str]:
    return [line_of(each) for each in findings if each.status in COMMANDS]


def line_of(finding: Finding) -> str:
    place = finding.place
    where = {} if place is None else {"file": place.file, "line": str(place.line), "col": str(place.column)}
    properties = {**where, "title": finding.subject}
    told = ",".join(f"{key}={value.translate(IN_PROPERTY)}" for key, value in properties.items())
    line = f"::{COMMANDS[finding.status]} {told}::{finding.message.translate(IN_TEXT)}"
    return "".join(c if c.isprintable() else "?" for c in line)  # no codes for terminals
