import pg from 'pg';
import { seededRandom } from '../../../pkg/domain/random.ts';
import type { ClaimRequest } from '../../../pkg/store/ledger/ledger.ts';
import { type LedgerState, STATE_SQL } from './ledger-model/ledger-state.ts';

const DAY = 86_400_000;
const ACTIONS = [
  ['profile_view'],
  ['like'],
  ['message'],
  ['connection_request'],
  ['connection_request', 'connection_request_with_note'],
  ['comment'],
  ['mail'],
] as const;
const POLICIES = [
  { minDaysBetweenTouches: 2, maxLeadsPerCompanyPerDay: 2, recontactAfterDays: 1 },
  { dedupeScope: 'campaign', minDaysBetweenTouches: 0, maxLeadsPerCompanyPerDay: 1 },
  { dedupeScope: 'account', minDaysBetweenTouches: 0, maxLeadsPerCompanyPerDay: 3, stopOnReply: false },
  { dedupeScope: 'agency', minDaysBetweenTouches: 1, maxLeadsPerCompanyPerDay: 0, recontactAfterDays: 0 },
];

/** A small crowded workspace: few persons, companies, accounts and units, so that requests of a batch meet each other. */
export class LedgerWorld {
  readonly workspace: string;
  readonly #client: pg.Client;
  readonly #random: () => number;
  now = Date.UTC(2026, 0, 5, 9);

  private constructor(client: pg.Client, seed: string) {
    this.#client = client;
    this.#random = seededRandom(seed);
    this.workspace = `world-${seed}`;
  }

