import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import type { BudgetAction } from '../../domain/actions.ts';
import type { Tx } from '../../postgres/database.ts';
import { type NewAction, type PlanRefusal, planAction } from '../../store/actions/actions.ts';
import { actorOf } from '../actor-of.ts';
import { notFound } from '../errors.ts';
import { naturalKeyParam } from '../key-params.ts';
import type { ToolContext } from '../tool-context.ts';
import { type ActionStand, awaitAction, STATUSES } from './await-action.ts';

/** When a tool of outreach acts, and its key; `fallback` where the caller does not say when. */
export const timingParams = (fallback: 'paced' | 'now') => ({
  timing: z
    .enum(['paced', 'now'])
    .default(fallback)
    .describe('paced: next human-like slot; now: at once, budget and suppression still hold.'),
  idempotencyKey: naturalKeyParam,
});

/** What every tool answers that reaches a person. */
export const directResult = {
  actionId: z.string().nullable().describe('For svc_diagnose with target action; null: nothing had to be done.'),
  status: z.enum(STATUSES),
  scheduledFor: z.string().nullable().describe('The moment that the account promises, while it waits.'),
  deduplicated: z.boolean(),
  budgetRemaining: z.number(),
  detail: z.string().nullable().describe('Why, and what comes next.'),
};

/** An action as a tool asks for it; the rest follows from the call. */
export interface DirectRequest
  extends Pick<NewAction, 'leadId' | 'accountId' | 'action' | 'once' | 'body' | 'target' | 'unclaimed'> {
  budgets: readonly [BudgetAction, ...BudgetAction[]];
  timing: 'paced' | 'now';
}

/** What a call planned; kept as its answer when it is made again. */
export interface PlannedDirect {
  actionId: string | null;
  /** The key of it was spent, or an open action has it. */
  deduplicated: boolean;
  budgetRemaining: number;
  /** Where nothing was planned: what stands instead. */
  instead: ActionStand | null;
}

/**
 * Plans an action of the caller's workspace.
 * @throws UserError when the lead is not there, must not be contacted, or is followed by another workspace
 */
export async function planDirect(
  ctx: ToolContext,
  tx: Tx,
  request: DirectRequest,
): Promise<{ actionId: string; made: boolean } | 'already_sent'> {
  const { timing, ...action } = request;
  const now = ctx.clocks.product.now();
  const id = ctx.ids.uuid();
  const planned = await planAction(
    tx,
    {
      ...action,
      id,
      workspaceId: ctx.workspaceId,
      campaignId: null,
      urgent: timing === 'now',
      dueAt: now,
      expiresAt: null,
      by: actorOf(ctx),
      scheduledRunId: null,
    },
    now,
  );
  if ('actionId' in planned) return planned;
  if (planned.refusal === 'already_sent') return 'already_sent';
  if (planned.refusal === 'no_campaign') throw new Error('a direct action belongs to no campaign');
  throw refusalOf(planned.refusal, request);
}

/** What a call answers where there was nothing to do. */
export function instead(status: ActionStand['status'], detail: string, budgetRemaining: number): PlannedDirect {
  return {
    actionId: null,
    deduplicated: true,
    budgetRemaining,
    instead: { status, scheduledFor: null, detail },
  };
}

function refusalOf(
  refusal: Exclude<PlanRefusal, 'already_sent' | 'no_campaign'>,
  { leadId, accountId }: DirectRequest,
): UserError {
  switch (refusal) {
    case 'no_lead':
      return notFound('lead', leadId);
    case 'no_account':
      return notFound('networkAccount', accountId);
    case 'suppressed':
      return new UserError(
        'The recipient is suppressed (exclusion, unsubscribe, bounce, complaint or erasure). Call svc_check_signal_exclusion.',
        'Suppressed',
      );
    case 'claimed':
      return new UserError(
        'Another workspace of the agency is in contact with this person (contact claim). Call svc_list_company_leads.',
        'Claimed',
      );
  }
}

/**
 * Plans once, however often the call is made, and waits for what comes of it: of `now` for up to 20 s, of `paced` for the promised
 * moment.
 */
export async function direct<T extends PlannedDirect>(
  ctx: ToolContext,
  timing: 'paced' | 'now',
  plan: (tx: Tx) => Promise<T>,
): Promise<{ planned: T; result: z.input<z.ZodObject<typeof directResult>> }> {
  const planned = await ctx.repeatable<T>(ctx.workspaceId, {
    work: (tx, earlier) => (earlier ? Promise.resolve(earlier) : plan(tx)),
    did: (kept) => kept.actionId !== null,
  });
  const { actionId, deduplicated, budgetRemaining, instead } = planned;
  const stand = instead ?? (await awaitAction(ctx, actionId ?? '', timing));
  return { planned, result: { actionId, deduplicated, budgetRemaining, ...stand } };
}

/**
 * As {@link direct}, of what has to be looked up, or judged, before it is planned: a call that is made again with its
 * `idempotencyKey` answers what it answered, and looks nothing up: what came meanwhile changes nothing about what was done.
 */
export async function lookedUp<T extends PlannedDirect, F>(
  ctx: ToolContext,
  timing: 'paced' | 'now',
  look: () => Promise<F>,
  plan: (tx: Tx, found: F) => Promise<T>,
): Promise<{ planned: T; result: z.input<z.ZodObject<typeof directResult>> }> {
  const earlier = ctx.callKey.natural ? undefined : await ctx.earlier<T>(ctx.workspaceId);
  if (earlier) return direct(ctx, timing, () => Promise.resolve(earlier));
  const found = await look();
  return direct(ctx, timing, (tx) => plan(tx, found));
}
