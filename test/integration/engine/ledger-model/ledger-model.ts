import { isHarmless } from '../../../../pkg/domain/actions.ts';
import type { ClaimAnswer, ClaimRequest } from '../../../../pkg/store/ledger/ledger.ts';
import { type Ask, askOf, isFree, judge } from './ledger-rules.ts';
import type { BudgetRow, ClaimRow, LedgerState, SendRow } from './ledger-state.ts';

/** Who acts so late (ms) moves the rest of the calendar. */
const LATE = 5_000;

/** What a claim is to answer, and the rows that it is to leave behind. */
export interface Predicted {
  answers: ClaimAnswer[];
  state: LedgerState;
}

/**
 * The claim of a batch by the rules as they are told: goes through the requests one by one, by account and in the order in which
 * they came, then takes what was granted. Pure; the rows of `state` are not changed.
 */
export function claimByModel(
  state: LedgerState,
  workspaceId: string,
  now: number,
  requests: readonly ClaimRequest[],
): Predicted {
  const granted: Ask[] = [];
  const asked: Ask[] = [];
  const answers: ClaimAnswer[] = [];
  for (const { request, order } of inDueOrder(requests)) {
    const ask = askOf(state, workspaceId, request, order, now, [...granted]);
    if (!ask) continue;
    asked.push(ask);
    const stop = judge(ask);
    if (stop) answers.push({ runId: request.runId, granted: false, refusal: stop.why, nextAt: stop.nextAt });
    else granted.push(ask);
  }
  const { taken, refusals } = takeOnce(granted.toSorted((a, b) => a.order - b.order));
  for (const { ask, why } of refusals) answers.push({ runId: ask.run.id, granted: false, refusal: why, nextAt: null });
  for (const { run } of taken) answers.push({ runId: run.id, granted: true, refusal: null, nextAt: null });
  return { answers, state: stateAfter(state, now, asked, taken) };
}

function inDueOrder(requests: readonly ClaimRequest[]): { request: ClaimRequest; order: number }[] {
  return requests
    .map((request, order) => ({ request, order }))
    .toSorted((a, b) =>
      a.request.accountId === b.request.accountId
        ? a.order - b.order
        : a.request.accountId < b.request.accountId
          ? -1
          : 1,
    );
}

/** Of several with one key the first has it; of several runs that want one contact claim, that of the smallest id. */
function takeOnce(granted: readonly Ask[]): {
  taken: Ask[];
  refusals: { ask: Ask; why: 'already_sent' | 'claim_held_elsewhere' }[];
} {
  const keyed = granted.filter((ask) => granted.find((one) => one.sendKey === ask.sendKey) === ask);
  const wanting = keyed.filter((ask) => !holdsClaim(ask));
  const winners = wanting.filter(
    (ask) =>
      (isFree(ask.claim, ask.now) || ask.claim?.run_id === ask.run.id) &&
      !wanting.some((other) => sameClaim(ask, other) && other.run.id < ask.run.id),
  );
  const taken = keyed.filter((ask) => holdsClaim(ask) || winners.some(({ run }) => run.id === ask.run.id));
  const refusals = granted
    .filter((ask) => !taken.includes(ask))
    .map((ask) => ({ ask, why: keyed.includes(ask) ? ('claim_held_elsewhere' as const) : ('already_sent' as const) }));
  return { taken, refusals };
}

const sameClaim = (a: Ask, b: Ask): boolean => a.scopeKey === b.scopeKey && a.run.person_id === b.run.person_id;
const holdsClaim = ({ claim, run }: Ask): boolean =>
  claim !== undefined && claim.run_id === run.id && claim.released_at === null;

function stateAfter(state: LedgerState, now: number, asked: readonly Ask[], taken: readonly Ask[]): LedgerState {
  return {
    ...state,
    send: byText([...state.send, ...taken.map(sendOf)], (send) => send.id),
    key: byText(
      [
        ...state.key,
        ...taken.map(({ sendKey, run, request }) => ({
          key: sendKey,
          person_id: run.person_id,
          send_id: request.sendId,
          taken_at: now,
        })),
      ],
      (key) => key.send_id,
    ),
    claim: claimsAfter(state, now, taken),
    budget: budgetsAfter(state, now, asked, taken),
    account: state.account.map((account) => {
      const first =
        account.first_send_at === null && taken.some((ask) => isAtOnce(ask) && ask.account?.id === account.id);
      return first ? { ...account, first_send_at: now, last_action_at: now } : account;
    }),
    ...calendarAfter(state, now, taken),
  };
}

