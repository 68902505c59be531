import { z } from 'zod';
import type { TemplatePart } from '../domain/template.ts';
import { renderTemplate } from '../domain/template.ts';
import { recordId, templateText } from './config-parts.ts';
import { defineNode } from './define.ts';
import { templateFactsOf } from './template-facts.ts';

const config = z.strictObject({
  memberIds: z.array(recordId).min(1).max(50),
  text: templateText(2000),
});

/** A colleague is told also where something is not known: what is missing is said instead of it. */
function forgiving(parts: readonly TemplatePart[]): readonly TemplatePart[] {
  return parts.map((part) => (part.kind === 'field' ? { ...part, fallback: part.fallback ?? '(unknown)' } : part));
}

/** Tells members of the workspace; each of them once per run and node. */
export const notifyMember = defineNode<z.infer<typeof config>>({
  nodeType: 'notify:member',
  kind: 'pure',
  what: 'Notifies a member or opens a task.',
  config,
  configHint: {
    memberIds: 'string[]',
    text: 'template text; {{lead:<field>}} with optional fallback {{lead:<field>|text}}; a missing field reads (unknown)',
  },
  outcomes: ['next'],
  defaultOutcome: 'next',
  step: (input, given) => {
    const rendered = renderTemplate(forgiving(given.text.parts), templateFactsOf(input));
    const title = input.node.label === input.node.nodeType ? 'A workflow notifies you' : input.node.label;
    const origin = `run:${input.runId}:${input.node.nodeId}`;
    const text = 'text' in rendered ? rendered.text : given.text.source;
    const { leadId } = input.lead;
    const notice = { kind: 'run.step_done', members: given.memberIds, title, text, origin, data: { leadId } } as const;
    return { kind: 'advance', outcome: 'next', writes: [{ type: 'notify', notice }] };
  },
});
