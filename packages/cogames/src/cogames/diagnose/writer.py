"""Write the files of a run."""

from collections.abc import Sequence

from cogames.diagnose.artifacts import RUN_CONFIG
from cogames.diagnose.baselines import baseline_file
from cogames.diagnose.bundle import guide, write_zip
from cogames.diagnose.manifest import write_manifest
from cogames.diagnose.metrics import CaseOutcomes, SocialMetrics, by_mission, derive
from cogames.diagnose.note import DERIVED, write_note
from cogames.diagnose.options import ABSOLUTE_SEED, MIRROR_SEED
from cogames.diagnose.pack import PACK_ID, PACK_VERSION
from cogames.diagnose.probes import PROFILE_ID, STAGE1_PROBES, STAGE2_PROBES
from cogames.diagnose.report import render_report
from cogames.diagnose.validity import check_validity
from cogames.diagnose.visit import Visit
from mettagrid.runner.episode.outcome import rollout_result
from mettagrid.simulator.multi_episode.summary import build_multi_episode_rollout_summaries

REPLAY_BUNDLE = "replay_bundle.zip"
GUIDE = "bundle_guide.md"
REPORT = "diagnose_report.html"
MANIFEST = "manifest.json"


def write_plan(visit: Visit) -> None:
    """Write the plan of the run, before any episode is played."""
    folder, options = visit.folder, visit.options
    folder.write_json(
        RUN_CONFIG,
        {
            "run_id": visit.identity.run_id,
            "created_at": visit.identity.created_at,
            "output_dir": str(folder.root),
            "policy": options.policy,
            "mission_set": options.mission_set,
            "experiments": list(options.experiments),
            "cogs": list(options.cogs),
            "steps": options.steps,
            "episodes": options.episodes,
            "pack_id": PACK_ID,
            "pack_version": PACK_VERSION,
            "scripted_baseline_policy": options.scripted_baseline_policy,
            "known_strong_policy": options.known_strong_policy,
        },
    )
    folder.write_json("stage1_probe_catalog.json", {"probes": STAGE1_PROBES})
    folder.write_json("stage1_probe_threshold_profile.json", {"profile_id": PROFILE_ID, "probes": STAGE1_PROBES})
    folder.write_json("stage2_probe_catalog.json", {"probes": STAGE2_PROBES})
    folder.write_json("stage1_pack_contract.json", visit.contract)
    folder.write_json("stage1_gate.json", visit.gate)
    folder.write_json(
        "stage1_summary.json",
        {
            "stage": "stage1",
            "mission_count": len({case.mission for case in visit.cases}),
            "episodes_per_case": options.episodes,
            "cases": [case.name for case in visit.cases],
        },
    )
    write_state(visit)


def write_state(visit: Visit) -> None:
    """Write the status of the run; called whenever it changes."""
    parts = bool(visit.assessment.metrics) + 2 * bool(visit.assessment.absolute)
    visit.folder.write_json(
        "diagnose_state.json",
        {
            **visit.identity.model_dump(),
            "stage_status": visit.status.stage_status,
            "run_status": visit.status.run_status,
            "diagnosis_status": visit.status.diagnosis_status,
            "pack_id": PACK_ID,
            "pack_version": PACK_VERSION,
            "missing_requirements": visit.gate.missing,
            "requirement_results": visit.gate.results,
            "expected_replay_count": parts * visit.episodes_per_part,
            "replay_count": len(visit.assessment.stage1_replays) + len(visit.assessment.stage2_replays),
            "output_dir": str(visit.folder.root),
            "notes": list(visit.status.notes),
            "stage1_signals": visit.assessment.signals,
        },
    )


