import { AccountPlan, type SlotRequest } from '../../domain/account-plan.ts';
import { type BudgetAction, isContact } from '../../domain/actions.ts';
import type { Tx } from '../../postgres/database.ts';
import {
  type CompanyPlan,
  type Promised,
  promiseSlots,
  readAccountPlans,
  readCompanyPlan,
} from '../../store/budgets/send-plan.ts';
import { type ClaimAnswer, type ClaimRequest, claimSends, type Refusal } from '../../store/ledger/ledger.ts';

/** Refusals that pass with time alone: their runs get a moment of the account's calendar. */
const PLANNED: ReadonlySet<Refusal | null> = new Set<Refusal>([
  'pacing',
  'budget',
  'company_limit',
  'business_hours',
  'duration',
]);

/** Asks the ledger for all requests at once. */
export type Claimer = (tx: Tx, now: number, requests: readonly ClaimRequest[]) => Promise<ClaimAnswer[]>;

/** When the run of a request may act. */
export type UsualTimes = (request: ClaimRequest) => Pick<SlotRequest, 'opening' | 'open'>;

/**
 * Claims sends; who has to wait is promised a moment at which it will act, so that its run says the truth about what
 * happens next. Who may act at once is granted. The runs must be locked by `tx`.
 * @param claim of runs, or of actions without one
 */
export async function claimPlanned(
  tx: Tx,
  now: number,
  requests: readonly ClaimRequest[],
  timesOf: UsualTimes,
  claim: Claimer = claimSends,
): Promise<ClaimAnswer[]> {
  const answers = await claim(tx, now, requests);
  const waiting = answers.filter((answer) => PLANNED.has(answer.refusal));
  if (waiting.length === 0) return answers;
  const byRun = new Map(requests.map((request) => [request.runId, request]));
  const planned = await planAll(tx, now, waiting, byRun, timesOf);
  const atOnce = waiting.flatMap(({ runId }) => {
    const request = byRun.get(runId);
    return request && planned.get(runId)?.nextAt === now ? [request] : [];
  });
  for (const answer of await claim(tx, now, atOnce)) planned.set(answer.runId, { ...answer, actAt: now });
  return answers.map((answer) => askLater(planned.get(answer.runId) ?? answer, now));
}

/** Whether the run was promised a moment and missed it. */
function isLate(answer: ClaimAnswer, now: number): boolean {
  return answer.refusal === 'pacing' && answer.nextAt !== null && answer.nextAt <= now;
}

/** Nobody waits for a moment that has passed. */
function askLater(answer: ClaimAnswer, now: number): ClaimAnswer {
  return isLate(answer, now) ? { ...answer, nextAt: null } : answer;
}

async function planAll(
  tx: Tx,
  now: number,
  waiting: readonly ClaimAnswer[],
  byRun: ReadonlyMap<string, ClaimRequest>,
  timesOf: UsualTimes,
): Promise<Map<string, ClaimAnswer>> {
  const accounts = [...new Set(waiting.map(({ runId }) => byRun.get(runId)?.accountId ?? ''))];
  const states = await readAccountPlans(
    tx,
    now,
    accounts,
    waiting.map((answer) => answer.runId),
  );
  const plans = new Map([...states].map(([id, { state }]) => [id, new AccountPlan(state, now)]));
  const companies = await companiesOf(tx, now, waiting, byRun);
  const told = new Map<string, ClaimAnswer>();
  const promised: Promised[] = [];
  for (const answer of waiting) {
    const request = byRun.get(answer.runId);
    const plan = request && plans.get(request.accountId);
    if (!request || !plan) continue;
    const limit = companies?.limits.get(request.runId);
    const placed = plan.place({
      ...requestOf(request, answer, now),
      ...timesOf(request),
      ...(companies && limit ? { companyRoom: (at) => companies.days.nextRoom(limit, at) } : {}),
    });
    if (companies && limit) companies.days.add({ ...limit, at: placed.at });
    const refusal = placed.boundBy ?? answer.refusal;
    told.set(answer.runId, { ...answer, refusal, nextAt: placed.at });
    if (placed.slot) promised.push({ accountId: request.accountId, slot: placed.slot });
  }
  await promiseSlots(tx, promised);
  return told;
}

/** Limits of companies bind what reaches a person; null: nobody here asks for that. */
async function companiesOf(
  tx: Tx,
  now: number,
  waiting: readonly ClaimAnswer[],
  byRun: ReadonlyMap<string, ClaimRequest>,
): Promise<CompanyPlan | null> {
  const reaching = waiting.filter(({ runId }) => {
    const action = byRun.get(runId)?.action;
    return action !== undefined && isContact(action);
  });
  if (reaching.length === 0) return null;
  return readCompanyPlan(
    tx,
    now,
    reaching.map(({ runId }) => runId),
  );
}

function requestOf(
  request: ClaimRequest,
  answer: ClaimAnswer,
  now: number,
): Pick<SlotRequest, 'runId' | 'budgets' | 'earliest' | 'late'> {
  const later = answer.refusal === 'business_hours' || answer.refusal === 'duration' ? answer.nextAt : null;
  return {
    runId: request.runId,
    budgets: request.budgets as readonly BudgetAction[],
    earliest: Math.max(now, later ?? now),
    late: isLate(answer, now),
  };
}
