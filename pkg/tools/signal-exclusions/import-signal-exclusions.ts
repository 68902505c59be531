import { z } from 'zod';
import { EXCLUSION_KINDS, exclusionValue, STORED_KINDS } from '../../domain/exclusion-value.ts';
import { EXCLUSION_REACHES } from '../../domain/suppression.ts';
import { type ExclusionOutcome, exclude } from '../../store/suppression/exclude.ts';
import { actorOf } from '../actor-of.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { effectFields, effectOf, requireRoom } from './exclusion-effect.ts';

const entry = z.strictObject({
  kind: z.enum(EXCLUSION_KINDS),
  value: z.string().min(1).max(500),
  reason: z.string().max(500).optional(),
});

interface Entry {
  /** Place in the list, from 1. */
  row: number;
  kind: string;
  value: string;
  reason: string;
}
interface Refusal {
  row: number;
  field: string | null;
  message: string;
}

export const importSignalExclusions = tool({
  name: 'svc_import_signal_exclusions',
  domain: 'Signal Exclusions',
  title: 'Import exclusions',
  description:
    'Adds up to 1,000 exclusions at once (customer list, do-not-contact list). Each entry comes to one of added, alreadyPresent, covered or invalid. Next: svc_list_signal_exclusions.',
  example: {
    input: {
      entries: [
        { kind: 'domain', value: 'birch.example', reason: 'customer' },
        { kind: 'email', value: 'jane@acorn.example' },
      ],
      source: 'customer',
    },
  },
  scope: 'signals:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    entries: z.array(entry).min(1).max(1000),
    appliesTo: z.enum(EXCLUSION_REACHES).default('all_outreach'),
    source: z.enum(['import', 'customer', 'competitor']).default('import'),
    dryRun: z.boolean().default(false).describe('Only says whom it would hit.'),
  }),
  output: z.object({
    added: z.number(),
    alreadyPresent: z.number(),
    covered: z.number().describe('Added beside a wider one, which coveredBy names.'),
    coveredBy: z.array(z.object({ row: z.number(), signalExclusionId: z.string() })),
    invalid: z.array(z.object({ row: z.number(), field: z.string().nullable(), message: z.string() })),
    ...effectFields,
  }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    const { entries, invalid } = readEntries(input.entries);
    return ctx.tx(async (tx) => {
      await requireRoom(tx, ctx.workspaceId, entries, now);
      const effect = await exclude(tx, ctx.ids, {
        workspaceId: ctx.workspaceId,
        entries,
        source: input.source,
        appliesTo: input.appliesTo,
        signalAgentId: null,
        expiresAt: null,
        by: actorOf(ctx),
        now,
        dryRun: input.dryRun,
      });
      const count = (outcome: ExclusionOutcome['outcome']): number =>
        effect.outcomes.filter((one) => one.outcome === outcome).length;
      return {
        added: count('added'),
        alreadyPresent: count('already'),
        covered: count('covered'),
        coveredBy: effect.outcomes.flatMap(({ coveredBy }, place) =>
          coveredBy === null ? [] : [{ row: entries[place]?.row ?? 0, signalExclusionId: coveredBy }],
        ),
        invalid,
        ...effectOf(ctx, effect),
      };
    });
  },
});

/** Each entry in its stored form, or why it excludes nobody. */
function readEntries(given: readonly z.output<typeof entry>[]): { entries: Entry[]; invalid: Refusal[] } {
  const entries: Entry[] = [];
  const invalid: Refusal[] = [];
  for (const [place, { kind, value, reason = '' }] of given.entries()) {
    const form = exclusionValue(kind, value);
    const row = place + 1;
    if ('refused' in form) invalid.push({ row, field: 'value', message: `${form.refused}.` });
    else entries.push({ row, kind: STORED_KINDS[kind], value: form.value, reason });
  }
  return { entries, invalid };
}