def write_stage1(visit: Visit) -> None:
    """Write the results of stage 1 and of the baselines."""
    folder, assessment = visit.folder, visit.assessment
    folder.write_json("stage1_rollout_summary.json", _rollout_summary(visit.evidence.stage1))
    baselines = {
        baseline.role: (baseline, assessment.baseline_metrics[baseline.role])
        for baseline in assessment.baselines.baselines
    }
    folder.write_json(
        "stage1_baselines.json", {"normalization_context": assessment.baselines, **baseline_file(baselines)}
    )
    folder.write_json(
        "stage1_metrics.json",
        {
            "missions": by_mission(assessment.metrics),
            "derived_metrics": derive(assessment.metrics, DERIVED),
            "axis_scores_raw": assessment.raw_scores,
            "axis_scores_normalized": assessment.scores,
            "baseline_context": assessment.baselines,
            "objective_by_mission": assessment.objectives,
            "stage1_metric_correlation": assessment.correlation,
        },
    )
    folder.write_json("stage1_signals.json", {"signals": assessment.signals})


def write_stage2(visit: Visit) -> None:
    """Write the results of stage 2."""
    folder, assessment = visit.folder, visit.assessment
    modes = (("absolute", ABSOLUTE_SEED, assessment.absolute), ("mirror", MIRROR_SEED, assessment.mirror))
    for mode, seed, metrics in modes:
        folder.write_json(f"stage2_{mode}_summary.json", _mode_summary(visit, mode, seed, metrics))
    folder.write_json("stage2_social_signal.json", assessment.social)
    folder.write_json("stage2_diagnosis_delta.json", assessment.delta)


def write_conclusions(visit: Visit) -> None:
    """Write the conclusions and the archives; the last step of a run."""
    folder, assessment = visit.folder, visit.assessment
    note = write_note(visit.identity.run_id, visit.status, visit.contract, visit.gate, assessment, visit.remarks)
    validity = check_validity(
        visit.contract, visit.gate, assessment, visit.status, replays_per_part=visit.episodes_per_part
    )
    folder.write_json("stage1_probe_evaluations.json", {"probes": assessment.probe_evaluations})
    folder.write_json("stage1_metric_correlation.json", assessment.correlation)
    folder.write_json(
        "metrics.json",
        {
            "missions": by_mission(assessment.metrics),
            "derived_metrics": derive(assessment.metrics, DERIVED),
            "axis_scores_normalized": assessment.scores,
            "baseline_context": assessment.baselines,
            "objective_by_mission": assessment.objectives,
        },
    )
    folder.write_json("replay_exemplars.json", assessment.exemplars)
    write_state(visit)
    folder.write_json("doctor_note.json", note)
    folder.write_json("diagnose_validity.json", validity)
    folder.write_json("interpretation_stability.json", visit.stability)
    if visit.reruns:
        folder.write_json("stability_rerun_snapshots.json", {"snapshots": visit.reruns})
    folder.write_text(GUIDE, guide(visit.status, validity, visit.stability, assessment.dominant_issue))
    folder.write_text(REPORT, render_report(visit.options.policy, note, validity))
    _write_replay_bundle(visit)
    folder.add(MANIFEST)
    folder.write_json(
        MANIFEST,
        write_manifest(visit.identity, visit.options, visit.status, visit.stability, validity, folder.files),
    )
    if visit.options.bundle_zip is not None:
        write_zip(visit.options.bundle_zip.expanduser(), folder.root, folder.files)


def _write_replay_bundle(visit: Visit) -> None:
    replays = [*visit.assessment.stage1_replays, *visit.assessment.stage2_replays]
    write_zip(visit.folder.root / REPLAY_BUNDLE, visit.folder.root, replays)
    visit.folder.add(REPLAY_BUNDLE)


def _rollout_summary(played: Sequence[CaseOutcomes]) -> dict[str, object]:
    """Return a summary in the format of `cogames run --format json`."""
    summaries = build_multi_episode_rollout_summaries([rollout_result(list(entry.outcomes)) for entry in played], 1)
    return {
        "missions": [
            {"mission_name": entry.case.name, "mission_summary": summary}
            for entry, summary in zip(played, summaries, strict=True)
        ]
    }


def _mode_summary(visit: Visit, mode: str, seed: int, metrics: Sequence[SocialMetrics]) -> dict[str, object]:
    return {"mode": mode, "seed": seed, "case_count": len(visit.cases), "mission_metrics": by_mission(metrics)}
