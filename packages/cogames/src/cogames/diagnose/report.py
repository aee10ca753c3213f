"""The report for readers: one self-contained HTML file."""

from collections.abc import Sequence

from cogames.diagnose.baselines import Baseline
from cogames.diagnose.metrics import OBJECTIVE
from cogames.diagnose.note import DoctorNote
from cogames.diagnose.numbers import mean
from cogames.diagnose.radar import radar
from cogames.diagnose.report_style import STYLE
from cogames.diagnose.scores import AxisScore
from cogames.diagnose.validity import DiagnoseValidity
from cogames.reports.html import Markup, code, facts, items, link, page, section, table, tag


def render_report(policy: str, note: DoctorNote, validity: DiagnoseValidity) -> str:
    """Return the report as HTML. All text of the note is escaped."""
    return page(
        f"Diagnosis of {policy}",
        STYLE,
        _header(policy, note),
        _triage(note, validity),
        _objective(note),
        _profile(note),
        _probe_catalog(note),
        _probe_results(note),
        _baselines(note),
        _symptoms(note),
        _prescriptions(note),
        _replays(note),
        _social_probes(note),
        _social_review(note),
    )


def _header(policy: str, note: DoctorNote) -> Markup:
    return tag(
        "header",
        tag("h1", "Doctor note for ", code(policy)),
        facts(
            [
                ("Dominant issue", note.dominant_issue),
                ("Diagnosis", note.diagnosis_status),
                ("Stage", note.stage_status),
                ("Run", note.run_id),
            ]
        ),
        items(note.notes),
    )


def _triage(note: DoctorNote, validity: DiagnoseValidity) -> Markup:
    first = note.symptoms[0] if note.symptoms else None
    failed = ", ".join(validity.failed_check_ids)
    return section(
        "5-minute triage",
        facts(
            [
                ("Dominant issue", note.dominant_issue),
                ("First symptom", first.symptom_id if first else "none"),
                ("Checks", "all passed" if validity.valid else f"failed: {failed}"),
            ]
        ),
        items(
            [
                "Check whether the diagnosis is complete. If not, the notes above say what is missing.",
                tag("span", "Compare it with a second run: ", link("interpretation_stability.json"), "."),
                "Watch the most diagnostic replay below, with the first symptom in mind.",
                "Follow the first prescription, run again, and check its limit.",
            ],
            "ol",
        ),
        tag(
            "p",
            "Files: ",
            *_joined(
                [link(name) for name in ("bundle_guide.md", "diagnose_validity.json", "metrics.json", "manifest.json")]
            ),
        ),
    )


def _objective(note: DoctorNote) -> Markup:
    context = note.tournament_objective_context
    return section(
        "Tournament objective",
        tag("p", "Tournaments count the junctions a team holds, summed over the steps; the rest explains that number."),
        table(
            ("Objective", "Stage 1", "Stage 2, alone", "Stage 2, beside its copy"),
            [(code(OBJECTIVE), *(_number(value) for value in context.values()))],
        ),
        tag("p", "Metrics that correlate with it: ", link("stage1_metric_correlation.json"), "."),
    )


def _profile(note: DoctorNote) -> Markup:
    return section(
        "Stage 1 profile",
        radar([(score.axis, score.normalized_score) for score in note.axes]),
        tag("p", f"Scale: {note.baseline_context.normalization_mode}.", class_="quiet"),
        table(
            ("Axis", "Score", "Before comparison", "Made of", "Scale", "Confirmed"),
            [
                (
                    score.axis,
                    _number(score.normalized_score),
                    _number(score.raw_score),
                    _parts(score),
                    score.normalization_mode,
                    _mark(score.confirmed),
                )
                for score in note.axes
            ],
        ),
        facts((name, _number(value)) for name, value in note.derived_metrics.items()),
    )


def _probe_catalog(note: DoctorNote) -> Markup:
    return section(
        "Stage 1 probe catalog",
        tag("p", "Limits: ", code(note.stage1_probe_threshold_profile_id)),
        table(
            ("Probe", "Axis", "Mission", "Question", "Passes with"),
            [
                (code(probe.probe_id), probe.axis, probe.mission, probe.question, code(probe.pass_fail_threshold))
                for probe in note.stage1_probe_catalog
            ],
        ),
    )


