"""Findings as JUnit's XML, which build servers read: a test case for each property of each model."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from quorbit.report.findings.finding import Finding, Status

__all__ = ["junit_text"]

ELEMENTS = {Status.FAILS: "failure", Status.UNKNOWN: "error", Status.MISTAKE: "error"}


def junit_text(suites: Sequence[tuple[str, Sequence[Finding]]]) -> str:
    """``suites``: the findings about each model, by its name."""
    root = Element("testsuites")
    for name, findings in suites:
        suite = SubElement(root, "testsuite", name=printable(name), tests=str(len(findings)))
        suite.set("failures", str(sum(ELEMENTS.get(each.status) == "failure" for each in findings)))
        suite.set("errors", str(sum(ELEMENTS.get(each.status) == "error" for each in findings)))
        suite.set("time", f"{sum(each.seconds for each in findings):.3f}")
        for each in findings:
            add_case(suite, name, each)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def add_case(suite: Element, name: str, finding: Finding) -> None:
    case = SubElement(suite, "testcase", classname=printable(name), name=printable(finding.subject))
    case.set("time", f"{finding.seconds:.3f}")
    if (element := ELEMENTS.get(finding.status)) is not None:
        problem = SubElement(case, element, message=printable(finding.message), type=finding.status.value)
        places = finding.steps or ((finding.place,) if finding.place else ())
        problem.text = printable("\n".join(f"{p.file}:{p.line}: {p.text}" for p in places))


def printable(text: str) -> str:
    """XML has no way to write control characters; they are shown as Python shows them."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)
