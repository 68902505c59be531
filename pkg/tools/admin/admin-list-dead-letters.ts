import { hash } from 'node:crypto';
import { z } from 'zod';
import { pageOf, pageParams } from '../paging.ts';
import { iso, isoOrNull } from '../times.ts';
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
  /** SHA-256 of what was asked for: two letters of one hash are one request. Null: its text was erased. */
  requestHash: z.string().nullable(),
  dispatchedAt: z.string().nullable(),
  /** What made the outcome ambiguous, each look-up and each decision. */
  evidence: z.array(z.object({ at: z.string().nullable(), what: z.string(), text: z.string(), by: z.string() })),
  /** The one safe next step, for people. */
  nextStep: z.string(),
});

interface Row {
  id: string;
  kind: string;
  workspace_id: string;
  action: string;
  state: string;
  error: string | null;
  attempts: number;
  evidence: { at?: number; text?: string; what?: string; error?: string; by?: string }[];
  request: string | null;
  dispatched_at: number | null;
  looked_up: boolean;
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

/** Entries of evidence that are shown, the newest. */
const MAX_EVIDENCE = 50;

/** Of calls only pushes become dead letters, and nobody knows what they did. */
const OPEN = `select *
              from (
                (
                  select
                    id, 'send' as kind, workspace_id, action, state, error, evidence, 1 as attempts, claimed_at,
                    dispatched_at, not_found > 0 as looked_up, dead_letter_at,
                    dead_letter_state, nullif(coalesce(body, '') || target::text, '{}') as request
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
                    dispatched_at, not_found > 0, dead_letter_at, dead_letter_state, once_key
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
    requestHash: row.request === null ? null : hash('sha256', row.request, 'hex'),
    dispatchedAt: isoOrNull(row.dispatched_at),
    evidence: row.evidence.slice(-MAX_EVIDENCE).map((entry) => ({
      at: entry.at === undefined ? null : iso(entry.at),
      what: entry.what ?? '',
      text: (entry.text ?? entry.error ?? '').slice(0, 300),
      by: entry.by ?? '',
    })),
    nextStep: nextStepOf(row),
  };
}

/** Of pushes nobody can be asked; of a send the network is, before anything else. */
function nextStepOf({ kind, state, looked_up: lookedUp }: Row): string {
  if (kind !== 'send') {
    return 'Look into the system that it was pushed to, then call svc_admin_resolve_dead_letter with mark_done or mark_not_done.';
  }
  if (state !== 'unknown') return 'Its outcome is known: call svc_admin_resolve_dead_letter with retry or discard.';
  return lookedUp
    ? 'Look at the account itself, then call svc_admin_resolve_dead_letter with mark_done or mark_not_done.'
    : 'Call svc_admin_resolve_dead_letter with lookup.';
}