def _probe_results(note: DoctorNote) -> Markup:
    return section(
        "Stage 1 probe results",
        table(
            ("Probe", "Passed", "Result", "Evidence"),
            [
                (code(probe.probe_id), _mark(probe.passed), probe.summary, items(map(code, probe.evidence_refs)))
                for probe in note.stage1_probe_evaluations
            ],
        ),
    )


def _baselines(note: DoctorNote) -> Markup:
    return section(
        "Baseline context",
        table(
            ("Role", "Policy", "Mean score"),
            [
                (baseline.role, code(baseline.policy), _number(_mean_score(baseline)))
                for baseline in note.baseline_context.baselines
            ],
            "No baseline was played.",
        ),
        items(note.baseline_context.normalization_notes),
    )


def _symptoms(note: DoctorNote) -> Markup:
    return section(
        "Ranked symptoms",
        table(
            ("Symptom", "Severity", "Confidence", "Likely cause", "Expected effect of a remedy"),
            [
                (
                    code(symptom.symptom_id),
                    _percent(symptom.severity),
                    _percent(symptom.confidence),
                    symptom.likely_cause,
                    symptom.expected_effect,
                )
                for symptom in note.symptoms
            ],
            "No symptoms.",
        ),
    )


def _prescriptions(note: DoctorNote) -> Markup:
    return section(
        "Prescriptions",
        table(
            ("Symptom", "Action", "Owner", "Metric", "Passes when"),
            [
                (
                    code(entry.symptom_id),
                    entry.action,
                    entry.owner,
                    code(entry.validation_metric),
                    code(entry.pass_fail_threshold),
                )
                for entry in note.prescriptions
            ],
            "None needed." if note.status == "complete" else "None: the diagnosis is incomplete.",
        ),
    )


def _replays(note: DoctorNote) -> Markup:
    exemplars = note.replay_exemplars
    return section(
        "Replay evidence",
        table(
            ("Replay", "Watch with"),
            [
                (name, tag("span", "cogames replay ", link(reference)))
                for name, reference in (
                    ("Highest reward", exemplars.best),
                    ("Lowest reward", exemplars.worst),
                    ("Most diagnostic", exemplars.most_diagnostic),
                )
                if reference is not None
            ],
            "No replays were written.",
        ),
        tag("p", "All replays in one file: ", link("replay_bundle.zip"), "."),
        tag(
            "details",
            tag("summary", f"All {len(note.evidence_index.replay_refs)} replays"),
            items(map(link, note.evidence_index.replay_refs)),
        ),
    )


def _social_probes(note: DoctorNote) -> Markup:
    return section(
        "Social probe catalog",
        table(
            ("Probe", "Mode", "Question", "Passes with"),
            [
                (code(probe.probe_id), probe.mode, probe.question, code(probe.pass_fail_threshold))
                for probe in note.social_probe_catalog
            ],
        ),
    )


def _social_review(note: DoctorNote) -> Markup:
    review, delta = note.social_review, note.stage2_diagnosis_delta
    if review is None or delta is None:
        return section("Stage 2 social review", tag("p", "Stage 2 was not played.", class_="quiet"))
    return section(
        "Stage 2 social review",
        facts(
            [
                ("Confirmed", _mark(review.confirmed)),
                ("Severity", _percent(review.severity)),
                ("Confidence", _percent(review.confidence)),
            ]
        ),
        tag("p", review.summary),
        tag("p", delta.summary),
        items(map(code, review.evidence_refs)),
    )


def _parts(score: AxisScore) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in score.statistics.parts.items())


def _mean_score(baseline: Baseline) -> float:
    return mean([score.raw_score for score in baseline.axis_scores])


def _number(value: float | None) -> str:
    return "not counted" if value is None else f"{value:.4g}" if abs(value) < 100 else f"{value:.1f}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _mark(yes: bool) -> Markup:
    return tag("span", "yes" if yes else "no", class_="good" if yes else "bad")


def _joined(links: Sequence[Markup]) -> list[object]:
    parts: list[object] = []
    for number, entry in enumerate(links):
        parts += [", ", entry] if number else [entry]
    return parts
