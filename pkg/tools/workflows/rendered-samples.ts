import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { NO_VOICE } from '../../domain/craft/craft-order.ts';
import type { CompiledGraph } from '../../domain/graph.ts';
import type { LeadFacts, RunFacts, StepInput } from '../../nodes/node-type.ts';
import { ownTextNode } from '../../nodes/own-text.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';
import type { Tx } from '../../postgres/database.ts';
import { templateWriter } from '../../providers/ai/template-writer.ts';
import { notFound } from '../errors.ts';
import { type Senders, senderValues, WOULD_SEND } from './forecast-facts.ts';

/** Catalog record RenderedSample. */
export const renderedSample = z.object({
  nodeIndex: z.number(),
  leadId: z.string(),
  text: z.string(),
  missingFields: z.array(z.string()),
});

interface LeadRow {
  id: string;
  first_name: string;
  last_name: string;
  full_name: string;
  headline: string;
  title: string;
  seniority: string;
  company: string;
  company_size: string;
  industry: string;
  location: string;
  country: string;
  timezone: string | null;
  email: string | null;
  profile_url: string;
  custom_fields: Record<string, string>;
}

/** Every text of the graph as one lead would get it. @throws UserError when the lead is not found */
export async function renderSamples(
  tx: Tx,
  graph: CompiledGraph,
  leadId: string,
  { senders, now }: { senders: Senders; now: number },
): Promise<z.input<typeof renderedSample>[]> {
  const row = isUuid(leadId) ? await tx.row<LeadRow>('select * from lead where id = $1', [leadId]) : undefined;
  if (!row) throw notFound('lead', leadId);
  const facts = await previews(graph, row, now);
  const accounts = await sampleSenders(tx, senders);
  return graph.nodes.flatMap((node) => {
    const type = nodeTypeOf(node.nodeType);
    if (type.kind !== 'effect') return [];
    const account = accounts.get(type.channel === 'mail' ? 'mail' : 'network') ?? NOBODY_YET;
    const input = { ...stepInput(row, node, now), facts, account };
    const draft = type.draft(input, node.config as never);
    if (draft === null) return [];
    const text = 'text' in draft ? draft.text : '';
    const missingFields = 'missing' in draft ? [...draft.missing] : [];
    return [{ nodeIndex: node.index, leadId: row.id, text, missingFields }];
  });
}

/** Who signs a sample while nobody is linked. */
const NOBODY_YET = { accountId: '', tier: 'basic', timezone: 'UTC', displayName: '(sender)' };

/** By kind one that would send, else one that is linked: a sample is signed by somebody who may sign it. */
async function sampleSenders(
  tx: Tx,
  senders: Senders,
): Promise<ReadonlyMap<string, NonNullable<StepInput['account']>>> {
  const rows = await tx.rows<{ kind: string; accountId: string; tier: string; timezone: string; displayName: string }>(
    `select distinct on (n.kind) n.kind, n.id as "accountId", n.tier, n.timezone, n.display_name as "displayName"
     from network_account n
     where n.id in (select account_id from account_link where workspace_id = $1)
     order by n.kind, (${WOULD_SEND}) desc, n.id`,
    senderValues(senders),
  );
  return new Map(rows.map(({ kind, ...account }) => [kind, account]));
}

/** What runs would bring along: texts as the built-in writer writes them, so that a sample asks no model and costs nothing. */
async function previews(graph: CompiledGraph, row: LeadRow, now: number): Promise<RunFacts> {
  const crafted: Record<string, string> = {};
  for (const each of graph.nodes) {
    const node = ownTextNode(each) ?? each;
    const type = nodeTypeOf(node.nodeType);
    if (type.kind !== 'call') continue;
    const ask = type.ask(stepInput(row, node, now), node.config as never);
    if (!('call' in ask) || ask.call !== 'craft') continue;
    const order = { ...ask.order, playbook: null, persona: null, voice: NO_VOICE, language: 'en' as const };
    const written = await templateWriter.craft(order, AbortSignal.timeout(1_000));
    if (written.kind === 'written') crafted[node.label] = written.text.text;
  }
  return { crafted, slots: '(free times of the calendar)' };
}

function stepInput(row: LeadRow, node: StepInput['node'], now: number): StepInput {
  const lead: LeadFacts = {
    leadId: row.id,
    firstName: row.first_name,
    lastName: row.last_name,
    fullName: row.full_name,
    headline: row.headline,
    title: row.title,
    seniority: row.seniority,
    company: row.company,
    companySize: row.company_size,
    industry: row.industry,
    location: row.location,
    country: row.country,
    timezone: row.timezone,
    email: row.email,
    profileUrl: row.profile_url,
    customFields: row.custom_fields,
    tags: [],
    score: null,
  };
  return {
    now,
    enteredAt: now,
    runId: row.id,
    workflowId: '',
    node,
    lead,
    facts: {},
    arms: {},
    account: null,
    rescore: () => ({ total: 0, icp: 0, signals: 0, scores: [] }),
  };
}
