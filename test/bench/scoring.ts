import { randomUUID } from 'node:crypto';
import { SystemClock } from '../../pkg/base/clock.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import type { Database } from '../../pkg/postgres/database.ts';
import { queueScoring } from '../../pkg/store/scoring/scoring-jobs.ts';
import { ScoringWorker } from '../../pkg/tools/icps/scoring-worker.ts';

/** Seconds within which a campaign of LEADS is to be rescored. */
export const SCORING_LIMIT_S = 30;
const LEADS = 100_000;

/** What was measured. Times in seconds. */
export interface ScoringFigures {
  leads: number;
  signals: number;
  firstPassSeconds: number;
  rescoreSeconds: number;
  leadsPerSecond: number;
}

/** Scores 100,000 leads with three signals for each third one, then rescores all after a change of the ICP. */
export async function benchScoring(db: Database): Promise<ScoringFigures> {
  const icpId = await fill(db);
  const clock = new SystemClock();
  const deps = { db, clocks: { real: clock, product: clock }, ids: systemIds };
  const pass = async (): Promise<number> => {
    const started = process.hrtime.bigint();
    await db.tx({ kind: 'platform' }, (tx) => queueScoring(tx, { id: systemIds.uuid(), icpId, now: clock.now() }));
    const worker = new ScoringWorker(deps);
    while (await worker.next());
    return Number(process.hrtime.bigint() - started) / 1e9;
  };
  const firstPassSeconds = await pass();
  await db.tx({ kind: 'platform' }, (tx) =>
    tx.exec(`update icp set titles = array['Head of Sales', 'CTO'], seniorities = array['vp'] where id = $1`, [icpId]),
  );
  const rescoreSeconds = await pass();
  const signals = Math.ceil(LEADS / 3) * 3;
  return { leads: LEADS, signals, firstPassSeconds, rescoreSeconds, leadsPerSecond: LEADS / rescoreSeconds };
}

/** @returns the ICP of a campaign that all leads were imported for */
async function fill(db: Database): Promise<string> {
  const icpId = randomUUID();
  await db.tx({ kind: 'platform' }, async (tx) => {
    await tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ('score', 'score', 'S', 1, 1)`);
    await tx.exec(
      `insert into campaign (id, workspace_id, uid, title, created_at, updated_at) values ('score', 'score', 'score', 'S', 1, 1)`,
    );
    await tx.exec(
      `insert into icp (id, workspace_id, campaign_id, titles, seniorities, industries, company_sizes, keywords, created_at)
       values ($1, 'score', 'score', array['VP Sales', 'Head of Sales'], array['vp', 'director'], array['Software'], array['51-200'], array['growth', 'saas'], 1)`,
      [icpId],
    );
  });
  for (let from = 0; from < LEADS; from += 20_000) {
    await db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `with made as (insert into lead (id, workspace_id, first_name, full_name, title, headline, company, company_size, industry, created_at, updated_at)
           select gen_random_uuid(), 'score', 'P' || n, 'P' || n, (array['VP Sales', 'CTO', 'Sales Manager', 'Head of Sales', 'Intern'])[1 + n % 5],
             'Growth for SaaS companies', 'Company ' || n % 5000, (array['11-50', '51-200', '1001-5000'])[1 + n % 3], (array['Software', 'Retail'])[1 + n % 2], 1, 1
           from generate_series($1::int, $2::int) n returning id, full_name),
         member as (insert into campaign_lead (workspace_id, campaign_id, lead_id, added_at) select 'score', 'score', id, 1 from made)
         insert into signal (id, workspace_id, type, lead_id, title, occurred_at, detected_at, expires_at)
           select gen_random_uuid(), 'score', t.type, id, 'News of ' || full_name, $3::bigint, $3::bigint, $3::bigint + 2592000000
           from made cross join (values ('job_change'), ('new_post'), ('funding_round')) t (type) where substr(full_name, 2)::int % 3 = 0`,
        [from, from + 19_999, Date.now() - 432_000_000],
      ),
    );
  }
  return icpId;
}
