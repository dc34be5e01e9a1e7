"""Findings as SARIF 2.1.0 for code scanners: violations with their runs, mistakes, lines that break a symmetry."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from quorbit.report.findings.finding import Finding, Place, Status
from quorbit.source.version import VERSION

__all__ = ["sarif_text"]

RULES = {
    Status.FAILS: ("violation", "error", "A property of the model is violated."),
    Status.MISTAKE: ("mistake", "error", "The model cannot be read."),
    Status.UNKNOWN: ("unknown", "warning", "A property could not be decided."),
    Status.BREAKS: ("broken-symmetry", "note", "A line keeps alike parts of the model apart."),
}


def sarif_text(findings: Sequence[Finding]) -> str:
    rules = [{"id": rule, "shortDescription": {"text": text}} for rule, _, text in RULES.values()]
    run = {
        "tool": {"driver": {"name": "Quorbit", "version": VERSION, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [result_object(each) for each in findings if each.status in RULES],
    }
    return json.dumps({"version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def result_object(finding: Finding) -> dict[str, Any]:
    rule, level, _ = RULES[finding.status]
    told: dict[str, Any] = {
        "ruleId": rule,
        "level": level,
        "message": {"text": f"{finding.subject}: {finding.message}"},
        "locations": [location_object(finding.place)] if finding.place else [],
    }
    if finding.steps:
        steps = [{"location": location_object(step, step.text)} for step in finding.steps]
        told["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    return told


def location_object(place: Place, text: str = "") -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.column}
    told: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": uri(place.file)}, "region": region}}
    return {**told, "message": {"text": text}} if text else told


def uri(file: str) -> str:
    """A relative name stays relative: servers look for it in the repository."""
    path = PurePath(file)
    return ("file://" if path.is_absolute() else "") + quote(path.as_posix(), errors="surrogateescape")
