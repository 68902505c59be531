import { randomUUID } from 'node:crypto';
import { monotonicMs, sleepReal } from '../../pkg/base/clock.ts';
import { NO_CRITERIA } from '../../pkg/domain/signals/agent-rules.ts';
import { ScheduleRounds } from '../../pkg/engine/schedule/schedule-rounds.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { insertSchedule, nextOf } from '../../pkg/store/schedules/schedules.ts';
import { insertAgent } from '../../pkg/store/signals/signal-agents.ts';
import { FakeNetwork } from '../fixtures/engine/fake-network.ts';
import { type EngineHandle, openEngine } from '../fixtures/engine/harness.ts';
import { addCampaign, addWorkflow, addWorkspace } from '../fixtures/engine/rows.ts';

const SIX = Date.UTC(2026, 2, 3, 6);
const MINUTE = 60_000;
/** Agents of a workspace, and people of whom each has a signal. */
const AGENTS = 10;
const PEOPLE = 10;
/** Agents of the further workspace, one after the other while the others run. */
const FURTHER = 20;
/** Product time passes as much faster than real time (SPEED=): the five minutes after six are as many seconds shorter. */
const SPEED = Number(process.env['SPEED'] ?? 2);

/** What was measured of a morning. Times in real ms. */
export interface MorningFigures {
  workspaces: number;
  agents: number;
  finished: number;
  /** Most of them that are due in one of the five minutes after six. */
  mostInAMinute: number;
  /** From the moment for which an agent is due until its run is over. */
  lateMs: { median: number; most: number };
  /** The same of a further workspace: while nobody else works, and in that morning. */
  furtherMs: { quiet: { median: number; most: number }; morning: { median: number; most: number } };
  peakMb: number;
  cpuSeconds: number;
}

