import type { CallAsk } from '../../nodes/call-ask.ts';
import type { CallNode } from '../../nodes/node-type.ts';

/** A claimed call, or an unknown one to look up, to be made after the batch's commit. */
export interface GrantedCall {
  /** `look_up_last`: when this look-up fails too, the call is given up. */
  job: 'perform' | 'look_up' | 'look_up_last';
  callId: string;
  runId: string;
  workspaceId: string;
  campaignId: string;
  leadId: string;
  personId: string | null;
  nodeId: string;
  type: CallNode<never>;
  ask: CallAsk;
  /** It is not made before this (epoch ms product time). */
  notBefore: number;
  /** This try included. */
  tries: number;
}
