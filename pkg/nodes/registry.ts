import { aiClassifyReply } from './ai-classify-reply.ts';
import { aiCraft } from './ai-craft.ts';
import { calendarProposeSlots } from './calendar-propose-slots.ts';
import { crmPush } from './crm-push.ts';
import { flowCondition } from './flow-condition.ts';
import { flowEnd } from './flow-end.ts';
import { flowHandoff } from './flow-handoff.ts';
import { flowJoin } from './flow-join.ts';
import { flowReview } from './flow-review.ts';
import { flowSplit } from './flow-split.ts';
import { flowWait } from './flow-wait.ts';
import { leadAddToList } from './lead-add-to-list.ts';
import { leadEnrich } from './lead-enrich.ts';
import { leadExclude } from './lead-exclude.ts';
import { leadScore } from './lead-score.ts';
import { leadTag } from './lead-tag.ts';
import { mailSend } from './mail-send.ts';
import { mailWaitReply } from './mail-wait-reply.ts';
import { networkCommentPost } from './network-comment-post.ts';
import { networkConnectionRequest } from './network-connection-request.ts';
import { networkEndorse } from './network-endorse.ts';
import { networkFollow } from './network-follow.ts';
import { networkInmail } from './network-inmail.ts';
import { networkLikePost } from './network-like-post.ts';
import { networkMessage } from './network-message.ts';
import { networkProfileView } from './network-profile-view.ts';
import { networkWaitConnection } from './network-wait-connection.ts';
import { networkWaitReply } from './network-wait-reply.ts';
import { networkWithdrawRequest } from './network-withdraw-request.ts';
import type { AnyNodeType } from './node-type.ts';
import { notifyMember } from './notify-member.ts';
import { outreachPush } from './outreach-push.ts';
import { sourceCampaignPool } from './source-campaign-pool.ts';
import { sourceEntry } from './source-entry.ts';
import { sourceLeadList } from './source-lead-list.ts';
import { sourceManual } from './source-manual.ts';
import { sourceSignalAgent } from './source-signal-agent.ts';
import { webhookCall } from './webhook-call.ts';

/** Every node type that works, in the vocabulary's order; a new one is added here and nowhere else. */
const ALL: readonly AnyNodeType[] = [
  sourceEntry,
  sourceCampaignPool,
  sourceLeadList,
  sourceSignalAgent,
  sourceManual,
  flowWait,
  flowCondition,
  flowSplit,
  flowReview,
  flowJoin,
  flowHandoff,
  flowEnd,
  networkProfileView,
  networkFollow,
  networkLikePost,
  networkCommentPost,
  networkEndorse,
  networkConnectionRequest,
  networkWaitConnection,
  networkMessage,
  networkInmail,
  networkWaitReply,
  networkWithdrawRequest,
  aiCraft,
  aiClassifyReply,
  leadEnrich,
  mailSend,
  mailWaitReply,
  leadTag,
  leadScore,
  leadAddToList,
  leadExclude,
  calendarProposeSlots,
  crmPush,
  outreachPush,
  webhookCall,
  notifyMember,
];

/** The node types by name. */
export const NODE_TYPES: ReadonlyMap<string, AnyNodeType> = new Map(ALL.map((type) => [type.nodeType, type]));

/** The type of a node that was compiled. Throws for a name that is not in the vocabulary: a fault, not user input. */
export function nodeTypeOf(name: string): AnyNodeType {
  const type = NODE_TYPES.get(name);
  if (!type) throw new Error(`node type ${name} is not registered`);
  return type;
}