/** Product time that passes faster; it is wound back for another morning. */
class FastClock {
  #from = monotonicMs();
  wind(): void {
    this.#from = monotonicMs();
  }
  now(): number {
    return Math.floor(SIX - 5_000 + (monotonicMs() - this.#from) * SPEED);
  }
  hold(): Promise<() => void> {
    return Promise.resolve(() => undefined);
  }
  sleep(ms: number): Promise<void> {
    return sleepReal(ms / SPEED);
  }
  close(): void {}
}

/** One process that holds the claims of many workspaces whose agents are all due at six, and of one more. */
export async function benchMorning(
  urls: { appUrl: string; executorUrl: string },
  workspaces: number,
): Promise<MorningFigures> {
  const app = new Database({ url: urls.appUrl, max: 4, applicationName: 'bench' });
  const executor = new Database({ url: urls.executorUrl, max: 8, applicationName: 'bench', pipeline: true });
  const clock = new FastClock();
  const ids = await Promise.all(Array.from({ length: workspaces }, () => addHunters(app)));
  const further = await addHunters(app, FURTHER);
  const all = [further, ...ids];
  const engines: EngineHandle[] = [];
  for (const id of all) engines.push(await openEngine({ app, executor, clock }, id, new FakeNetwork()));
  const roundsOf = (count: number): ScheduleRounds[] =>
    engines.slice(0, count).map(({ deps }) => new ScheduleRounds(deps, { failed: rethrow, moved: () => undefined }));
  await plan(app, further, FURTHER);
  let due = await dueOf(app);
  clock.wind();
  await workAll(roundsOf(1), () => open(app, [further]));
  const quiet = await lateOf(app, due, [further]);
  await asBefore(app);
  await plan(app, further, FURTHER);
  due = await dueOf(app);
  const before = process.cpuUsage();
  clock.wind();
  await workAll(roundsOf(all.length), () => open(app, all));
  const { user, system } = process.cpuUsage(before);
  const late = await lateOf(app, due, ids);
  const figures = {
    workspaces,
    agents: workspaces * AGENTS,
    finished: late.length,
    mostInAMinute: await mostInAMinute(app, ids),
    lateMs: summary(late),
    furtherMs: { quiet: summary(quiet), morning: summary(await lateOf(app, due, [further])) },
    peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
    cpuSeconds: (user + system) / 1e6,
  };
  for (const { deps } of engines) deps.claim.stop();
  await executor.close();
  await app.close();
  return figures;
}

function rethrow(error: unknown): never {
  throw error;
}

/** A workspace with people of whom something is known, and agents that look for it at six. @returns its id */
async function addHunters(app: Database, agents = AGENTS): Promise<string> {
  const ws = await addWorkspace(app);
  const campaignId = await addCampaign(app, ws);
  const listens = { nodes: [{ nodeType: 'source:signal_agent' }], edges: [] };
  const workflowId = await addWorkflow(app, ws, campaignId, listens);
  await app.tx({ kind: 'platform' }, (tx) =>
    tx.exec(
      `with made as (
         insert into lead (id, workspace_id, full_name, title, email, created_at, updated_at)
         select gen_random_uuid(), $1, 'Person ' || n, 'CTO', 'p' || n || '@' || $1 || '.example', 1, 1
         from generate_series(1, $2::int) n
         returning id
       )
       insert into signal (id, workspace_id, type, lead_id, title, occurred_at, detected_at, expires_at)
       select gen_random_uuid(), $1, 'job_change', id, 'New role', 1, 1, $3 from made`,
      [ws, PEOPLE, SIX + 90 * 24 * 60 * MINUTE],
    ),
  );
  const timing = { kind: 'cron', cron: '0 6 * * *', timezone: 'UTC' } as const;
  await app.tx({ kind: 'workspaces', ids: [ws] }, async (tx) => {
    for (let place = 0; place < agents; place++) {
      const id = randomUUID();
      const next = nextOf(timing, id, SIX - 1);
      await insertSchedule(tx, {
        id,
        workspaceId: ws,
        kind: 'signal_agent',
        campaignId: null,
        name: `Hunts ${place}`,
        settings: {},
        timing,
        enabled: true,
        ...next,
        createdAt: place,
      });
      await insertAgent(tx, {
        id,
        workspaceId: ws,
        signalTypes: ['job_change'],
        criteria: NO_CRITERIA,
        workflowId,
        networkAccountId: null,
        minScore: null,
        dailyLeadLimit: 25,
        dailyCreditLimit: null,
        playbook: '',
        handleReplies: false,
        judge: '',
        now: 1,
      });
    }
  });
  return ws;
}

/** Agents of the further workspace come one after the other over the five minutes in which the others do. */
async function plan(app: Database, ws: string, count: number): Promise<void> {
  await app.tx({ kind: 'platform' }, (tx) =>
    tx.exec(
      `update schedule s
       set next_for = $2, next_at = $2 + x.place * $3::bigint
       from (select id, row_number() over (order by id) as place from schedule where workspace_id = $1) x
       where s.id = x.id`,
      [ws, SIX, Math.floor((5 * MINUTE) / count)],
    ),
  );
}

/** Nothing was decided yet. */
async function asBefore(app: Database): Promise<void> {
  for (const table of ['scheduled_run', 'signal_decision', 'signal_person', 'signal_agent_day', 'signal_queue'])
    await app.tx({ kind: 'platform' }, (tx) => tx.exec(`delete from ${table}`));
}

/** Each workspace in its own rounds, all in this process, until nothing is open. */
async function workAll(rounds: readonly ScheduleRounds[], isOpen: () => Promise<boolean>): Promise<void> {
  let over = false;
  const loops = rounds.map(async (one) => {
    while (!over) {
      await one.keep();
      await sleepReal(100);
    }
    await one.ended();
  });
  while (await isOpen()) await sleepReal(500);
  over = true;
  await Promise.all(loops);
}

async function open(app: Database, workspaces: readonly string[]): Promise<boolean> {
  const rows = await app.tx({ kind: 'platform' }, (tx) =>
    tx.rows(
      `select 1
       from schedule s
       where s.workspace_id = any ($1)
         and (
           s.next_at <= $2
           or exists (select 1 from scheduled_run r where r.schedule_id = s.id and r.finished_at is null)
         )
       limit 1`,
      [workspaces, SIX + 60 * MINUTE],
    ),
  );
  return rows.length > 0;
}

/** When each agent is due, with the spread of its schedule. */
async function dueOf(app: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await app.tx({ kind: 'platform' }, (tx) =>
    tx.rows<{ id: string; at: number }>('select id, next_at as at from schedule'),
  );
  return new Map(rows.map((row) => [row.id, row.at]));
}

/** Real ms from the moment for which each run was due until it was over. */
async function lateOf(
  app: Database,
  due: ReadonlyMap<string, number>,
  workspaces: readonly string[],
): Promise<number[]> {
  const rows = await app.tx({ kind: 'platform' }, (tx) =>
    tx.rows<{ id: string; at: number }>(
      `select schedule_id as id, finished_at as at
       from scheduled_run
       where workspace_id = any ($1) and state = 'succeeded'`,
      [workspaces],
    ),
  );
  return rows.map(({ id, at }) => (at - (due.get(id) ?? 0)) / SPEED);
}

async function mostInAMinute(app: Database, workspaces: readonly string[]): Promise<number> {
  const row = await app.tx({ kind: 'platform' }, (tx) =>
    tx.row<{ most: number }>(
      `select max(n)::int as most
       from (
         select count(*) as n
         from scheduled_run
         where workspace_id = any ($1)
         group by started_at / ${MINUTE}
       ) x`,
      [workspaces],
    ),
  );
  return row?.most ?? 0;
}

function summary(values: readonly number[]): { median: number; most: number } {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0), most: Math.round(sorted.at(-1) ?? 0) };
}
