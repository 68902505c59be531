import { z } from 'zod';
import { pageOf, pageParams } from '../paging.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { requireAdminWorkspace } from './require-workspace.ts';

/** Catalog record DeadLetter. */
const deadLetter = z.object({
  deadLetterId: z.string(),
  workspaceId: z.string(),
  kind: z.string(),
  action: z.string(),
  error: z.string(),
  attempts: z.number(),
  outcomeKnown: z.boolean(),
  state: z.string(),
  firstAt: z.string(),
  lastAt: z.string(),
});

interface Row {
  id: string;
  kind: string;
  workspace_id: string;
  action: string;
  state: string;
  error: string | null;
  attempts: number;
  evidence: { text?: string; what?: string; error?: string }[];
  claimed_at: number;
  dead_letter_at: number;
  dead_letter_state: string;
}

export const adminListDeadLetters = tool({
  name: 'svc_admin_list_dead_letters',
  domain: 'Admin (platform admins only)',
  title: 'Admin: list dead letters',
  description:
    'Lists actions that gave up, of any workspace, with error and whether the outcome at the network is known. Next: svc_admin_resolve_dead_letter.',
  example: { input: { kind: 'send', unknownOutcomeOnly: true }, caller: 'admin' },
  scope: 'admin:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input: z.strictObject({
    workspaceId: z.string().min(1).optional(),
    kind: z.enum(['send', 'enrichment', 'webhook', 'import', 'automation', 'publish']).optional(),
    unknownOutcomeOnly: z.boolean().default(false),
    ...pageParams,
  }),
  output: z.object({ deadLetters: z.array(deadLetter), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { workspaceId, kind, unknownOutcomeOnly } = input;
    const page = await ctx.platformTx(async (tx) => {
      if (workspaceId !== undefined) await requireAdminWorkspace(tx, workspaceId);
      return pageOf(
        ctx,
        'svc_admin_list_dead_letters',
        input,
        { workspaceId, kind, unknownOutcomeOnly },
        (position, fetch) =>
          tx.rows<Row>(OPEN, [
            workspaceId ?? null,
            kind ?? null,
            unknownOutcomeOnly,
            position?.[0] ?? null,
            position?.[1] ?? null,
            fetch,
          ]),
        (row) => [row.dead_letter_at, row.id],
      );
    });
    return { deadLetters: page.rows.map(deadLetterOf), nextCursor: page.nextCursor };
  },
});

/** Of calls only pushes become dead letters, and nobody knows what they did. */
const OPEN = `select *
              from (
                (
                  select
                    id, 'send' as kind, workspace_id, action, state, error, evidence, 1 as attempts, claimed_at,
                    dead_letter_at, dead_letter_state
                  from send
                  where dead_letter_at is not null
                    and dead_letter_state = 'open'
                    and ($1::text is null or workspace_id = $1)
                    and ($2::text is null or $2 = 'send')
                    and (not $3 or state = 'unknown')
                    and ($4::bigint is null or (dead_letter_at, id) < ($4, $5::uuid))
                  order by dead_letter_at desc, id desc limit $6
                )
                union all (
                  select
                    id, 'automation', workspace_id, node_type, 'unknown', error, '[]'::jsonb, tries, claimed_at,
                    dead_letter_at, dead_letter_state
                  from node_call
                  where dead_letter_state = 'open'
                    and ($1::text is null or workspace_id = $1)
                    and ($2::text is null or $2 = 'automation')
                    and ($4::bigint is null or (dead_letter_at, id) < ($4, $5::uuid))
                  order by dead_letter_at desc, id desc limit $6
                )
              ) letters
              order by dead_letter_at desc, id desc limit $6`;

/** The error names what made the outcome ambiguous: the fault, or the end of the executor. */
function deadLetterOf(row: Row): z.input<typeof deadLetter> {
  const causes = row.evidence
    .map((entry) => entry.text ?? entry.error ?? entry.what ?? '')
    .filter((text) => text !== '');
  return {
    deadLetterId: row.id,
    workspaceId: row.workspace_id,
    kind: row.kind,
    action: row.action,
    error: [...new Set([row.error ?? '', ...causes].filter((text) => text !== ''))].join('; ').slice(0, 1_000),
    attempts: row.attempts,
    outcomeKnown: row.state !== 'unknown',
    state: row.dead_letter_state,
    firstAt: iso(row.claimed_at),
    lastAt: iso(row.dead_letter_at),
  };
}
