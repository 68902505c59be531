/** Rows of one workspace's ledger and of what its claims look at, with the names of their columns. Times are epoch ms, dates `2026-01-05`. */
export interface LedgerState {
  workspace: WorkspaceRow[];
  campaign: { id: string; settings: { contactPolicy?: Policy }; state: string }[];
  workflow: { id: string; enabled: boolean }[];
  run: RunRow[];
  lead: { id: string; company_key: string }[];
  account: AccountRow[];
  link: { account_id: string; workspace_id: string; share: number }[];
  hold: { kind: string; id: string }[];
  /** Persons who must not be contacted. */
  suppressed: string[];
  freeze: { scope: string; target: string; channel: string; until: number | null }[];
  contact: ContactRow[];
  /** What a claim may change. */
  send: SendRow[];
  key: { key: string; person_id: string; send_id: string; taken_at: number }[];
  claim: ClaimRow[];
  budget: BudgetRow[];
  pacing: PacingRow[];
  slot: SlotRow[];
}

/** A campaign's contact policy; what is absent has the documented default. */
export interface Policy {
  dedupeScope?: 'workspace' | 'campaign' | 'account' | 'agency';
  stopOnReply?: boolean;
  recontactAfterDays?: number;
  minDaysBetweenTouches?: number;
  maxLeadsPerCompanyPerDay?: number;
}

export interface WorkspaceRow {
  id: string;
  agency_id: string | null;
  timezone: string;
  operating_mode: string;
  limits: { dailyActions?: Record<string, number> };
}

export interface RunRow {
  id: string;
  workspace_id: string;
  workflow_id: string;
  campaign_id: string;
  lead_id: string;
  person_id: string;
  state: string;
  ended_at: number | null;
  facts: { replied?: boolean; replyClass?: string };
}

export interface AccountRow {
  id: string;
  kind: string;
  tier: 'basic' | 'premium' | 'sales' | 'recruiter';
  timezone: string;
  pacing: { maxGapSeconds?: number; weekendFactor?: number };
  limits: Record<string, { day?: number; week?: number | null }>;
  health: number;
  /** It begins with a share of its limits, which grows by the day. */
  ramp_enabled: boolean;
  ramp_days: number;
  ramp_start_share: number;
  status: string;
  paused: boolean;
  cooldown_until: number | null;
  first_send_at: number | null;
  last_action_at: number | null;
}

export interface ContactRow {
  person_id: string;
  workspace_id: string;
  campaign_id: string;
  workflow_id: string;
  account_id: string;
  last_at: number;
}

export interface SendRow {
  id: string;
  run_id: string;
  workflow_id: string;
  campaign_id: string;
  node_id: string;
  lead_id: string;
  person_id: string;
  account_id: string;
  action: string;
  budgets: string[];
  send_key: string | null;
  state: string;
  body: string | null;
  target: object;
  budget_date: string | null;
  claimed_at: number;
  dispatched_at: number | null;
  /** A request may have left by the clock of the database. */
  dispatched: boolean;
}

export interface ClaimRow {
  scope_key: string;
  person_id: string;
  workspace_id: string;
  run_id: string | null;
  taken_at: number;
  released_at: number | null;
  cool_until: number | null;
}

export interface BudgetRow {
  account_id: string;
  action: string;
  head_date: string;
  used: number[];
  /** -1: no limit. */
  limit_day: number;
  limit_week: number;
  by_workspace: Record<string, number>;
  last_at: number | null;
}

export interface PacingRow {
  account_id: string;
  heavy_free_at: number;
  light_free_at: number;
}

export interface SlotRow {
  account_id: string;
  heavy: boolean;
  at: number;
  free_at: number;
  run_id: string;
  budgets: string[];
  acted: boolean;
}

/** Columns of each table that the model knows, and how rows of the workspace `$1` are found and ordered. */
const TABLES: Record<Exclude<keyof LedgerState, 'suppressed'>, string> = {
  workspace: `id, agency_id, timezone, operating_mode, limits from outrider.workspace where starts_with(id, $1) order by id`,
  campaign: `id, settings, state from outrider.campaign where workspace_id = $1 order by id`,
  workflow: `id, enabled from outrider.workflow where workspace_id = $1 order by id`,
  run: `id, workspace_id, workflow_id, campaign_id, lead_id, person_id, state, ended_at, facts from outrider.run
    where starts_with(workspace_id, $1) order by id`,
  lead: `id, company_key from outrider.lead where starts_with(workspace_id, $1) order by id`,
  account: `id, kind, tier, timezone, pacing, limits, health, ramp_enabled, ramp_days, ramp_start_share, status, paused, cooldown_until,
    first_send_at, last_action_at from outrider.network_account where starts_with(id, $1) order by id`,
  link: `account_id, workspace_id, share from outrider.account_link where starts_with(account_id, $1) order by 1, 2`,
  hold: `kind, id from outrider.hold where workspace_id = $1 order by 1, 2`,
  freeze: `scope, target, channel, until from outrider.send_freeze where starts_with(target, $1) order by id`,
  contact: `person_id, workspace_id, campaign_id, workflow_id, account_id, last_at from outrider.contact_log
    where starts_with(workspace_id, $1) order by 1, 4`,
  send: `id, run_id, workflow_id, campaign_id, node_id, lead_id, person_id, account_id, action, budgets, send_key, state, body,
    target, budget_date, claimed_at, dispatched_at, dispatched_real is not null as dispatched from outrider.send where workspace_id = $1 order by id`,
  key: `key, person_id, send_id, taken_at from outrider.send_key where workspace_id = $1 order by send_id`,
  claim: `scope_key, person_id, workspace_id, run_id, taken_at, released_at, cool_until from outrider.contact_claim
    where starts_with(workspace_id, $1) order by person_id, scope_key collate "C"`,
  budget: `account_id, action, head_date, used, limit_day, limit_week, by_workspace, last_at from outrider.account_budget
    where starts_with(account_id, $1) order by 1, action collate "C"`,
  pacing: `account_id, heavy_free_at, light_free_at from outrider.account_pacing where starts_with(account_id, $1) order by 1`,
  slot: `account_id, heavy, at, free_at, run_id, budgets, acted from outrider.account_slot
    where workspace_id = $1 order by run_id, at, acted`,
};

/** SQL that reads the state of the workspace `$1` as one JSON value; the ids of its neighbours and accounts begin with its own. */
export const STATE_SQL = `select jsonb_build_object(
  'suppressed', (select coalesce(jsonb_agg(s.value order by s.value), '[]') from outrider.suppression s where s.workspace_id = $1),
  ${Object.entries(TABLES)
    .map(([name, rows]) => `'${name}', (select coalesce(jsonb_agg(to_jsonb(x)), '[]') from (select ${rows}) x)`)
    .join(',\n  ')})`;