function byText<T>(rows: readonly T[], textOf: (row: T) => string): T[] {
  return rows.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

const isAtOnce = ({ request }: Ask): boolean => (request.atOnce ?? false) && isHarmless(request.action);

function sendOf(ask: Ask): SendRow {
  const { request, run, now } = ask;
  return {
    id: request.sendId,
    run_id: run.id,
    workflow_id: run.workflow_id,
    campaign_id: run.campaign_id,
    node_id: request.nodeId,
    lead_id: run.lead_id,
    person_id: run.person_id,
    account_id: request.accountId,
    action: request.action,
    budgets: [...request.budgets],
    send_key: ask.sendKey,
    state: isAtOnce(ask) ? 'dispatched' : 'claimed',
    body: request.body,
    target: request.target,
    budget_date: ask.budgets[0]?.row.head_date ?? null,
    claimed_at: now,
    dispatched_at: isAtOnce(ask) ? now : null,
    dispatched: isAtOnce(ask),
  };
}

function claimsAfter(state: LedgerState, now: number, taken: readonly Ask[]): ClaimRow[] {
  const claims = [...state.claim];
  for (const { scopeKey, run, workspace } of taken) {
    const at = claims.findIndex((one) => one.scope_key === scopeKey && one.person_id === run.person_id);
    const before = claims[at];
    const claim = { scope_key: scopeKey, person_id: run.person_id, workspace_id: workspace.id, run_id: run.id };
    if (before) claims[at] = { ...before, ...claim, released_at: null };
    else claims.push({ ...claim, taken_at: now, released_at: null, cool_until: null });
  }
  return byText(claims, (claim) => `${claim.person_id} ${claim.scope_key}`);
}

/** Every budget that was asked for is opened; what was granted takes a unit of each. */
function budgetsAfter(state: LedgerState, now: number, asked: readonly Ask[], taken: readonly Ask[]): BudgetRow[] {
  const keyOf = (row: BudgetRow): string => `${row.account_id} ${row.action}`;
  const budgets = new Map(state.budget.map((row) => [keyOf(row), row]));
  for (const row of asked.flatMap((ask) => ask.budgets.flatMap((one) => one?.row ?? []))) {
    const takers = taken.filter(
      (ask) => ask.request.accountId === row.account_id && ask.request.budgets.includes(row.action),
    );
    const [today = 0, ...before] = row.used;
    const ws = asked[0]?.workspace.id ?? '';
    budgets.set(keyOf(row), {
      ...row,
      used: [today + takers.length, ...before],
      by_workspace:
        takers.length === 0
          ? row.by_workspace
          : { ...row.by_workspace, [ws]: (row.by_workspace[ws] ?? 0) + takers.length },
      last_at: takers.some(isAtOnce) ? now : row.last_at,
    });
  }
  return byText([...budgets.values()], keyOf);
}

/** The promises of the runs are kept; who is late moves what follows. */
function calendarAfter(state: LedgerState, now: number, taken: readonly Ask[]): Pick<LedgerState, 'slot' | 'pacing'> {
  const kept = state.slot
    .filter((slot) => !slot.acted && taken.some(({ run }) => run.id === slot.run_id))
    .map((slot) => (slot.at < now - LATE ? { ...slot, at: now, free_at: slot.free_at - slot.at + now } : slot))
    .map((slot) => ({ ...slot, acted: true }));
  const others = state.slot.filter((slot) => slot.acted || !taken.some(({ run }) => run.id === slot.run_id));
  const freeAt = (account: string, heavy: boolean): number =>
    Math.max(0, ...kept.filter((one) => one.account_id === account && one.heavy === heavy).map((one) => one.free_at));
  return {
    slot: [...others, ...kept].toSorted(
      (a, b) => (a.run_id < b.run_id ? -1 : a.run_id > b.run_id ? 1 : a.at - b.at) || Number(a.acted) - Number(b.acted),
    ),
    pacing: state.pacing.map((row) => ({
      ...row,
      heavy_free_at: Math.max(row.heavy_free_at, freeAt(row.account_id, true)),
      light_free_at: Math.max(row.light_free_at, freeAt(row.account_id, false)),
    })),
  };
}
