import { randomUUID } from 'node:crypto';
import type { ClaimKeeper } from '../../../pkg/engine/lease/claim-keeper.ts';
import { claimPlanned } from '../../../pkg/engine/ledger/claim-planned.ts';
import type { ClaimAnswer, ClaimRequest } from '../../../pkg/store/ledger/ledger.ts';
import { addCampaign, addLead, addWorkflow, addWorkspace } from './fixtures.ts';
import { type Bench, enrol, keepClaim, query } from './harness.ts';

/** A workspace with an active campaign, an enabled workflow and the claim of its executor. */
export interface Place {
  ws: string;
  camp: string;
  flow: string;
  claim: ClaimKeeper;
}

interface LedgerTools {
  /** @param settings of the campaign's contact policy */
  place(settings?: object, agencyId?: string | null): Promise<Place>;
  /** Enrols new leads. @returns the ids of their runs */
  runs(at: Place, count: number, flow?: string): Promise<string[]>;
  request(runId: string, accountId: string, action?: string, extra?: Partial<ClaimRequest>): ClaimRequest;
  /** Claims, and remembers the grant in the run as the engine's write-back does. */
  claim(at: Place, requests: ClaimRequest[], now?: number): Promise<ClaimAnswer[]>;
  /** Claims one after another, moving time to each pacing slot. */
  claimPaced(
    at: Place,
    requests: ClaimRequest[],
    from?: number,
  ): Promise<{ granted: number; refusals: string[]; now: number }>;
  /** Units of today that the account has used. */
  used(account: string, action?: string): Promise<number>;
}

/** At any time, and so little of it that no hour's share binds. */
export const FREELY = { opening: (at: number): number => at, open: { hoursPerDay: 1, daysPerWeek: 1 } };

/** The ledger without an engine around it. */
export function ledgerTools(bench: () => Bench): LedgerTools {
  const claim: LedgerTools['claim'] = (at, requests, now = bench().clock.now()) =>
    at.claim.tx(async (tx) => {
      const answers = await claimPlanned(tx, now, requests, () => FREELY);
      for (const answer of answers.filter((one) => one.granted)) {
        const send = requests.find((one) => one.runId === answer.runId);
        await tx.exec('update run set send_id = $2 where id = $1', [answer.runId, send?.sendId]);
      }
      for (const answer of answers.filter((one) => !one.granted && one.nextAt !== null)) {
        await tx.exec('update run set due_at = $2 where id = $1', [answer.runId, answer.nextAt]);
      }
      return answers;
    });
  return {
    claim,
    async place(settings = {}, agencyId = null) {
      const { app } = bench();
      const ws = await addWorkspace(app, { agencyId });
      const camp = await addCampaign(app, ws, { contactPolicy: { minDaysBetweenTouches: 0, ...settings } });
      const flow = await addWorkflow(app, ws, camp, { nodes: [{ nodeType: 'network:profile_view' }], edges: [] });
      return { ws, camp, flow, claim: await keepClaim(bench(), ws) };
    },
    async runs(at, count, flow = at.flow) {
      const leads = await Promise.all(Array.from({ length: count }, () => addLead(bench().app, at.ws, {})));
      return (await enrol(bench(), at.ws, flow, leads)).map((one) => one.runId ?? '');
    },
    request: (runId, accountId, action = 'profile_view', extra = {}) => ({
      runId,
      sendId: randomUUID(),
      nodeId: 'n0',
      accountId,
      action,
      budgets: [action],
      once: 'node',
      body: null,
      target: {},
      ...extra,
    }),
    async claimPaced(at, requests, from = bench().clock.now()) {
      let now = from;
      let granted = 0;
      const refusals: string[] = [];
      for (const one of requests) {
        let [answer] = await claim(at, [one], now);
        while (answer?.refusal === 'pacing' && answer.nextAt !== null) {
          now = answer.nextAt;
          [answer] = await claim(at, [one], now);
        }
        if (answer?.granted) granted++;
        else refusals.push(answer?.refusal ?? '?');
      }
      return { granted, refusals, now };
    },
    async used(account, action = 'profile_view') {
      const [row] = await query<{ used: number[] }>(
        bench(),
        'select used from account_budget where account_id = $1 and action = $2',
        [account, action],
      );
      return row?.used[0] ?? 0;
    },
  };
}
