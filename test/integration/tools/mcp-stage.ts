import type { NetworkProviders } from '../../../pkg/providers/network/network-providers.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';
import { SPEC_GRAPH } from './workflow-stage.ts';

/** A workspace with an account, a campaign and leads, used by a client with a workspace key. */
export interface McpStage {
  tools: McpTools;
  acme: ToolUser;
  rival: ToolUser;
  accountId: string;
  campaignId: string;
  /** Ids of the leads, in the order of their numbers. */
  leads: string[];
  /** A new disabled workflow. @returns its id */
  workflow(graph?: object, name?: string): Promise<string>;
  /** A workflow under way: enabled, with these leads enrolled by the trigger tool. @returns the ids of its runs */
  started(workflowId: string, leadIds: readonly string[]): Promise<string[]>;
}

/** A Monday morning, product time. */
export const MONDAY = Date.UTC(2026, 2, 2, 10);
export const NOBODY = '018f0000-0000-7000-8000-0000000000ff';

export async function startMcpStage(leadCount = 5, providers?: NetworkProviders): Promise<McpStage> {
  const tools = await startMcpTools(providers);
  tools.cluster.clock.at = MONDAY;
  const acme = await tools.as({ workspace: 'acme' });
  const rival = await tools.as({ workspace: 'rival' });
  const accountId = await tools.account('acme');
  const { campaignId } = await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Growth' });
  const numbers = Array.from({ length: leadCount }, (_, index) => String(index).padStart(4, '0'));
  const rows = numbers.map(
    (n) => `Lead${n},Person${n},lead${n}@x.example,Firm ${n},https://www.linkedin.com/in/lead-${n}`,
  );
  const csv = `First name,Last name,Email,Company,LinkedIn\n${rows.join('\n')}\n`;
  await acme.call('svc_import_leads_csv', { csv, campaignId });
  const found = await tools.rows<{ id: string }>(`select id from lead where workspace_id = 'acme' order by first_name`);
  const workflow = async (graph: object = SPEC_GRAPH, name = 'Hello'): Promise<string> =>
    (await acme.call<{ workflowId: string }>('svc_create_workflow', { campaignId, name, graph })).workflowId;
  return {
    tools,
    acme,
    rival,
    accountId,
    campaignId,
    leads: found.map((row) => row.id),
    workflow,
    async started(workflowId, leadIds) {
      await acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      const ids: string[] = [];
      for (let at = 0; at < leadIds.length; at += 100) {
        const { runIds } = await acme.call<{ runIds: string[] }>('svc_trigger_workflow', {
          workflowId,
          leadIds: leadIds.slice(at, at + 100),
        });
        ids.push(...runIds);
      }
      return ids;
    },
  };
}

/** The refusal of a record that is not there, or not the caller's. */
export function missing(label: string, id: string, listTool: string): string {
  return `${label} "${id}" was not found. Call ${listTool} to find valid IDs.`;
}
