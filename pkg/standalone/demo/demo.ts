import { readFile } from 'node:fs/promises';
import { type Clock, sleepReal } from '../../base/clock.ts';
import type { Database } from '../../postgres/database.ts';
import { iso } from '../../tools/times.ts';
import type { ClockAuthority } from '../clock-authority.ts';
import { SYSTEM_MAILBOX } from '../components.ts';
import { DemoClient, type DemoTarget } from './demo-client.ts';
import { DEMO_GRAPH } from './demo-graph.ts';
import { compareLedgers, type LedgerComparison, peaksOf, type Received } from './demo-ledger.ts';
import { DemoReviewer } from './demo-reviewer.ts';

/** Six weeks: from six weeks ago until product time meets real time. */
export const DEMO_SPAN_MS = 42 * 86_400_000;

export interface DemoOptions extends DemoTarget {
  clock: ClockAuthority;
  real: Clock;
  /** CSV of leads. */
  leadsFile: string;
  sandboxUrl: string;
  sandboxApiKey: string;
  /** Platform view of the product's database, for the comparison of the ledgers. */
  db: Database;
  /** When the demo stops skipping time; epoch ms. */
  until: () => number;
  /** Tells skip-idle not to jump past this moment. */
  onReviewerDue: (dueAt: number | null) => void;
  onProgress: (progress: DemoProgress) => void;
  signal: AbortSignal;
}

export interface DemoProgress {
  step: string;
  /** Product time, epoch ms. */
  now: number;
  counts: Record<string, number>;
}

/** What the demo ends with. */
export interface DemoSummary {
  campaignId: string;
  workflowId: string;
  leads: { imported: number; updated: number; skipped: number; scored: number; inCampaign: number; problems: string[] };
  outcome: { requests: number; acceptances: number; messages: number; replies: number };
  reviews: { approved: number; rejected: number };
  budgets: { account: string; action: string; day: string; used: number; limit: number }[];
  ledger: LedgerComparison;
  seconds: number;
}

interface ImportResult {
  created: number;
  updated: number;
  skipped: number;
  errors: { row?: number; message: string }[];
}
interface Scores {
  stats: { count: number; inCampaign: number };
}
interface Stats {
  funnel: { requested: number; accepted: number; contacted: number; replied: number };
}
interface AccountPage {
  networkAccounts: { networkAccountId: string; displayName: string }[];
}
interface Budgets {
  budgets: { action: string; window: string; limit: number }[];
}

/** Runs the demo campaign through the public tools and returns its table. */
export async function runDemo(options: DemoOptions): Promise<DemoSummary> {
  const started = options.real.now();
  const client = await DemoClient.connect(options);
  try {
    const setup = await prepare(client, options);
    const reviewer = await watch(client, options);
    const summary = await conclude(client, options, setup, reviewer);
    return { ...summary, seconds: Math.round((options.real.now() - started) / 1_000) };
  } finally {
    options.onReviewerDue(null);
    await client.close();
  }
}

interface Setup {
  campaignId: string;
  workflowId: string;
  icpId: string;
  imported: ImportResult;
}

async function prepare(client: DemoClient, options: DemoOptions): Promise<Setup> {
  const report = (step: string, counts: Record<string, number> = {}): void =>
    options.onProgress({ step, now: options.clock.now(), counts });
  report('creating the campaign');
  const { campaignId } = await client.inWorkspace<{ campaignId: string }>('svc_create_campaign', {
    title: 'Demo: heads of growth',
    goal: 'Ten conversations with heads of growth and sales',
    // Each demo is a campaign of its own, also one that is started again within a minute.
    description: `Made by the demo of make run, ${iso(options.real.now())}.`,
  });
  await client.call('svc_create_persona', {
    campaignId,
    name: 'Head of growth',
    description: 'Owns the pipeline of a company of 11 to 1,000 people',
    painPoints: ['Outreach by hand does not scale', 'Accounts get restricted'],
    goals: ['More first conversations'],
  });
  await client.call('svc_create_phase', {
    campaignId,
    name: 'First contact',
    phaseType: 'outreach',
    objectives: ['Ten conversations'],
  });
  const { icpId } = await client.call<{ icpId: string }>('svc_create_icp', {
    campaignId,
    titles: ['Head of Growth', 'Head of Sales', 'VP Sales', 'VP Marketing', 'Chief Revenue Officer', 'Founder'],
    seniorities: ['owner', 'c_suite', 'vp', 'director', 'head'],
    companySizes: ['11-50', '51-200', '201-500', '501-1000'],
  });
  report('importing leads');
  const imported = await client.inWorkspace<ImportResult>('svc_import_leads_csv', {
    csv: await readFile(options.leadsFile, 'utf8'),
    campaignId,
    tags: ['demo'],
    sourceNote: 'docs/examples/leads.csv',
  });
  report('scoring', { imported: imported.created });
  await client.call('svc_trigger_icp_scoring', { icpId });
  const { workflowId } = await client.call<{ workflowId: string }>('svc_create_workflow', {
    campaignId,
    name: 'First contact',
    graph: DEMO_GRAPH,
  });
  await client.call('svc_update_workflow_status', { workflowId, enabled: true });
  report('running', { imported: imported.created });
  return { campaignId, workflowId, icpId, imported };
}

