import { isContact } from '../../../../pkg/domain/actions.ts';
import { localDate } from '../../../../pkg/domain/budget-window.ts';
import { dayOfDate, instantOf } from '../../../../pkg/domain/local-time.ts';
import type { ClaimRequest, Refusal } from '../../../../pkg/store/ledger/ledger.ts';
import { type Opened, openBudget } from './ledger-budgets.ts';
import type { AccountRow, ClaimRow, LedgerState, Policy, RunRow, SlotRow, WorkspaceRow } from './ledger-state.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** A request with what its rules look at. */
export interface Ask {
  now: number;
  state: LedgerState;
  request: ClaimRequest;
  /** Its place in the batch. */
  order: number;
  workspace: WorkspaceRow;
  run: RunRow;
  policy: Policy;
  account: AccountRow | undefined;
  /** It reaches a person. */
  contact: boolean;
  /** Company of the person; null where nobody counts. */
  company: string | null;
  sendKey: string;
  scopeKey: string;
  claim: ClaimRow | undefined;
  /** The moment that was promised to its run, for whatever. */
  promise: SlotRow | undefined;
  stop: Stop | null;
  budgets: readonly (Opened | null)[];
  /** Those before it in the batch that were granted. */
  granted: readonly Ask[];
}

export interface Stop {
  why: Refusal;
  /** When it is worth asking again (epoch ms); null: nobody knows. */
  nextAt: number | null;
}

type Rule = (ask: Ask) => Stop | null | false;
const refused = (why: Refusal, nextAt: number | null = null): Stop => ({ why, nextAt });

/** The reasons to refuse a request, in the order of their checks. Sources: catalog contact policy, budgets, pacing; architecture: never twice. */
const RULES: readonly Rule[] = [
  ({ run }) => (run.ended_at !== null || run.state === 'paused') && refused('gone'),
  ({ state, run, stop }) => isHeld(state, 'run', run.id) && refused('send_freeze', stop?.nextAt ?? null),
  ({ state, run }) => state.suppressed.includes(run.person_id) && refused('suppressed'),
  ({ run, policy }) => hasReplied(run) && policy.stopOnReply !== false && refused('replied'),
  ({ state, sendKey }) => state.key.some(({ key }) => key === sendKey) && refused('already_sent'),
  (ask) =>
    ask.contact &&
    lastContactOfOthers(ask) > ask.now - (ask.policy.recontactAfterDays ?? 90) * DAY &&
    refused('recontact'),
  ({ stop }) => stop,
  ({ claim, run, now }) =>
    isOfAnotherRun(claim, run) && !isFree(claim, now) && refused('claim_held_elsewhere', claim?.cool_until ?? null),
  tooSoonAfterLastTouch,
  companyReachedToday,
  ({ request: { notBefore = 0 }, now }) => notBefore > now && refused('business_hours', notBefore),
  atNoPromisedMoment,
  outOfUnits,
];

/** Why a request is refused, first reason first; null: nothing stands against it. */
export function judge(ask: Ask): Stop | null {
  for (const rule of RULES) {
    const stop = rule(ask);
    if (stop) return stop;
  }
  return null;
}