  /** @param ownerUrl the owner of the schema sees and writes every row */
  static async open(ownerUrl: string, seed: string): Promise<LedgerWorld> {
    const client = new pg.Client({ connectionString: ownerUrl });
    await client.connect();
    const world = new LedgerWorld(client, seed);
    await world.#fill();
    return world;
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** Something happens that is not ours: time passes, people stop runs, others write, promises are made. */
  async stir(): Promise<void> {
    this.now += Math.floor(this.#random() ** 5 * DAY);
    if (this.#random() < 0.4) for (const statement of this.#calm()) await this.#client.query(statement);
    const run = `(select r.id from outrider.run r where r.workspace_id = '${this.workspace}' order by md5(r.id::text || ${this.#random()}) limit 1)`;
    const account = this.#account();
    const at = this.now - Math.floor(this.#random() * 2 * DAY);
    const stirs = [
      `update outrider.run set facts = '{"replied": true, "replyClass": "${this.#pick(['interested', 'out_of_office'])}"}' where md5(id::text || ${this.#random()}) < '2'`,
      `update outrider.run set state = '${this.#pick(['paused', 'waiting'])}' where id = ${run}`,
      `insert into outrider.hold select '${this.workspace}', 'run', ${run}::text, 'test', 'test', 1 on conflict do nothing`,
      `insert into outrider.hold values ('${this.workspace}', 'workflow', '${this.#flow()}', 'test', 'test', 1) on conflict do nothing`,
      `update outrider.workflow set enabled = false where id = '${this.#flow()}'`,
      `update outrider.campaign set state = 'paused' where id = '${this.#campaign()}'`,
      `insert into outrider.suppression (id, workspace_id, level, kind, value, source, created_at) select '${this.#uuid()}'::uuid, '${this.workspace}', 'workspace', 'person', u.person_id::text, 'hand', 1 from outrider.run u where u.id = ${run} on conflict do nothing`,
      `insert into outrider.send_freeze (id, scope, target, channel, until, reason, frozen_by, since) values ('${this.#uuid()}', ${this.#pick([`'account', '${account}', ''`, `'workspace', '${this.workspace}', 'mail'`, `'account', '${account}', 'network'`])}, ${this.#pick([String(this.now + 3_600_000), 'null'])}, 'test', 'test', 1) on conflict do nothing`,
      `update outrider.network_account set status = '${this.#pick(['restricted', 'ok', 'ok', 'ok'])}', cooldown_until = ${this.#pick([this.now + 60_000, 'null', 'null'])} where id = '${account}'`,
      `update outrider.contact_claim set released_at = ${at}, cool_until = ${at + DAY} where released_at is null and scope_key > '${this.#pick(['a', 'c', 'w'])}'`,
      'delete from outrider.contact_claim',
      `insert into outrider.contact_claim (scope_key, person_id, workspace_id, run_id, taken_at, released_at, cool_until)
        select 'agency:${this.workspace}', u.person_id, '${this.workspace}-other', '${this.#uuid()}', 1, ${this.#pick(['null, null', `1, ${this.now + DAY}`, '1, 2'])} from outrider.run u where u.id = ${run} on conflict do nothing`,
      `delete from outrider.send_key where md5(key) > '${this.#pick(['4', '8', 'c'])}'`,
      this.#contacts('u.workspace_id, u.campaign_id, u.workflow_id', account, at),
      this.#contacts('u.workspace_id, u.campaign_id, u.workflow_id', account, at),
      this.#contacts(
        `'${this.workspace}${this.#pick(['', '-other'])}', '${this.#campaign()}', '${this.#flow()}'`,
        account,
        at,
      ),
      `update outrider.send set state = 'failed' where state = 'claimed' and md5(id::text) > '8'`,
      ...Array.from({ length: 4 }, () => this.#act(account)),
      ...Array.from({ length: 12 }, () => this.#promises(account)),
    ];
    for (let count = 1 + Math.floor(this.#random() * 4); count > 0; count--)
      await this.#client.query(stirs[Math.floor(this.#random() * stirs.length)] ?? 'select 1');
  }

  /** What stops sends ends. */
  #calm(): string[] {
    return [
      `update outrider.run set facts = '{}', state = 'waiting'`,
      'delete from outrider.hold',
      'delete from outrider.send_freeze',
      'delete from outrider.suppression',
      'delete from outrider.contact_log',
      'update outrider.workflow set enabled = true',
      `update outrider.campaign set state = 'active'`,
      `update outrider.network_account set status = 'ok', cooldown_until = null`,
    ];
  }

  /** Requests of different runs, as a batch of the engine has them. */
  async batch(): Promise<ClaimRequest[]> {
    const { rows } = await this.#client.query<{ id: string; account: string | null; budgets: string[] | null }>(
      `select r.id, s.account_id as account, s.budgets from outrider.run r left join outrider.account_slot s on s.run_id = r.id and not s.acted
       where r.workspace_id = $1 order by (s.run_id is null) and $2, md5(r.id::text || $3) limit $4`,
      [this.workspace, this.#random() < 0.5, String(this.#random()), 1 + Math.floor(this.#random() * 14)],
    );
    const few = this.#random() < 0.4 ? [this.#account(), this.#account()] : undefined;
    const alike = this.#random() < 0.3 ? [...this.#pick(ACTIONS)] : null;
    if (rows[0] && this.#random() < 0.1) rows.push(rows[0]);
    return rows.map(({ id, account, budgets }) =>
      this.#random() < 0.1
        ? this.#request(id, this.#account(), null)
        : this.#request(id, account ?? this.#pick(few ?? [this.#account()]), budgets ?? alike),
    );
  }

  /** All that the rules look at, and all that a claim may change. */
  async state(): Promise<LedgerState> {
    const { rows } = await this.#client.query<{ state: LedgerState }>(`select (${STATE_SQL}) as state`, [
      this.workspace,
    ]);
    if (!rows[0]) throw new Error('the ledger has no state');
    return rows[0].state;
  }

  #request(runId: string, accountId: string, given: string[] | null): ClaimRequest {
    const budgets = given ?? [...this.#pick(ACTIONS)];
    const action = budgets[0] ?? 'like';
    return {
      runId,
      sendId: this.#uuid(),
      nodeId: this.#pick(['n1', 'n2', 'n3']),
      accountId,
      action,
      budgets,
      once: action === 'connection_request' ? 'account' : 'node',
      body: action === 'message' ? 'Hello' : null,
      target: { publicId: runId },
      ...(this.#random() < 0.4 ? { atOnce: true } : {}),
      ...(this.#random() < 0.1 ? { notBefore: this.now + this.#pick([-60_000, 60_000]) } : {}),
    };
  }

  /** A few people were written to. @param by expressions of the workspace, the campaign and the workflow */
  #contacts(by: string, account: string, at: number): string {
    return `insert into outrider.contact_log (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches)
      select distinct on (u.person_id, u.workflow_id) u.person_id, ${by}, '${account}', ${at}, 1 from outrider.run u
      where u.workspace_id = '${this.workspace}' and md5(u.person_id::text || ${this.#random()}) < '6'
      on conflict (person_id, workflow_id) do nothing`;
  }

  /** The account acted, and rests from each class or not. */
  #act(account: string): string {
    const freeAt = (): number => this.now + this.#pick([-60_000, 60_000]);
    return `update outrider.account_pacing set heavy_free_at = ${freeAt()}, light_free_at = ${freeAt()} where account_id = '${account}'`;
  }

  /** An account promised a moment to a few runs: to one of any account, or to several of a paced one at about the same time. */
  #promises(account: string): string {
    const several = this.#random() < 0.3;
    const budgets = this.#pick(ACTIONS);
    const at = this.now + this.#pick(several ? [-30_000, 0] : [-3_600_000, -90_000, -30_000, 0, 60_000]);
    const to = several ? `${this.workspace}-${this.#pick([0, 3])}` : account;
    return `insert into outrider.account_slot (account_id, heavy, at, free_at, workspace_id, run_id, budgets)
      select '${to}', app.is_contact('${budgets[0]}'), ${at}, ${at + 300_000}, '${this.workspace}', r.id, '{${budgets.join(',')}}'
      from outrider.run r where r.workspace_id = '${this.workspace}' order by md5(r.id::text || ${this.#random()}) limit ${several ? 6 : 1}
      on conflict do nothing`;
  }

  #uuid(): string {
    const part = (): string =>
      Math.floor(this.#random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    const hex = part() + part() + part() + part();
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }

  #campaign(): string {
    return `${this.workspace}-${Math.floor(this.#random() * 4)}`;
  }

  #flow(): string {
    return `${this.#campaign()}-${Math.floor(this.#random() * 2)}`;
  }

  #account(): string {
    return `${this.workspace}-${Math.floor(this.#random() * 6)}`;
  }

  async #fill(): Promise<void> {
    const ws = this.workspace;
    const statements = [
      ...[ws, `${ws}-other`].map(
        (id) =>
          `insert into outrider.workspace (id, uid, name, agency_id, timezone, limits, created_at, updated_at) values ('${id}', '${id}', 'W', '${ws}', 'Europe/Berlin', '{"dailyActions": {"like": 4}}', 1, 1)`,
      ),
      ...POLICIES.map(
        (
          policy,
          index,
        ) => `insert into outrider.campaign (id, workspace_id, uid, title, state, settings, created_at, updated_at)
        values ('${ws}-${index}', '${ws}', '${ws}-${index}', 'T', 'active', '${JSON.stringify({ contactPolicy: policy })}', 1, 1)`,
      ),
      `insert into outrider.workflow (id, workspace_id, campaign_id, uid, name, enabled, graph_version, created_at, updated_at)
        select '${ws}-' || c || '-' || w, '${ws}', '${ws}-' || c, '${ws}-' || c || '-' || w, 'W', true, 1, 1, 1 from generate_series(0, 3) c, generate_series(0, 1) w`,
      `insert into outrider.person (id, created_at) select md5('${ws}' || g)::uuid, 1 from generate_series(1, 24) g`,
      `insert into outrider.lead (id, workspace_id, person_id, first_name, full_name, company_key, created_at, updated_at)
        select md5('${ws}lead' || g)::uuid, '${ws}', md5('${ws}' || 1 + g % 24)::uuid, 'A', 'A B', case when g % 5 > 0 then 'company ' || g % 5 else '' end, 1, 1 from generate_series(1, 36) g`,
      `insert into outrider.run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, due_at, entered_at, started_at)
        select md5('${ws}run' || g)::uuid, '${ws}', '${ws}-' || g % 4 || '-' || g / 4 % 2, '${ws}-' || g % 4, l.id, l.person_id, 1, 'n1', 'waiting', 1, 1, 1
        from generate_series(1, 120) g join outrider.lead l on l.id = md5('${ws}lead' || 1 + g * 7 % 36)::uuid on conflict do nothing`,
      `insert into outrider.network_account (id, external_id, display_name, tier, status_since, timezone, limits, pacing, ramp_enabled, created_at)
        select '${ws}-' || g, '${ws}-' || g, 'S', 'sales', 1, case g % 2 when 0 then 'UTC' else 'America/New_York' end,
          ('{"profile_view": {"day": ' || 2 + g * g || '}, "message": {"day": ' || 1 + g || '}, "connection_request": {"day": 4, "week": ' || 3 + g || '}, "like": {"day": 3}, "mail": {"day": 3}, "comment": {"day": 2, "week": 5}, "connection_request_with_note": {"day": 2, "week": 2}}')::jsonb,
          case when g % 3 > 0 then '{"maxGapSeconds": 0, "weekendFactor": 0.5}' else '{}' end::jsonb, false, 1 from generate_series(0, 5) g`,
      `insert into outrider.account_link (account_id, workspace_id, share, linked_at) select '${ws}-' || g, '${ws}', 0, 1 from generate_series(0, 5) g where g <> 5`,
      `insert into outrider.account_link (account_id, workspace_id, share, linked_at) select '${ws}-' || g, '${ws}-other', 0.3, 1 from generate_series(3, 5) g`,
    ];
    for (const statement of statements) await this.#client.query(statement);
  }
}
