import { randomUUID } from 'node:crypto';
import type { ToolUser } from '../../../tools/mcp-tools.ts';
import { HOUR } from '../../stories/engine-stage.ts';
import { type DiagnoseStage, startDiagnoseStage } from '../search-diagnostics/diagnose-stage.ts';

/** Everything that the errors need, made once. `acme` has no credits. */
export interface ErrorStage extends DiagnoseStage {
  /** The owner of `acme` and a member of it, each with a user key. */
  owner: ToolUser;
  ownerId: string;
  member: ToolUser;
  /** A workspace without accounts. */
  rival: ToolUser;
  /** A disabled workflow with a split and a craft node, never run. */
  plainId: string;
  /** An enabled workflow whose people wait for a decision on a draft. */
  reviewedId: string;
  drafts: { open: string; decided: string; replied: string; suppressed: string; expired: string };
  /** A run that waits. */
  runId: string;
  queryListId: string;
  staticListId: string;
  sharedLeadId: string;
}

export const PLAIN_GRAPH = {
  nodes: [
    { nodeId: 'start', nodeType: 'source:manual' },
    {
      nodeId: 'arm',
      nodeType: 'flow:split',
      label: 'Arm',
      config: { branches: [{ name: 'a' }, { name: 'b' }], mode: 'fixed' },
    },
    { nodeId: 'write', nodeType: 'ai:craft', label: 'opener', config: { channel: 'message' } },
    {
      nodeId: 'send',
      nodeType: 'network:message',
      label: 'Send',
      config: { textMode: 'craft', text: '{{craft:opener}}' },
    },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2, branch: 'a' },
    { sourceIndex: 1, targetIndex: 2, branch: 'b' },
    { sourceIndex: 2, targetIndex: 3 },
  ],
};

const MESSAGE = { nodeType: 'network:message', config: { textMode: 'static', text: 'Hello' } };
const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 100 * 24 * HOUR } };

export async function startErrorStage(): Promise<ErrorStage> {
  const stage = await startDiagnoseStage();
  const { acme, tools, campaignId } = stage;
  const [boss] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@acme.example'`);
  const { plaintext } = await tools.mcp.key({ userId: boss?.id ?? '' });
  const { members } = await acme.call<{ members: { memberId: string; role: string }[] }>('svc_list_members');
  const plain = { campaignId, name: 'Plain', graph: PLAIN_GRAPH };
  const resting = await stage.flow(WAIT);
  const { runs } = await stage.enrol(resting, 'Rests');
  const reviewedId = await stage.flow({ nodeType: 'flow:review' }, MESSAGE);
  return {
    ...stage,
    owner: tools.user(await tools.mcp.client(plaintext)),
    ownerId: members.find((one) => one.role === 'owner')?.memberId ?? '',
    member: await tools.as({ memberOf: ['acme'] }),
    rival: await tools.as({ workspace: 'rival' }),
    plainId: (await acme.call<{ workflowId: string }>('svc_create_workflow', plain)).workflowId,
    reviewedId,
    drafts: await writeDrafts(stage, reviewedId),
    runId: runs[0] ?? '',
    queryListId: await listOf(acme, 'svc_create_query_lead_list', { name: 'Asked', predicate: { hasEmail: true } }),
    staticListId: await listOf(acme, 'svc_create_lead_list', { name: 'Chosen' }),
    sharedLeadId: await sharedLead(stage),
  };
}

async function listOf(acme: ToolUser, tool: string, input: object): Promise<string> {
  return (await acme.call<{ leadListId: string }>(tool, input)).leadListId;
}

/** People of the shared pool come from providers; no tool makes one. */
async function sharedLead({ tools }: DiagnoseStage): Promise<string> {
  const id = randomUUID();
  await tools.force(
    `insert into lead (id, first_name, full_name, company, created_at, updated_at) values ($1, 'Hal', 'Hal Pool', 'Pool', 1, 1)`,
    [id],
  );
  return id;
}

/** One draft for each end that a draft may come to before somebody decides it. */
async function writeDrafts(stage: DiagnoseStage, reviewedId: string): Promise<ErrorStage['drafts']> {
  const { acme, tools } = stage;
  const { leads } = await stage.enrol(reviewedId, 'Open', 'Decided', 'Replied', 'Suppressed');
  const hasty = await stage.flow({ nodeType: 'flow:review', config: { expiresAfterMs: 3 * HOUR } }, MESSAGE);
  const late = await stage.enrol(hasty, 'Expired');
  const { reviewItems } = await acme.call<{ reviewItems: { reviewItemId: string; leadId: string }[] }>(
    'svc_list_review_items',
    {},
  );
  const [open, decided, replied, suppressed, expired] = [...leads, ...late.leads].map(
    (leadId) => reviewItems.find((item) => item.leadId === leadId)?.reviewItemId ?? '',
  );
  await acme.call('svc_reject_review_item', { reviewItemId: decided, reason: 'no' });
  await exclude(stage, 'p-suppressed');
  const { clock } = tools.cluster;
  const message = { messageId: 'early', chatId: 'chat-p-replied', direction: 'in' as const, text: 'Who are you?' };
  stage.network.inbox.push({ ...message, sentAt: clock.now() });
  await stage.sync();
  // The engine has not come round to the draft that expired meanwhile.
  clock.at = clock.now() + 4 * HOUR;
  const id = (draft: string | undefined): string => draft ?? '';
  return {
    open: id(open),
    decided: id(decided),
    replied: id(replied),
    suppressed: id(suppressed),
    expired: id(expired),
  };
}

/** No tool writes exclusions yet. */
async function exclude({ tools }: DiagnoseStage, profileId: string): Promise<void> {
  await tools.force(
    `insert into suppression (id, workspace_id, level, kind, value, source, applies_to, reason, created_at)
     values ($1, 'acme', 'workspace', 'profile', $2, 'manual', 'all_outreach', 'asked by phone', 1)`,
    [randomUUID(), profileId],
  );
}
