import { expect } from 'chai';
import { Registry } from 'prom-client';
import { SCHEDULE_KINDS } from '../../../pkg/domain/schedule/automation-kinds.ts';
import { beginSeries, SCHEDULE_HANDLERS } from '../../../pkg/engine/schedule/schedule-handlers.ts';
import { createExecutorMetrics } from '../../../pkg/metrics/executor-metrics.ts';

describe('series of what happens by a schedule', () => {
  it('each kind has a handler, and its gauges of late, failing and lost runs', () => {
    expect(SCHEDULE_HANDLERS.map(({ kind }) => kind).toSorted()).to.deep.equal(SCHEDULE_KINDS.toSorted());
  });

  it('begin at 0 with an executor: what its first run counts is an increase', async () => {
    const registry = new Registry();
    beginSeries(createExecutorMetrics(registry));
    const text = await registry.metrics();
    for (const series of [
      'outrider_scheduled_runs_total{kind="search_watch",result="failed"} 0',
      'outrider_watch_checks_total{kind="competitor_watch",result="checked"} 0',
      'outrider_watch_findings_total{kind="search_watch"} 0',
      'outrider_signal_outcomes_total{outcome="enqueued"} 0',
      'outrider_profiles_watched_total{result="seen"} 0',
      'outrider_signals_found_total{type="job_change"} 0',
      'outrider_posts_read_back_total{outcome="truncated"} 0',
    ])
      expect(text).to.contain(series);
  });
});
