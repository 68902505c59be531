import { z } from 'zod';
import { EXCLUSION_KINDS, exclusionValue, STORED_KINDS } from '../../domain/exclusion-value.ts';
import { EXCLUSION_REACHES } from '../../domain/suppression.ts';
import { exclude } from '../../store/suppression/exclude.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput } from '../errors.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';
import { effectFields, effectOf, requireRoom } from './exclusion-effect.ts';
import { requireSignalAgent } from './require-agent.ts';

export const addSignalExclusion = tool({
  name: 'svc_add_signal_exclusion',
  domain: 'Signal Exclusions',
  title: 'Add exclusion',
  description:
    'Excludes one person, company, domain or keyword from signal agents only, or from all contact; matching leads in flight stop at once. dryRun shows first whom it would hit. Next: svc_list_signal_exclusions.',
  example: {
    input: { kind: 'domain', value: 'acme.com', reason: 'customer since 2024' },
    keep: { signalExclusionId: 'signalExclusionId' },
  },
  scope: 'signals:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    kind: z.enum(EXCLUSION_KINDS),
    value: z.string().min(1).max(500).describe('name_company: Jane Doe @ Acme.'),
    appliesTo: z.enum(EXCLUSION_REACHES).default('all_outreach'),
    signalAgentId: z.string().min(1).optional().describe('Only for this agent.'),
    reason: z.string().max(500).optional(),
    expiresAt: dateTime.optional(),
    dryRun: z.boolean().default(false).describe('Only says whom it would hit.'),
  }),
  output: z.object({
    signalExclusionId: z.string().nullable(),
    created: z.boolean(),
    value: z.string().describe('The form in which it is kept and compared.'),
    coveredBy: z.string().nullable().describe('A wider exclusion that was there; both stay.'),
    ...effectFields,
  }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    const form = exclusionValue(input.kind, input.value);
    if ('refused' in form)
      throw invalidInput('value', `${form.refused}. svc_check_signal_exclusion says what holds of one address`);
    const expiresAt = input.expiresAt === undefined ? null : Date.parse(input.expiresAt);
    if (expiresAt !== null && expiresAt <= now) throw invalidInput('expiresAt', 'must be in the future');
    const entry = { kind: STORED_KINDS[input.kind], value: form.value, reason: input.reason ?? '' };
    return ctx.tx(async (tx) => {
      if (input.signalAgentId !== undefined) {
        await requireSignalAgent(tx, ctx.workspaceId, input.signalAgentId);
        if (input.appliesTo === 'all_outreach')
          throw invalidInput('signalAgentId', 'an agent alone keeps to exclusions with appliesTo signals');
      }
      await requireRoom(tx, ctx.workspaceId, [entry], now);
      const effect = await exclude(tx, ctx.ids, {
        workspaceId: ctx.workspaceId,
        entries: [entry],
        source: 'manual',
        appliesTo: input.appliesTo,
        signalAgentId: input.signalAgentId ?? null,
        expiresAt,
        by: actorOf(ctx),
        now,
        dryRun: input.dryRun,
      });
      const [outcome] = effect.outcomes;
      return {
        signalExclusionId: outcome?.id ?? null,
        created: !input.dryRun && outcome?.outcome !== 'already',
        value: form.value,
        coveredBy: outcome?.coveredBy ?? null,
        ...effectOf(ctx, effect),
      };
    });
  },
});
