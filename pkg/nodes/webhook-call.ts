import { z } from 'zod';
import { holdsCredentials, isThisMachine } from '../base/this-machine.ts';
import { bodyProblems, renderBody } from '../domain/render-body.ts';
import { recordId } from './config-parts.ts';
import { defineNode } from './define.ts';
import type { StepInput } from './node-type.ts';
import { outsideContact } from './outside-contact.ts';
import { templateFactsOf } from './template-facts.ts';

/** Plain http only to this machine, which executors refuse unless they are told that it is a sandbox. */
function isUsable(given: string): boolean {
  if (holdsCredentials(given)) return false;
  const protocol = URL.parse(given)?.protocol;
  return protocol === 'https:' || (protocol === 'http:' && isThisMachine(given));
}

const config = z
  .strictObject({
    integrationId: recordId.optional(),
    url: z.url().max(1000).refine(isUsable, 'must be https and carry no credentials').optional(),
    body: z.record(z.string(), z.json()).optional(),
    waitForResponse: z.boolean().default(false),
    timeoutMs: z.int().min(1_000).max(30_000).default(10_000),
  })
  .superRefine((given, context) => {
    if ((given.integrationId === undefined) === (given.url === undefined)) {
      context.addIssue({ code: 'custom', path: ['url'], message: 'give either integrationId or url' });
    }
    for (const message of bodyProblems(given.body ?? null))
      context.addIssue({ code: 'custom', path: ['body'], message });
  });
type WebhookConfig = z.infer<typeof config>;

/** What the envelope says without a body of the node's own. */
function eventData(input: StepInput): { [name: string]: string | null } {
  const { leadId, firstName, lastName, title, company, email, profileUrl } = outsideContact(input.lead);
  const { workflowId, runId, node } = input;
  return { workflowId, runId, nodeId: node.nodeId, leadId, firstName, lastName, title, company, email, profileUrl };
}

/** Calls an HTTPS address; one delivery per workflow, node and lead, whose key the receiver gets with every try. */
export const webhookCall = defineNode<WebhookConfig>({
  nodeType: 'webhook:call',
  kind: 'call',
  what: 'Calls an HTTPS address, signed, with retries.',
  config,
  configHint: {
    integrationId: 'string? - signed with the secret of that webhook (X-Svc-Signature)',
    url: 'string? (https, no private addresses); has no secret, so it is called unsigned',
    body: 'template object?, sent as it is; without one the event envelope',
    waitForResponse: "bool, default false; true keeps the answer in the run's timeline",
    timeoutMs: 'int, default 10000',
  },
  outcomes: ['done', 'failed'],
  defaultOutcome: 'done',
  budget: null,
  billable: null,
  repeatable: true,
  outward: 'webhook',
  onceKey: (input) => `webhook:${input.workflowId}:${input.node.nodeId}:${input.lead.leadId}`,
  ask: (input, given) => {
    const rendered = given.body === undefined ? { body: null } : renderBody(given.body, templateFactsOf(input));
    if ('missing' in rendered) return { outcome: 'failed', reason: `missing: ${rendered.missing.join(', ')}` };
    return {
      call: 'webhook',
      integrationId: given.integrationId ?? null,
      url: given.url ?? null,
      body: rendered.body,
      data: eventData(input),
      idempotencyKey: `${input.workflowId}:${input.node.nodeId}:${input.lead.leadId}`,
      keepResponse: given.waitForResponse,
      timeoutMs: given.timeoutMs,
    };
  },
  price: () => null,
  noCreditsOutcome: null,
  seenOutcome: null,
  failedOutcome: 'failed',
});
