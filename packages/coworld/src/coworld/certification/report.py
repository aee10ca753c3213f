"""The report of a certification: one document, printed as text, JSON or a page."""

from datetime import datetime
from html import escape
from typing import Literal

from pydantic import BaseModel, Field

from coworld.certification.transcript import TRANSCRIPT_NAME, load_executable_transcript
from coworld.manifest.profiles import Profile
from coworld.models.transcript import StepResult

_MARKS = {"running": "run ", "pass": "pass", "fail": "fail"}


class ReportedStep(StepResult):
    """One step: its checks, and its outcome in a sentence."""

    checks: str
    detail: str | None = None
    seconds: float = 0.0


class ReportedWarning(BaseModel):
    """A likely mistake that does not fail the certification."""

    path: str
    message: str
    fix: str


class ProfileVerdict(BaseModel):
    """Whether a manifest passes one generation's rules, and the problems if it does not."""

    profile: Profile
    passes: bool
    problems: list[ReportedWarning] = Field(default_factory=list)


class CertificationReport(BaseModel):
    """The whole report. `certified` is true only when all ten steps passed."""

    schema_version: Literal["1"] = "1"
    transcript: str = TRANSCRIPT_NAME
    manifest_uri: str
    manifest_sha256: str
    name: str | None = None
    version: str | None = None
    certified: bool
    label: str = Field(description="What the pass is worth, such as `executable (process)`.")
    engine: str
    isolation: str | None = None
    profiles: list[ProfileVerdict] = Field(default_factory=list)
    steps: list[ReportedStep]
    warnings: list[ReportedWarning] = Field(default_factory=list)
    log_richness_tier: int | None = None
    log_richness_reason: str | None = None
    scores: list[float] | None = None
    workspace: str | None = None
    matriculated_at: datetime
    graduated_at: datetime | None = None

    @property
    def failed_step(self) -> ReportedStep | None:
        return next((step for step in self.steps if step.status == "fail"), None)

    @property
    def failure_reason(self) -> str | None:
        return self.failed_step.failure_reason if self.failed_step else None

    def text(self) -> str:
        """Return the whole transcript as the command prints it."""
        return "\n".join([*(step_line(step) for step in self.steps), *self.closing_lines()]) + "\n"

    def closing_lines(self) -> list[str]:
        """Return the lines after the steps."""
        failed = self.failed_step
        lines = [f"  warning: {warning.path}: {warning.message} ({warning.fix})" for warning in self.warnings]
        if failed is not None:
            return [
                *lines,
                f"Failed step: {failed.id}",
                f"Failure reason: {failed.failure_reason}",
                f"Details: {failed.feedback}",
            ]
        passing = ", ".join(verdict.profile for verdict in self.profiles if verdict.passes)
        return [
            *lines,
            f"Profiles: {passing}",
            f"Engine: {self.label}, isolation {self.isolation or 'unknown'}",
            f"Certified {self.manifest_uri}",
            f"Transcript: {self.transcript} ({len(self.steps)} steps passed)",
        ]

    def html(self) -> str:
        """Return a self-contained page: no script, no external URL, everything escaped."""
        title = f"{self.name or 'Coworld'} {self.version or ''}".strip()
        verdict = "Certified" if self.certified else "Not certified"
        facts = {
            "Manifest": self.manifest_uri,
            "SHA-256": self.manifest_sha256,
            "Engine": f"{self.label}, isolation {self.isolation or 'unknown'}",
            "Profiles": ", ".join(f"{v.profile}: {'passes' if v.passes else 'fails'}" for v in self.profiles) or "none",
            "Scores": ", ".join(f"{score:g}" for score in self.scores) if self.scores else "none",
            "Log richness": f"tier {self.log_richness_tier}: {self.log_richness_reason}",
            "Started": self.matriculated_at.isoformat(timespec="seconds"),
            "Finished": self.graduated_at.isoformat(timespec="seconds") if self.graduated_at else "not finished",
        }
        rows = "".join(_step_row(step) for step in self.steps)
        done = {step.id for step in self.steps}
        rows += "".join(
            f'<tr class="skip"><td>not run</td><td>{escape(step.id)}</td><td>{escape(step.checks)}</td><td></td></tr>'
            for step in load_executable_transcript().steps
            if step.id not in done
        )
        notes = [*self.warnings, *(problem for v in self.profiles if not v.passes for problem in v.problems)]
        items = "".join(
            f"<li><code>{escape(note.path)}</code> {escape(note.message)} <em>{escape(note.fix)}</em></li>"
            for note in notes
        )
        table = "".join(f"<tr><th>{escape(key)}</th><td>{escape(str(value))}</td></tr>" for key, value in facts.items())
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f"<style>{_STYLE}</style></head><body>"
            f'<h1>{escape(title)}</h1><p class="{"pass" if self.certified else "fail"}">{verdict}</p>'
            f"<table>{table}</table><h2>Transcript: {escape(self.transcript)}</h2>"
            f"<table><tr><th>Result</th><th>Step</th><th>Checks</th><th>Details</th></tr>{rows}</table>"
            + (f"<h2>Notes</h2><ul>{items}</ul>" if items else "")
            + "</body></html>\n"
        )


def step_line(step: StepResult) -> str:
    """Return a line such as `  [pass] id: checks`."""
    checks = next((known.checks for known in load_executable_transcript().steps if known.id == step.id), "")
    return f"  [{_MARKS[step.status]}] {step.id}: {checks}"


def _step_row(step: ReportedStep) -> str:
    detail = step.feedback if step.status == "fail" else step.detail
    reason = f"<strong>{escape(step.failure_reason)}</strong> " if step.failure_reason else ""
    sources = "".join(
        f"<br>{escape(source.runnable)}: {escape(source.status)}" for source in step.source_url_results or ()
    )
    return (
        f'<tr class="{step.status}"><td>{step.status}</td><td>{escape(step.id)}</td><td>{escape(step.checks)}</td>'
        f"<td>{reason}{escape(detail or '')}{sources}</td></tr>"
    )


_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%;margin:1rem 0}"
    "th,td{border:1px solid #8886;padding:.3rem .6rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}"
    ".pass td:first-child,p.pass{color:#178a4c;font-weight:600}"
    ".fail td:first-child,p.fail{color:#c62828;font-weight:600}.skip td{opacity:.6}"
)
