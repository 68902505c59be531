import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemIds } from '../../pkg/base/ids.ts';
import type { AgentRules } from '../../pkg/domain/signals/agent-rules.ts';
import { decideSignal, type SignalFacts } from '../../pkg/domain/signals/decide-signal.ts';
import type { Database } from '../../pkg/postgres/database.ts';
import { decideSignals } from '../../pkg/store/signals/decide-signals.ts';
import { openDeciding } from '../../pkg/store/signals/deciding.ts';
import { readAgent } from '../../pkg/store/signals/signal-agents.ts';
import type { SignalPlace } from '../../pkg/store/signals/signal-page.ts';

/** Seconds within which a run decides about 100,000 signals on two cores, and megabytes that its process holds at most. */
export const AGENT_LIMIT_S = 30;
export const AGENT_LIMIT_MB = 180;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 2, 2, 6);
const AT_ONCE = 5_000;

/** What was measured of one run. */
export interface AgentFigures {
  /** known: who the people are is settled; new: nobody has looked at them yet. */
  people: 'new' | 'known';
  signals: number;
  seconds: number;
  /** Seconds of a processor that the process itself took: they tell the same on a machine that others share. */
  cpuSeconds: number;
  /** And those that the database took for it; null: this machine does not tell. */
  databaseSeconds: number | null;
  /** Most memory that the process ever held. */
  peakMb: number;
  outcomes: Record<string, number>;
}

/**
 * Decides about signals of as many people, half of whom match, in a workspace with 1,000 exclusions: first of new people, then of known ones;
 * each time in a process of its own, which holds nothing of what filled the database.
 */
export async function benchAgents(db: Database, url: string, signals: number): Promise<AgentFigures[]> {
  await fill(db, signals);
  const runs: AgentFigures[] = [];
  for (const people of ['new', 'known'] as const)
    runs.push(await inProcess<AgentFigures>(people, url, String(signals)));
  return runs;
}

/** Runs agents-run.ts with these arguments, as an executor runs. @returns what it tells */
export async function inProcess<T>(...args: string[]): Promise<T> {
  const program = new URL('agents-run.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [...executorFlags(), program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = (await child.stdout.toArray()).join('');
  return JSON.parse(said.trim().split('\n').at(-1) ?? '') as T;
}

/** With what memory an executor runs, as the chart says. */
function executorFlags(): string[] {
  const chart = readFileSync(new URL('../../charts/outrider/templates/operator.yaml', import.meta.url), 'utf8');
  const [, command = '[]'] = /EXECUTOR_COMMAND_JSON, value: '([^']*)'/.exec(chart) ?? [];
  const flags = (JSON.parse(command) as string[]).filter((word) => word.startsWith('--'));
  if (flags.length === 0) throw new Error('the chart does not say how an executor runs');
  return flags;
}

/** Decides about all that is stored. */
export async function decideAll(db: Database, people: 'new' | 'known', signals: number): Promise<AgentFigures> {
  const id = await agentOf(db);
  const run = { scheduledRunId: randomUUID(), leadsLeft: null, now: NOW, newId: () => systemIds.uuid() };
  const outcomes: Record<string, number> = {};
  let after: SignalPlace | null = null;
  const started = process.hrtime.bigint();
  const before = process.cpuUsage();
  do {
    const from: SignalPlace | null = after;
    const done: Awaited<ReturnType<typeof decideSignals>> = await db.tx(
      { kind: 'workspaces', ids: ['hunt'] },
      async (tx) => {
        const agent = await readAgent(tx, id);
        if (!agent) throw new Error('no agent');
        return decideSignals(tx, await openDeciding(tx, agent, run), from);
      },
    );
    for (const { outcome } of done.decisions) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    after = done.after;
  } while (after !== null);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const { user, system } = process.cpuUsage(before);
  const databaseSeconds = await backendSeconds(db);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  const decided = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  await replay(db, id);
  if (decided !== signals) throw new Error(`${decided} of ${signals} signals were decided`);
  return { people, signals, seconds, cpuSeconds: (user + system) / 1e6, databaseSeconds, peakMb, outcomes };
}