/** @returns null for a run of another workspace */
export function askOf(
  state: LedgerState,
  workspaceId: string,
  request: ClaimRequest,
  order: number,
  now: number,
  granted: readonly Ask[],
): Ask | null {
  const workspace = state.workspace.find(({ id }) => id === workspaceId);
  const run = state.run.find(({ id, workspace_id }) => id === request.runId && workspace_id === workspaceId);
  if (!workspace || !run) return null;
  const policy = state.campaign.find(({ id }) => id === run.campaign_id)?.settings.contactPolicy ?? {};
  const contact = isContact(request.action);
  const scopeKey = scopeKeyOf(policy, run, workspace, request.accountId);
  const account = state.account.find(({ id }) => id === request.accountId);
  return {
    now,
    state,
    request,
    order,
    workspace,
    run,
    policy,
    account,
    contact,
    company: (contact && state.lead.find(({ id }) => id === run.lead_id)?.company_key) || null,
    sendKey:
      request.once === 'account'
        ? `r:${request.accountId}:${run.person_id}`
        : `m:${run.person_id}:${run.workflow_id}:${request.nodeId}`,
    scopeKey,
    claim: state.claim.find((one) => one.scope_key === scopeKey && one.person_id === run.person_id),
    promise: state.slot.find((slot) => slot.run_id === run.id && !slot.acted),
    stop: stopOf(state, workspace, run, account, now),
    budgets: request.budgets.map((action) => openBudget(state, workspaceId, request.accountId, action, now)),
    granted,
  };
}

const isHeld = (state: LedgerState, kind: string, id: string): boolean =>
  state.hold.some((hold) => hold.kind === kind && hold.id === id);

const hasReplied = ({ facts }: RunRow): boolean => facts.replied === true && facts.replyClass !== 'out_of_office';

function scopeKeyOf({ dedupeScope }: Policy, run: RunRow, workspace: WorkspaceRow, accountId: string): string {
  if (dedupeScope === 'campaign') return `campaign:${run.campaign_id}`;
  if (dedupeScope === 'account') return `account:${accountId}`;
  if (dedupeScope === 'agency' && workspace.agency_id !== null) return `agency:${workspace.agency_id}`;
  return `workspace:${workspace.id}`;
}

/** What stops the workflow or the account, no matter who is to be reached. */
function stopOf(
  state: LedgerState,
  workspace: WorkspaceRow,
  run: RunRow,
  account: AccountRow | undefined,
  now: number,
): Stop | null {
  const flows =
    workspace.operating_mode === 'Running' &&
    state.campaign.some(({ id, state: at }) => id === run.campaign_id && at === 'active') &&
    state.workflow.some(({ id, enabled }) => id === run.workflow_id && enabled);
  const held =
    isHeld(state, 'workspace', workspace.id) ||
    isHeld(state, 'campaign', run.campaign_id) ||
    isHeld(state, 'workflow', run.workflow_id);
  if (!flows || held) return refused('send_freeze');
  const freezes = freezesOf(state, workspace, account, now);
  if (freezes.length > 0) {
    const until = freezes.map((one) => one.until ?? Number.POSITIVE_INFINITY).reduce((a, b) => Math.max(a, b));
    return refused('send_freeze', until < Number.POSITIVE_INFINITY ? until : null);
  }
  const linked = state.link.some((link) => link.account_id === account?.id && link.workspace_id === workspace.id);
  const cooling = (account?.cooldown_until ?? 0) > now;
  const works = account?.status === 'ok' && !account.paused;
  if (works && linked && !cooling) return null;
  return refused('account_unhealthy', works && cooling ? (account?.cooldown_until ?? null) : null);
}

const freezesOf = (
  state: LedgerState,
  workspace: WorkspaceRow,
  account: AccountRow | undefined,
  now: number,
): LedgerState['freeze'] =>
  state.freeze.filter(
    ({ scope, target, channel, until }) =>
      (scope === 'platform' || target === (scope === 'workspace' ? workspace.id : account?.id)) &&
      (channel === '' || channel === (account?.kind ?? 'network')) &&
      (until === null || until > now),
  );

/** The last contact of the person by another workflow within the policy's scope; 0: none. */
function lastContactOfOthers({ state, run, policy, workspace, request }: Ask): number {
  const scope = policy.dedupeScope ?? 'workspace';
  const sisters = state.workspace.filter((one) => one.agency_id === workspace.agency_id).map(({ id }) => id);
  const within = (contact: LedgerState['contact'][number]): boolean => {
    if (scope === 'campaign') return contact.campaign_id === run.campaign_id;
    if (scope === 'account') return contact.account_id === request.accountId;
    if (scope === 'agency') return contact.workspace_id === workspace.id || sisters.includes(contact.workspace_id);
    return contact.workspace_id === workspace.id;
  };
  const others = state.contact.filter(
    (one) => one.person_id === run.person_id && one.workflow_id !== run.workflow_id && within(one),
  );
  return Math.max(0, ...others.map(({ last_at }) => last_at));
}

