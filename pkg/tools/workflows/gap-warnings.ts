import type { z } from 'zod';
import type { CompiledGraph, CompiledNode } from '../../domain/graph.ts';
import { renderTemplate, type TemplateLead } from '../../domain/template.ts';
import type { Tx } from '../../postgres/database.ts';
import type { graphProblem } from '../records/graph.ts';
import { leadFieldsOf, type TemplateField } from '../records/lead-fields-of.ts';
import { sampledLeads } from './sampled-leads.ts';

type Warning = z.input<typeof graphProblem>;

/**
 * Texts that have a gap for leads of the campaign, before one of them comes there: how many lack what, and what becomes of them.
 * Nothing is sent with a gap in it.
 */
export async function gapWarnings(
  tx: Tx,
  workspaceId: string,
  campaignId: string,
  graph: CompiledGraph,
): Promise<Warning[]> {
  const asking = graph.nodes.flatMap((node) => {
    const fields = leadFieldsOf(node);
    return fields.length === 0 ? [] : [{ node, fields }];
  });
  if (asking.length === 0) return [];
  const leads = await sampledLeads<TemplateLead>(
    tx,
    { workspaceId, campaignId },
    `l.first_name as "firstName", l.last_name as "lastName", l.full_name as "fullName", l.title, l.headline, l.company,
     l.industry, l.seniority, l.location, l.country, l.email, l.custom_fields as "customFields"`,
  );
  return asking.flatMap(({ node, fields }) => gapsOf(node, fields, leads));
}

function gapsOf(node: CompiledNode, fields: readonly TemplateField[], leads: readonly TemplateLead[]): Warning[] {
  const lacking = new Map<string, number>();
  let count = 0;
  for (const lead of leads) {
    const rendered = renderTemplate(fields, { lead, sender: { firstName: '', fullName: '' }, signal: { title: '' } });
    if (!('missing' in rendered)) continue;
    count++;
    for (const name of rendered.missing) lacking.set(name, (lacking.get(name) ?? 0) + 1);
  }
  if (count === 0) return [];
  const what = [...lacking].map(([name, of]) => `{{${name}}} of ${of}`).join(', ');
  const way = node.next.has('missing_data') ? 'they take the branch "missing_data"' : 'their run stops there';
  const message = `${node.nodeType}: ${count} of ${leads.length} leads of the campaign that were looked at lack what the text says (${what}): nothing is sent to them, and ${way}. Give a fallback ({{lead:company|your team}}), an edge of branch "missing_data", or what is missing (svc_upsert_lead).`;
  return [{ nodeIndex: node.index, edgeIndex: null, code: 'missing_data', message }];
}
