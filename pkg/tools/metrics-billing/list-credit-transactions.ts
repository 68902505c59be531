import { z } from 'zod';
import { requireCampaign } from '../campaigns/campaign-row.ts';
import { type CompactForm, detailParam, shaper } from '../compact.ts';
import { pageOf, pageParams } from '../paging.ts';
import { dateTime, iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

const KINDS = ['grant', 'hold', 'settle', 'release', 'refund', 'adjust', 'expire'] as const;

/**
 * Catalog record CreditTransaction. `amount` is the change of the balance (grant, adjust, refund, settle) or of what is
 * held (hold, release, expire); a settlement takes its amount off both.
 */
const creditTransaction = z.object({
  creditTransactionId: z.string(),
  kind: z.enum(KINDS),
  amount: z.number(),
  balanceAfter: z.number(),
  heldAfter: z.number(),
  action: z.string().nullable(),
  toolName: z.string().nullable(),
  runId: z.string().nullable(),
  campaignId: z.string().nullable(),
  holdId: z.string().nullable(),
  keyPrefix: z.string().nullable(),
  idempotencyKey: z.string(),
  at: z.string(),
});

/** What was charged for what; holds, keys and runs stand in the full one. */
const TRANSACTION_FORM: CompactForm = {
  id: 'creditTransactionId',
  known: Object.keys(creditTransaction.shape),
  kept: ['kind', 'amount', 'balanceAfter', 'heldAfter', 'action', 'toolName', 'campaignId', 'at'],
};

interface Row {
  id: string;
  seq: number;
  kind: (typeof KINDS)[number];
  amount: number;
  balance_after: number;
  held_after: number;
  action: string | null;
  tool: string | null;
  run_id: string | null;
  campaign_id: string | null;
  hold_id: string | null;
  key_prefix: string | null;
  idempotency_key: string;
  at: number;
}

export const listCreditTransactions = tool({
  name: 'svc_list_credit_transactions',
  domain: 'Metrics & Billing',
  title: 'List credit transactions',
  description:
    'Lists the append-only credit ledger: grants, holds, settlements, releases, refunds, each with its cause. Next: svc_get_credit_costs.',
  example: { input: { kind: 'settle' } },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    kind: z.enum(KINDS).optional(),
    campaignId: z.string().min(1).optional(),
    action: z.string().min(1).optional(),
    fromDate: dateTime.optional(),
    toDate: dateTime.optional(),
    ...detailParam,
    ...pageParams,
  }),
  output: z.object({
    creditTransactions: z.array(creditTransaction.partial().required({ creditTransactionId: true })),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const { limit: _, cursor: __, workspaceId: ___, detail, ...filters } = input;
    const shape = shaper(TRANSACTION_FORM, { detail });
    const page = await ctx.tx(async (tx) => {
      if (input.campaignId !== undefined) await requireCampaign(tx, input.campaignId);
      return pageOf(
        ctx,
        'svc_list_credit_transactions',
        input,
        { workspaceId: ctx.workspaceId, ...filters },
        (position, fetch) =>
          tx.rows<Row>(
            `select *
             from credit_entry
             where workspace_id = $1
               and ($2::text is null or kind = $2)
               and ($3::text is null or campaign_id = $3)
               and ($4::text is null or action = $4)
               and ($5::bigint is null or at >= $5)
               and ($6::bigint is null or at < $6)
               and ($7::bigint is null or seq < $7)
             order by seq desc limit $8`,
            [
              ctx.workspaceId,
              input.kind ?? null,
              input.campaignId ?? null,
              input.action ?? null,
              input.fromDate === undefined ? null : Date.parse(input.fromDate),
              input.toDate === undefined ? null : Date.parse(input.toDate),
              position?.[0] ?? null,
              fetch,
            ],
          ),
        (row) => [row.seq],
      );
    });
    const creditTransactions = page.rows.map((row) => ({ ...shape(transactionOf(row)), creditTransactionId: row.id }));
    return { creditTransactions, nextCursor: page.nextCursor };
  },
});

function transactionOf(row: Row): z.input<typeof creditTransaction> {
  return {
    creditTransactionId: row.id,
    kind: row.kind,
    amount: row.amount,
    balanceAfter: row.balance_after,
    heldAfter: row.held_after,
    action: row.action,
    toolName: row.tool,
    runId: row.run_id,
    campaignId: row.campaign_id,
    holdId: row.hold_id,
    keyPrefix: row.key_prefix,
    idempotencyKey: row.idempotency_key,
    at: iso(row.at),
  };
}
