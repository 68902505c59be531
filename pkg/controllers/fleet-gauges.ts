import type { Gauge } from 'prom-client';
import type { PeriodicJob } from '../base/periodic.ts';
import { SCHEDULE_KINDS } from '../domain/schedule/automation-kinds.ts';
import type { FleetMetrics } from '../metrics/fleet-metrics.ts';
import { type FleetFigure, type FleetFigureName, readFleet } from '../store/figures/fleet-figures.ts';
import type { OperatorContext } from './context.ts';

/** Real ms between readings: no scrape finds them older than a usual interval. */
const EVERY_MS = 5_000;
const WITHIN_MS = 30_000;
const FREEZE_SCOPES = ['platform', 'workspace', 'account'];
const ACCOUNT_KINDS = ['network', 'mail'];
/** Posts that are not online as they were approved. */
const POST_CODES = ['absent', 'truncated', 'unknown_outcome'];
const SOURCE_KINDS = ['feed', 'site'];

/** What only the database knows of all workspaces together, read by the leader. */
export function fleetGaugesJob(context: OperatorContext): PeriodicJob {
  return { name: 'fleet-gauges', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: () => measureFleet(context) };
}

/** One reading. */
export async function measureFleet({
  db,
  clocks,
  metrics,
}: Pick<OperatorContext, 'db' | 'clocks' | 'metrics'>): Promise<void> {
  const figures = await db.tx({ kind: 'platform' }, (tx) => readFleet(tx, clocks.product.now()));
  setFleetGauges(metrics.fleet, figures);
  metrics.fleet.measuredAt.set({ source: 'postgres' }, clocks.real.now() / 1_000);
}

/** A kind of which nothing is left has no series, except where an alert waits for 0. */
export function setFleetGauges(fleet: FleetMetrics, figures: readonly FleetFigure[]): void {
  const set = (gauge: Gauge, label: string, name: FleetFigureName): void => {
    gauge.reset();
    for (const figure of figures) if (figure.name === name) gauge.set({ [label]: figure.label }, figure.value);
  };
  set(fleet.deadLetters, 'action', 'deadLetters');
  set(fleet.unknownSends, 'action', 'unknownSends');
  set(fleet.reviewPending, 'channel', 'reviewPending');
  set(fleet.reviewOldest, 'channel', 'reviewOldest');
  set(fleet.budgetLimit, 'action', 'budgetLimit');
  set(fleet.budgetUsed, 'action', 'budgetUsed');
  set(fleet.morningLimit, 'action', 'morningLimit');
  set(fleet.morningUsed, 'action', 'morningUsed');
  set(fleet.credits, 'state', 'credits');
  set(fleet.creditsLow, 'state', 'creditsLow');
  set(fleet.accounts, 'status', 'accounts');
  set(fleet.freezes, 'scope', 'freezes');
  set(fleet.unread, 'kind', 'unread');
  set(fleet.schedulesLate, 'kind', 'schedulesLate');
  set(fleet.schedulesFailing, 'kind', 'schedulesFailing');
  set(fleet.schedulesLost, 'kind', 'schedulesLost');
  set(fleet.actionsOpen, 'action', 'actionsOpen');
  set(fleet.postsFailed, 'code', 'postsFailed');
  set(fleet.signalAgents, 'state', 'signalAgents');
  set(fleet.sourcesFailing, 'kind', 'sourcesFailing');
  const shown = new Set(figures.map(({ name, label }) => `${name}/${label}`));
  for (const scope of FREEZE_SCOPES) if (!shown.has(`freezes/${scope}`)) fleet.freezes.set({ scope }, 0);
  for (const code of POST_CODES) if (!shown.has(`postsFailed/${code}`)) fleet.postsFailed.set({ code }, 0);
  if (!shown.has('signalAgents/finds_nobody')) fleet.signalAgents.set({ state: 'finds_nobody' }, 0);
  for (const kind of SOURCE_KINDS) if (!shown.has(`sourcesFailing/${kind}`)) fleet.sourcesFailing.set({ kind }, 0);
  for (const kind of SCHEDULE_KINDS) {
    for (const name of ['schedulesLate', 'schedulesFailing', 'schedulesLost'] as const)
      if (!shown.has(`${name}/${kind}`)) fleet[name].set({ kind }, 0);
  }
  for (const kind of ACCOUNT_KINDS) if (!shown.has(`unread/${kind}`)) fleet.unread.set({ kind }, 0);
}