/** Processor time of the server processes of this program's connections since they began, as Linux tells it (in hundredths). */
async function backendSeconds(db: Database): Promise<number | null> {
  const rows = await db.tx({ kind: 'platform' }, (tx) =>
    tx.rows<{ pid: number }>(`select pid from pg_stat_activity where application_name = 'bench-run'`),
  );
  try {
    const ticks = rows.map(({ pid }) => {
      const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
      const fields = after.split(' ');
      return Number(fields[11]) + Number(fields[12]);
    });
    return ticks.reduce((sum, one) => sum + one, 0) / 100;
  } catch {
    return null;
  }
}

/** Decides 10,000 of them again by what is stored. @throws Error where one differs in a byte */
async function replay(db: Database, agentId: string): Promise<void> {
  const rows = await db.tx({ kind: 'platform' }, (tx) =>
    tx.rows<{ facts: SignalFacts; rules: AgentRules; outcome: string; score: number; reason: string }>(
      `select d.facts, r.rules, d.outcome, d.score, d.reason
       from signal_decision d
       join signal_agent_rules r on r.agent_id = d.agent_id and r.version = d.rules_version
       where d.agent_id = $1
       order by d.signal_id limit 10000`,
      [agentId],
    ),
  );
  for (const { facts, rules, outcome, score, reason } of rows) {
    const again = decideSignal(facts, rules);
    if (JSON.stringify([again.outcome, again.score, again.reason]) !== JSON.stringify([outcome, score, reason]))
      throw new Error(`a decision differs from its replay: ${JSON.stringify(again)}`);
  }
}

/** An agent that puts whom it finds before the workflows that listen to it. */
async function agentOf(db: Database): Promise<string> {
  const id = randomUUID();
  await db.tx({ kind: 'platform' }, async (tx) => {
    await tx.exec(
      `insert into schedule (id, workspace_id, kind, name, cron, timezone, created_at)
       values ($1, 'hunt', 'signal_agent', 'Hunt', '0 6 * * 1-5', 'UTC', 1)`,
      [id],
    );
    await tx.exec(
      `insert into signal_agent (id, workspace_id, signal_types, criteria, daily_lead_limit, created_at, updated_at)
       values ($1, 'hunt', array['job_change'], $2, 1000, 1, 1)`,
      [id, JSON.stringify({ ...NOTHING, titles: ['CTO', 'VP Engineering'] })],
    );
  });
  return id;
}

const NOTHING = { titles: [], industries: [], seniorities: [], companySizes: [], keywords: [], locations: [] };

export async function fill(db: Database, signals: number): Promise<void> {
  await db.tx({ kind: 'platform' }, (tx) =>
    tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ('hunt', 'hunt', 'H', 1, 1)`),
  );
  for (let from = 0; from < signals; from += AT_ONCE)
    await db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `with made as (
           insert into lead (id, workspace_id, full_name, title, email, profile_id, profile_url, company, company_key,
             created_at, updated_at)
           select gen_random_uuid(), 'hunt', 'Person ' || n, (array['CTO', 'Clerk', 'VP Engineering', 'Intern'])[1 + n % 4],
             'p' || n || '@company' || n % 5000 || '.example', 'bench-' || n, 'https://www.linkedin.com/in/bench-' || n,
             'Company ' || n % 5000, 'company ' || n % 5000, 1, 1
           from generate_series($1::int, $2::int) n
           returning id
         )
         insert into signal (id, workspace_id, type, lead_id, title, occurred_at, detected_at, expires_at, evidence)
         select gen_random_uuid(), 'hunt', 'job_change', id, 'New role', $3, $3, $4,
           '[{"url": "https://www.linkedin.com", "excerpt": "A new role at a company that builds things for others"}]'
         from made`,
        [from, Math.min(from + AT_ONCE, signals) - 1, NOW - DAY, NOW + 30 * DAY],
      ),
    );
  await db.tx({ kind: 'platform' }, (tx) =>
    tx.exec(
      `insert into suppression (id, workspace_id, level, kind, value, source, created_at)
       select gen_random_uuid(), 'hunt', 'workspace', 'domain', 'company' || n * 5 || '.example', 'customer', 1
       from generate_series(0, 999) n`,
    ),
  );
}