const isOfAnotherRun = (claim: ClaimRow | undefined, run: RunRow): boolean =>
  claim !== undefined && claim.run_id !== null && claim.run_id !== run.id;

/** Whether a contact claim may pass to another run. */
export function isFree(claim: ClaimRow | undefined, now: number): boolean {
  return claim === undefined || (claim.released_at !== null && (claim.cool_until ?? 0) <= now);
}

function tooSoonAfterLastTouch({ state, contact, run, workspace, policy, now }: Ask): Stop | null {
  const touches = state.contact.filter((one) => one.person_id === run.person_id && one.workspace_id === workspace.id);
  if (!contact || touches.length === 0) return null;
  const free = Math.max(...touches.map(({ last_at }) => last_at)) + (policy.minDaysBetweenTouches ?? 2) * DAY;
  return free > now ? refused('duration', free) : null;
}

/** As many people of a company as the policy lets a day reach; those whom the workspace reached today are no more of them. */
function companyReachedToday({ state, company, policy, run, workspace, now, granted }: Ask): Stop | null {
  const limit = policy.maxLeadsPerCompanyPerDay ?? 3;
  if (company === null || limit === 0) return null;
  const day = dayOfDate(localDate(now, workspace.timezone));
  const today = instantOf(day, 0, workspace.timezone);
  const reached = new Set(
    state.send
      .filter((send) => send.claimed_at >= today && send.state !== 'failed' && isContact(send.action))
      .filter((send) => state.lead.find(({ id }) => id === send.lead_id)?.company_key === company)
      .map((send) => send.person_id),
  );
  if (reached.has(run.person_id)) return null;
  const places = limit - reached.size - granted.filter((one) => one.company === company).length;
  return places > 0 ? null : refused('company_limit', instantOf(day + 1, 0, workspace.timezone));
}

/** The promise of a request, where it is for this and has come. */
export function promiseOf({ promise, request, now }: Ask): SlotRow | null {
  if (!promise || promise.account_id !== request.accountId || promise.at > now) return null;
  return promise.budgets.join() === request.budgets.join() ? promise : null;
}

/** A paced account acts at moments that it promised, within the minute, unless one of the class has just acted. */
function atNoPromisedMoment(ask: Ask): Stop | null {
  const { state, account, contact, request, granted, now } = ask;
  if (account?.pacing.maxGapSeconds === 0) return null;
  const promise = promiseOf(ask);
  const pacing = state.pacing.find(({ account_id }) => account_id === request.accountId);
  const before = granted.findLast((one) => one.request.accountId === request.accountId && one.contact === contact);
  const freeAt = Math.max(
    (contact ? pacing?.heavy_free_at : pacing?.light_free_at) ?? 0,
    before ? now + gapAfter(before) : 0,
  );
  if (promise && promise.at >= now - MINUTE && freeAt <= now) return null;
  // The moment that was missed, where one was.
  return refused('pacing', promise?.at ?? now + MINUTE);
}

function gapAfter(ask: Ask): number {
  const promise = promiseOf(ask);
  return promise ? promise.free_at - promise.at : 0;
}

function outOfUnits({ request, budgets, granted }: Ask): Stop | null {
  for (const [index, action] of request.budgets.entries()) {
    const taken = granted.filter(
      (one) => one.request.accountId === request.accountId && one.request.budgets.includes(action),
    ).length;
    const opened = budgets[index];
    if ((opened?.left ?? 0) - taken <= 0) return refused('budget', opened?.opensAt ?? null);
  }
  return null;
}
