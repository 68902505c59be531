import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { EVENT_KINDS, type EventKind } from '../../../pkg/domain/event-kinds.ts';
import { EVENT_DEFINITIONS } from '../../../pkg/events/event-definitions.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { holdCredits, moveCredits } from '../../../pkg/store/credits/credits.ts';
import { numberEvents } from '../../../pkg/store/events/number-events.ts';
import { tellTimedEvents } from '../../../pkg/store/events/timed-events.ts';
import { freezeSends, liftFreeze } from '../../../pkg/store/ledger/send-freezes.ts';
import { enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { chain } from '../../fixtures/engine/workflow-fixture.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** What a walk through a workflow, a reply or a report writes into the history of its run, with the test that sees it. */
const OF_RUNS: readonly EventKind[] = [
  'run.started',
  'run.step_done',
  'run.blocked',
  'run.completed',
  'run.failed',
  'review.pending',
  'review.decided',
  'review.expired',
  'message.sent',
  'message.failed',
  'connection.requested',
  'connection.accepted',
  'connection.withdrawn',
  'reply.received',
  'unsubscribe.received',
  'mail.bounced',
  'mail.complained',
];

/** Told where a scheduled run ends (test/integration/engine/schedules.test.ts and automations.test.ts). */
const OF_SCHEDULES: readonly EventKind[] = ['automation.failed', 'report.ready'];

/** Told where a split is judged (test/integration/engine/splits.test.ts). */
const OF_SPLITS: readonly EventKind[] = ['split.winner_ready'];

/** Told where agents find signals, and where signals end (test/integration/tools/signal-agents/). */
const OF_SIGNALS: readonly EventKind[] = ['signal.detected', 'signal.expired'];
/** Told where watches find something and pause themselves (test/integration/tools/watches/). */
const OF_WATCHES: readonly EventKind[] = ['watch.found', 'watch.paused'];
/** Told where an executor wrote a meeting into a calendar (test/integration/tools/provider-services/calendar-events.test.ts). */
const OF_CALENDARS: readonly EventKind[] = ['meeting.created', 'meeting.cancelled'];
/** Told where account sync finds a mailbox warm (test/integration/tools/provider-services/provider-services.test.ts). */
const OF_MAILBOXES: readonly EventKind[] = ['warmup.ready'];
/** Told where replies are answered (test/integration/tools/craft/craft-tools.test.ts). */
const OF_INBOX: readonly EventKind[] = ['reply.classified'];
/** Told where posts are approved, published and looked for (test/integration/tools/content/). */
const OF_CONTENT: readonly EventKind[] = [
  'content.submitted',
  'content.approved',
  'content.rejected',
  'content.published',
  'content.failed',
];

const NOW = 1_790_000_000_000;

describe('deeds and their events', function () {
  this.timeout(60_000);
  let db: Database;
  let root: pg.Client;
  let ws: string;
  let account: string;
  let campaign: string;
  let workflow: string;
  let lead: string;
  const icp = randomUUID();

  before(async () => {
    const urls = await (await testPostgres()).product();
    db = new Database({ url: urls.appUrl, max: 2, applicationName: 'test' });
    root = new pg.Client({ connectionString: urls.superuserUrl });
    await root.connect();
    await root.query('set search_path = outrider, app');
    ws = await addWorkspace(db);
    account = await addAccount(db, [ws]);
    campaign = await addCampaign(db, ws);
    workflow = await addWorkflow(db, ws, campaign, chain({ nodeType: 'flow:end' }));
    lead = await addLead(db, ws, {});
    await root.query('insert into icp (id, workspace_id, campaign_id, created_at) values ($1, $2, $3, 1)', [
      icp,
      ws,
      campaign,
    ]);
  });
  after(async () => {
    await root.end();
    await db.close();
  });

  const platform = { kind: 'platform' } as const;
  const run = (): Promise<unknown> =>
    db.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      enrolLeads(tx, {
        workspaceId: ws,
        workflowId: workflow,
        now: NOW,
        leads: [{ leadId: lead, runId: randomUUID() }],
        source: 'trigger',
      }),
    );
  const score = (total: number): Promise<unknown> =>
    root.query(
      `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
       values ($1, $2, $6, $3, $4, 0, $4, $5)
       on conflict (icp_id, lead_id) do update set total = excluded.total`,
      [ws, campaign, lead, total, NOW, icp],
    );
  const key = randomUUID();
  const freeze = { scope: 'account', target: '', channel: '' } as const;

  /** Each deed in the order of the list; what it leaves, the next may use. */
  const DEEDS: Partial<Record<EventKind, () => Promise<unknown>>> = {
    'lead.created': () => addLead(db, ws, {}),
    'lead.enriched': () => root.query('update lead set enriched_at = $2 where id = $1', [lead, NOW]),
    'lead.score_changed': () => score(70),
    'lead.entered_campaign': run,
    'dead_letter.opened': () =>
      root
        .query(
          `with s as (
           insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at)
           select gen_random_uuid(), workspace_id, workflow_id, campaign_id, id, 'n0', lead_id, person_id, $2, 'message', 'unknown', 1, $3
           from run where lead_id = $1 returning id)
         select id from s`,
          [lead, account, NOW],
        )
        .then(({ rows: [send] }) => root.query('update send set dead_letter_at = $2 where id = $1', [send.id, NOW])),
    'lead.left_campaign': () =>
      root.query(`update run set state = 'stopped', ended_at = $2, due_at = null where lead_id = $1`, [lead, NOW]),
    'lead.erased': () => root.query('update lead set erased_at = $2 where id = $1', [lead, NOW]),
    'import.completed': () =>
      root.query(
        `insert into lead_import (id, workspace_id, status, started_at, finished_at) values ($1, $2, 'completed', 1, $3)`,
        [randomUUID(), ws, NOW],
      ),
    'send.frozen': () =>
      db.tx(platform, (tx) =>
        freezeSends(
          tx,
          { ...freeze, target: account },
          { id: randomUUID(), until: null, reason: 'x', by: 'y', now: NOW },
        ),
      ),
    'send.released': () => db.tx(platform, (tx) => liftFreeze(tx, { ...freeze, target: account }, NOW)),
    'key.created': () =>
      root.query(
        `insert into api_key (id, key_hash, key_type, workspace_id, name, key_prefix, scopes, created_at)
         values ($1, decode($5, 'hex'), 'workspace', $2, 'k', $3, '{}', $4)`,
        [key, ws, `ork_${key.slice(0, 8)}`, NOW, key.replaceAll('-', '')],
      ),
    'key.revoked': () => root.query('update api_key set revoked_at = $2 where id = $1', [key, NOW]),
    'member.joined': () =>
      root.query(
        `with u as (insert into app_user (id, email, name, created_at) values (gen_random_uuid(), $2, 'N', 1) returning id)
         insert into member (id, workspace_id, user_id, role, joined_at) select gen_random_uuid(), $1, u.id, 'member', $3 from u`,
        [ws, `${randomUUID()}@agency.example`, NOW],
      ),
    'account.status_changed': () =>
      root.query(`update network_account set status = 'credentials_expired', status_since = $2 where id = $1`, [
        account,
        NOW,
      ]),
    'account.budget_exhausted': () =>
      root
        .query(
          `insert into account_budget (account_id, action, head_date, used, limit_day, limit_week)
           select id, 'message', (to_timestamp($2 / 1000.0) at time zone timezone)::date, '{9,0,0,0,0,0,0}', 9, 40
           from network_account where id = $1`,
          [account, NOW],
        )
        .then(lookTwice),
    'account.ramp_completed': () =>
      root
        .query('update network_account set ramp_enabled = true, ramp_days = 14, first_send_at = $2 where id = $1', [
          account,
          NOW - 14 * 86_400_000,
        ])
        .then(lookTwice),
    'credits.low': () => spend(50),
    'credits.exhausted': () => spend(70),
    'integration.error': () =>
      root
        .query(
          `insert into integration (id, workspace_id, provider, kind, created_at) values ($1, $2, 'hubspot', 'crm', 1)`,
          [`int-${key}`, ws],
        )
        .then(() => root.query(`update integration set status = 'needs_auth' where id = $1`, [`int-${key}`])),
  };

  /** Who looks again tells nothing again. */
  const lookTwice = async (): Promise<void> => {
    for (const later of [0, 60_000]) await db.tx(platform, (tx) => tellTimedEvents(tx, NOW + later));
  };
  const about = { workspaceId: '', tool: 'test', keyPrefix: null, reason: 'test', now: NOW };
  const spend = (amount: number): Promise<unknown> =>
    db.tx(platform, async (tx) => {
      if (amount === 50)
        await moveCredits(tx, { ...about, workspaceId: ws, kind: 'grant', amount: 120, idempotencyKey: 'start' });
      await holdCredits(tx, {
        id: randomUUID(),
        workspaceId: ws,
        amount,
        action: 'ai_craft',
        idempotencyKey: `spend-${amount}`,
        inputHash: 'x',
        now: NOW,
      });
    });

  async function toldAfter(deed: () => Promise<unknown>): Promise<{ kind: EventKind; data: object; at: number }[]> {
    while ((await db.tx(platform, (tx) => numberEvents(tx))) > 0);
    const {
      rows: [before],
    } = await root.query<{ last: string }>(
      'select coalesce(max(number), 0) as last from event_number where workspace_id = $1',
      [ws],
    );
    await deed();
    while ((await db.tx(platform, (tx) => numberEvents(tx))) > 0);
    return db.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      tx.rows(
        `select e.kind, e.data, e.at from event_number n join run_event e using (seq)
         where n.workspace_id = $1 and n.number > $2 order by n.number`,
        [ws, before?.last],
      ),
    );
  }

  for (const [kind, deed] of Object.entries(DEEDS) as [EventKind, () => Promise<unknown>][])
    it(`${kind}: ${EVENT_DEFINITIONS[kind].deed}`, async () => {
      const told = (await toldAfter(deed)).filter((event) => event.kind === kind);
      expect(told).to.have.length(1);
      const { runId, ...ofRun } = {
        runId: 'r',
        leadId: lead,
        workflowId: workflow,
        campaignId: campaign,
        nodeId: 'n0',
      };
      const data = kind === 'dead_letter.opened' ? { runId, ...ofRun, ...told[0]?.data } : told[0]?.data;
      EVENT_DEFINITIONS[kind].data.parse(data);
    });

  it('each kind has a deed here or in the history of runs', () => {
    const known = new Set([
      ...OF_RUNS,
      ...OF_SCHEDULES,
      ...OF_SPLITS,
      ...OF_SIGNALS,
      ...OF_WATCHES,
      ...OF_CONTENT,
      ...OF_INBOX,
      ...OF_MAILBOXES,
      ...OF_CALENDARS,
      ...(Object.keys(DEEDS) as EventKind[]),
    ]);
    const untold = EVENT_KINDS.filter((kind) => !known.has(kind));
    expect(untold).to.deep.equal([]);
  });

  it('what is the same as before is no news: a score that stays, an account that is as it was', async () => {
    await score(70);
    const told = await toldAfter(async () => {
      await score(70);
      await root.query('update network_account set status = status where id = $1', [account]);
    });
    expect(told).to.deep.equal([]);
  });

  it('a thousand leads are one event', async () => {
    const told = await toldAfter(() =>
      root.query(
        `insert into lead (id, workspace_id, full_name, created_at, updated_at)
         select gen_random_uuid(), $1, 'P', 1, 1 from generate_series(1, 2500)`,
        [ws],
      ),
    );
    const sizes = told.map((event) => (event.data as { leadIds: string[] }).leadIds.length);
    expect(sizes.toSorted()).to.deep.equal([1000, 1000, 500]);
  });
});
