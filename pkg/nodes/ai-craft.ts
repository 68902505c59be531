import { z } from 'zod';
import { calledName } from '../domain/craft/called-names.ts';
import { CRAFT_CHANNELS } from '../domain/craft/craft-order.ts';
import { factsAbout } from '../domain/craft/offer-facts.ts';
import { creditsFor } from '../domain/credits.ts';
import { senderOf } from '../domain/template.ts';
import { TEXT_LIMITS, textLimit } from '../domain/text-limits.ts';
import { recordId } from './config-parts.ts';
import { defineNode } from './define.ts';
import type { StepInput } from './node-type.ts';
import { textSeed, timesRejected } from './text-seed.ts';

const config = z.strictObject({
  channel: z.enum(CRAFT_CHANNELS),
  personaId: recordId.optional(),
  instructions: z.string().max(2000).optional(),
  maxLength: z.int().min(20).max(20_000).optional(),
  requireFacts: z.int().min(0).max(5).default(1),
});

const stored = z.object({
  text: z.string(),
  facts: z.array(
    z.object({
      text: z.string(),
      source: z.string(),
      at: z.number().nullable().optional(),
      hash: z.string().optional(),
      segments: z.array(z.string()).optional(),
    }),
  ),
});

/** What a person had against the text before this one. */
function rejection({ node, facts }: StepInput): string {
  const reason = facts.redrafts?.[node.nodeId]?.reason ?? '';
  return reason === '' ? '' : `An earlier text was rejected for this reason: ${reason}`;
}

/** Writes a text for later nodes, which take it as {{craft:<label>}}; sends nothing. */
export const aiCraft = defineNode<z.infer<typeof config>>({
  nodeType: 'ai:craft',
  kind: 'call',
  what: 'Writes a text under the resolved playbook for later nodes; sends nothing.',
  config,
  configHint: {
    channel: 'message|note|inmail|mail|comment',
    personaId: 'string?',
    instructions: 'string?',
    maxLength: 'int?, default: what the channel allows',
    requireFacts: 'int 0..5, default 1 - how many sourced facts the text must use',
  },
  outcomes: ['done', 'no_facts', 'failed'],
  defaultOutcome: 'done',
  budget: null,
  billable: 'ai_craft',
  repeatable: true,
  outward: null,
  onceKey: (input) => {
    const times = timesRejected(input);
    return `craft:${input.runId}:${input.node.nodeId}${times === 0 ? '' : `:${times}`}`;
  },
  ask: (input, given) => {
    const facts = factsAbout(input.lead, input.signals ?? []);
    const longest = textLimit(given.channel, input.account?.tier ?? null) ?? TEXT_LIMITS[given.channel];
    if (facts.length < given.requireFacts) {
      return { outcome: 'no_facts', reason: `${facts.length} facts on record, ${given.requireFacts} required` };
    }
    return {
      call: 'craft',
      personaId: given.personaId ?? null,
      order: {
        task: { kind: 'first', channel: given.channel },
        facts,
        requireFacts: given.requireFacts,
        maxLength: Math.min(given.maxLength ?? longest, longest),
        addressee: calledName(input.lead.firstName),
        sender: senderOf(input.account?.displayName ?? ''),
        instructions: [given.instructions ?? '', rejection(input)].filter((part) => part !== '').join('\n'),
        seed: textSeed(input),
        now: input.now,
      },
    };
  },
  price: () => ({ action: 'ai_craft', credits: creditsFor('ai_craft', 1) }),
  noCreditsOutcome: null,
  seenOutcome: null,
  failedOutcome: 'failed',
  take: (outcome, data, { facts, node }) => {
    if (outcome !== 'done') return {};
    const crafted = stored.parse(data);
    return {
      facts: {
        crafted: { ...facts.crafted, [node.label]: crafted.text },
        craftedFacts: { ...facts.craftedFacts, [node.label]: crafted.facts },
      },
    };
  },
});
