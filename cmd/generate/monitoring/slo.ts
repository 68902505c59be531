/** A service level: the share of bad events over a window, and how much of it is allowed. */
interface Slo {
  /** Middle of the recording rules' names: outrider:<metric>:ratio_rate<window>. */
  metric: string;
  alert: string;
  summary: string;
  /** What is counted as bad, for people. */
  bad: string;
  objective: number;
  ratio: (window: string) => string;
  /** All events, good and bad, per second. */
  events: (window: string) => string;
}

/** Windows and factors of the multi-window burn rate (Google SRE workbook, chapter 5; kubernetes-mixin). */
const WINDOWS = [
  { long: '1h', short: '5m', factor: 14.4, for: '2m', severity: 'critical' },
  { long: '6h', short: '30m', factor: 6, for: '15m', severity: 'critical' },
  { long: '1d', short: '2h', factor: 3, for: '1h', severity: 'warning' },
  { long: '3d', short: '6h', factor: 1, for: '3h', severity: 'warning' },
];
/**
 * Bad events in the long window below which nobody is paged: at night a handful of calls is all there is, and a single one that
 * failed is a large share of them. What goes on makes a ticket.
 */
const PAGED_FROM = 5;
const SECONDS: Readonly<Record<string, number>> = { '1h': 3_600, '6h': 21_600 };
const RECORDED = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'];

const CALLS = 'outrider_mcp_tool_calls_total';
const DURATION = 'outrider_mcp_tool_duration_seconds';
const LAG = 'outrider_step_lag_seconds';

/** Per second, of each installation by itself: one that has much to do must not hide what happens in another. */
const perSecond = (series: string, window: string): string => `sum by (namespace) (rate(${series}[${window}]))`;

/** Share above a bound of a histogram. Prometheus 3 writes the bound 60 as 60.0. */
const slower = (metric: string, bound: string, match?: string): Pick<Slo, 'ratio' | 'events'> => {
  const [inBucket, inCount] = match === undefined ? ['', ''] : [`${match},`, `{${match}}`];
  const events = (window: string): string => perSecond(`${metric}_count${inCount}`, window);
  const fast = (window: string): string => perSecond(`${metric}_bucket{${inBucket}le=~"${bound}"}`, window);
  return { events, ratio: (window) => `1 - ${fast(window)} / (${events(window)} > 0)` };
};

const SLOS: readonly Slo[] = [
  {
    metric: 'mcp_errors',
    alert: 'McpErrorBudgetBurn',
    summary: 'Tool calls fail faster than the error budget allows.',
    bad: 'tool calls that ended in a fault',
    objective: 0.999,
    ratio: (window) => `${perSecond(`${CALLS}{result="fault"}`, window)} / (${perSecond(CALLS, window)} > 0)`,
    events: (window) => perSecond(CALLS, window),
  },
  {
    metric: 'mcp_slow',
    alert: 'McpLatencyBudgetBurn',
    summary: 'Tool calls are slower than the latency objective allows.',
    bad: 'reads and writes that took longer than 0.5 s',
    objective: 0.99,
    ...slower(DURATION, '0.5', 'category=~"read|write"'),
  },
  {
    metric: 'step_lag',
    alert: 'StepLagBudgetBurn',
    summary: 'Due steps begin later than the objective allows.',
    bad: 'batches that began more than 60 s (product time) after they were due',
    objective: 0.99,
    ...slower(LAG, '60(\\\\.0)?'),
  },
];

/** Recording rules and burn-rate alerts of all service levels, as the groups of a rule file. */
export function sloGroups(): object[] {
  return [
    { name: 'outrider-slo-recording', rules: SLOS.flatMap(recordings) },
    { name: 'outrider-slo', rules: SLOS.flatMap(burns) },
  ];
}

function recordings({ metric, ratio }: Slo): object[] {
  return RECORDED.map((window) => ({ record: `outrider:${metric}:ratio_rate${window}`, expr: ratio(window) }));
}

/** Whether there were enough bad events for a page. */
function isMany({ metric, events }: Slo, long: string): string {
  return ` and outrider:${metric}:ratio_rate${long} * ${events(long)} * ${SECONDS[long]} >= ${PAGED_FROM}`;
}

function burns(slo: Slo): object[] {
  const { metric, alert, summary, bad, objective } = slo;
  const budget = Number((1 - objective).toFixed(6));
  return WINDOWS.map(({ long, short, factor, severity, for: held }) => ({
    alert,
    expr: `outrider:${metric}:ratio_rate${long} > ${Number((factor * budget).toFixed(6))} and outrider:${metric}:ratio_rate${short} > ${Number((factor * budget).toFixed(6))}${severity === 'critical' ? isMany(slo, long) : ''}`,
    for: held,
    labels: { severity, service: 'outrider', long, short },
    annotations: {
      summary,
      description: `{{ $value | humanizePercentage }} of the events of the last ${long} were ${bad}; the objective allows ${Number((budget * 100).toFixed(4))} % over 30 days, and at this rate it is used up ${factor} times as fast.`,
      runbook_url: `https://outrider.dev/docs/runbooks/${alert}.md`,
    },
  }));
}