/** Lets product time run to its end while a reviewer decides. */
async function watch(client: DemoClient, options: DemoOptions): Promise<DemoReviewer> {
  const { clock } = options;
  const reviewer = new DemoReviewer(client, clock.now());
  options.onReviewerDue(reviewer.dueAt);
  await clock.setSkipIdle(true);
  let shown = 0;
  while (clock.now() < options.until() && !options.signal.aborted) {
    await reviewer.look(clock.now());
    options.onReviewerDue(reviewer.dueAt);
    if (options.real.now() - shown > 1_000) {
      shown = options.real.now();
      options.onProgress({ step: 'running', now: clock.now(), counts: countKinds(await readReceived(options)) });
    }
    await sleepReal(5);
  }
  await clock.setSkipIdle(false);
  await clock.setSpeed(1);
  return reviewer;
}

async function conclude(
  client: DemoClient,
  options: DemoOptions,
  setup: Setup,
  reviewer: DemoReviewer,
): Promise<Omit<DemoSummary, 'seconds'>> {
  const scores = await client.call<Scores>('svc_get_icp_scores', { icpId: setup.icpId, limit: 1 });
  const { funnel } = await client.call<Stats>('svc_get_campaign_stats', { campaignId: setup.campaignId });
  const received = await readReceived(options);
  const ledger = await options.db.tx({ kind: 'platform' }, (tx) => compareLedgers(tx, received));
  const { imported } = setup;
  return {
    campaignId: setup.campaignId,
    workflowId: setup.workflowId,
    leads: {
      imported: imported.created,
      updated: imported.updated,
      skipped: imported.skipped,
      scored: scores.stats.count,
      inCampaign: scores.stats.inCampaign,
      problems: imported.errors.slice(0, 20).map((problem) => `line ${problem.row}: ${problem.message}`),
    },
    outcome: {
      requests: funnel.requested,
      acceptances: funnel.accepted,
      messages: received.filter((entry) => entry.kind === 'message').length,
      replies: funnel.replied,
    },
    reviews: { approved: reviewer.approved, rejected: reviewer.rejected },
    budgets: await budgetPeaks(client, options, received),
    ledger,
  };
}

async function budgetPeaks(
  client: DemoClient,
  options: DemoOptions,
  received: Received[],
): Promise<DemoSummary['budgets']> {
  const externalIds = await options.db.tx({ kind: 'platform' }, (tx) =>
    tx.rows<{ id: string; external_id: string; display_name: string }>(
      'select id, external_id, display_name from network_account',
    ),
  );
  const page = await client.inWorkspace<AccountPage>('svc_list_network_accounts', { limit: 100 });
  const limits = new Map<string, number>();
  for (const account of page.networkAccounts) {
    const { budgets } = await client.call<Budgets>('svc_get_network_account_budgets', {
      networkAccountId: account.networkAccountId,
    });
    for (const budget of budgets) {
      if (budget.window === 'day') limits.set(`${account.networkAccountId}|${budget.action}`, budget.limit);
    }
  }
  return peaksOf(received).flatMap((peak) => {
    const account = externalIds.find((row) => row.external_id === peak.accountId);
    if (!account) return [];
    const limit = limits.get(`${account.id}|${peak.kind}`) ?? 0;
    return [{ account: account.display_name, action: peak.kind, day: peak.day, used: peak.used, limit }];
  });
}

/** What left for leads; what the house itself mails to its members is not of the campaign. */
async function readReceived(options: DemoOptions): Promise<Received[]> {
  const response = await fetch(`${options.sandboxUrl}/_sandbox/received`, {
    headers: { 'x-api-key': options.sandboxApiKey },
    signal: AbortSignal.timeout(10_000),
  });
  const all = (await response.json()) as Received[];
  return all.filter(({ accountId }) => accountId !== SYSTEM_MAILBOX);
}

function countKinds(received: Received[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of received) counts[entry.kind] = (counts[entry.kind] ?? 0) + 1;
  return counts;
}
