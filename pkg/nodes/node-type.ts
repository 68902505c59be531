import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import type { BudgetAction } from '../domain/actions.ts';
import type { CraftChannel, KeptFact } from '../domain/craft/craft-order.ts';
import type { KnownFields } from '../domain/enrichment/enrich-fields.ts';
import type { CompiledNode } from '../domain/graph.ts';
import type { ScoreReason } from '../domain/icp-score.ts';
import type { MailThread } from '../domain/mail-thread.ts';
import type { SignalReason } from '../domain/signal-score.ts';
import type { ExclusionReach } from '../domain/suppression.ts';
import type { TemplatePart } from '../domain/template.ts';
import type { ReplyClass, WaitReason } from '../domain/vocabulary.ts';
import type { Notice } from '../store/notifications/notifications.ts';
import type { CallAsk } from './call-ask.ts';

/** What a node may know of the lead; all texts, empty when unknown. */
export interface LeadFacts {
  leadId: string;
  firstName: string;
  lastName: string;
  fullName: string;
  headline: string;
  title: string;
  seniority: string;
  company: string;
  companySize: string;
  industry: string;
  location: string;
  country: string;
  timezone: string | null;
  email: string | null;
  /** What is known of it (catalog: Lead.emailStatus); absent reads as unknown. */
  emailStatus?: string | undefined;
  /** A mail to this address came back for good; absent reads as no. */
  mailBounced?: boolean;
  profileUrl: string;
  customFields: Record<string, string>;
  tags: readonly string[];
  score: { total: number; icp: number; signals: number } | null;
}

/** What the run remembers; stored in `run.facts`. Times are epoch ms UTC, product time. */
export interface RunFacts {
  connected?: boolean;
  requestedAt?: number;
  connectedAt?: number;
  replied?: boolean;
  replyClass?: ReplyClass;
  /** Where the person replied; absent reads as the network. */
  replyChannel?: 'network' | 'mail';
  /** The thread of mails with the lead. */
  mail?: MailThread;
  /** A mail of this run came back for good. */
  mailBounced?: boolean;
  lastReplyAt?: number;
  /** Who was handed over: when the first run began, epoch ms; replies that were written since are theirs. Kept by app.hand_off. */
  sequenceFrom?: number;
  /** The reply that a wait took last, by when it was written: it counts for that wait alone. */
  heardAt?: number;
  /** A notice of absence said so, or nothing, which reads as a week. */
  awayUntil?: number;
  /** When the run was held since the conversation is another campaign's (epoch ms): who resumes it takes the conversation over. */
  purposeHeldAt?: number;
  lastTouchAt?: number;
  touches?: number;
  /** Approved texts by send node id. */
  approved?: Record<string, string>;
  /** Approved subjects by send node id, where the channel has one. */
  approvedSubjects?: Record<string, string>;
  /** Texts of ai:craft nodes by their label, and the facts that these state. */
  crafted?: Record<string, string>;
  craftedFacts?: Record<string, KeptFact[]>;
  /** Proposed times, as a message names them. */
  slots?: string;
  /** When they begin, and in which zone they are named. */
  slotTimes?: { starts: readonly number[]; timezone: string };
  /** By node: how often its text was rejected to be written anew, and why the last time. */
  redrafts?: Record<string, { times: number; reason: string }>;
}

/** A score made anew: the best ICP with the signals, and each ICP with its reasons and those of the signals. */
export interface Rescored {
  total: number;
  icp: number;
  signals: number;
  scores: readonly { icpId: string; icp: number; reasons: readonly (ScoreReason | SignalReason)[] }[];
}

/** Everything a node sees; built once per batch, nothing in it does I/O. */
export interface StepInput {
  /** Epoch ms UTC, product time. */
  now: number;
  /** When the run reached this node. */
  enteredAt: number;
  runId: string;
  workflowId: string;
  node: CompiledNode;
  lead: LeadFacts;
  facts: RunFacts;
  /** Split node id -> branch, remembered for ever. */
  arms: Readonly<Record<string, string>>;
  /** Shares in force of a split node's branches, learnt or set; absent: the weights of its config. */
  splitShares?: Readonly<Record<string, number>> | undefined;
  account: { accountId: string; tier: string; timezone: string; displayName: string } | null;
  /** Live signals of the lead or its company, newest first; loaded where a graph asks for them, absent reads as none. `occurredAt` epoch ms UTC. */
  signals?: readonly { type: string; title: string; occurredAt: number }[];
  /** The campaign's scoreMin; absent reads as the catalog's 50. */
  campaignScoreMin?: number;
  /** Since when fields are known that an enrichment fills; loaded where a graph enriches. */
  enriched?: KnownFields | undefined;
  /** Rescores the lead now (pure, from facts loaded with the batch). */
  rescore(): Rescored;
}

/** Writes that a pure node asks for; the engine applies them in the batch's transaction. */
export type RunWrite =
  | { type: 'tag'; add: readonly string[]; remove: readonly string[] }
  | { type: 'add_to_list'; leadListId: string }
  | { type: 'exclude'; appliesTo: ExclusionReach; reason: string }
  /** The person's own wish to be left alone, which nobody lifts. `heardBy`: the account that it was written to; null: not known. */
  | { type: 'wish'; reason: string; heardBy: string | null }
  | { type: 'notify'; notice: Notice }
  | ({ type: 'score' } & Rescored);

/** What a pure node decided. */
export type StepResult =
  | { kind: 'advance'; outcome: string; writes?: readonly RunWrite[]; arm?: string; facts?: Partial<RunFacts> }
  /** `until` epoch ms product time; null waits for an event (acceptance, reply, decision). */
  | { kind: 'wait'; reason: WaitReason; until: number | null }
  | { kind: 'end'; state: 'completed' | 'stopped' | 'suppressed'; reason: string; writes?: readonly RunWrite[] };

/** A rendered text (with its subject where the channel has one), or the names of the fields that are missing (the step then takes outcome `missing_data`). */
export type Draft = { text: string; subject?: string } | { missing: readonly string[] };

/** Why a provider refused, as far as it proves that nothing was done. */
export type RefusalKind =
  | 'rejected'
  | 'not_connected'
  | 'already_connected'
  | 'already_pending'
  | 'not_pending'
  | 'unsupported'
  | 'no_credits'
  | 'no_post'
  | 'duplicate'
  | 'limit';

/** What a send node with text mode `ai` wants written. */
export interface OwnText {
  channel: CraftChannel;
  instructions?: string | undefined;
}

interface NodeBase<C> {
  nodeType: string;
  /** One sentence for the vocabulary. */
  what: string;
  config: z.ZodType<C>;
  /** Config shape for people, as the vocabulary tool returns it. */
  configHint: Record<string, string>;
  /** Outcome names; a function where they depend on the config (split). */
  outcomes: readonly string[] | ((config: C) => readonly string[]);
  defaultOutcome: string | null;
}

/** Advances in memory; no I/O. */
export interface PureNode<C> extends NodeBase<C> {
  kind: 'pure';
  step(input: StepInput, config: C): StepResult;
}

/** Acts on the outside through the send ledger; the engine owns claim, budget, review, dispatch and settlement. */
export interface EffectNode<C> extends NodeBase<C> {
  kind: 'effect';
  /**
   * Budgets spent, first is the action itself (a noted request spends two). `text` is what is sent, which a person may have
   * written; absent: what the config says.
   */
  budgets(config: C, text?: string | null): readonly [BudgetAction, ...BudgetAction[]];
  /** `once_per_node`: person + workflow + node; `once_per_account`: account + person, for ever (requests). */
  sendOnce: 'once_per_node' | 'once_per_account';
  reviewable: boolean;
  /** Channel of the review item and of length rules. */
  channel: 'profile' | 'note' | 'message' | 'inmail' | 'comment' | 'mail';
  /** An outcome that needs no action at all (already connected …), with its reason where the outcome does not say it, or null. */
  precheck(input: StepInput, config: C): string | { outcome: string; reason: string } | null;
  /**
   * Earliest instant of the action by the node's own config (epoch ms product time), or null for now; the run waits
   * for it with reason `duration` before anything is claimed. Absent: now.
   */
  notBefore?(input: StepInput, config: C): number | null;
  /** The text to send; null for actions without one. */
  draft(input: StepInput, config: C): Draft | null;
  /** What the action needs of the node's config (reaction, age of a post …); kept with the send. Absent: nothing. */
  details?(config: C, input: StepInput): JsonObject;
  /** Mail: another mailbox for each mail, instead of the one that the lead knows. Absent: never. */
  rotates?(config: C): boolean;
  /** Whether an AI writes the text (review mode `ai_only`). */
  usesAi(config: C): boolean;
  /** What an AI writes for this node alone, by the way of ai:craft (text mode `ai`). Absent, null: nothing. */
  writes?(config: C): OwnText | null;
  /** Templates of the config, whose {{craft:<label>}} must name an ai:craft node of the graph. Absent: none. */
  templates?(config: C): readonly (readonly TemplatePart[])[];
  /** Longest text the channel allows through any account, characters; null without text. */
  maxLength: number | null;
  confirmedOutcome: string;
  refusedOutcome(kind: RefusalKind): string;
}

/** What the ledger has to know of the type of an effect that is performed. */
export interface EffectWords extends Pick<EffectNode<never>, 'confirmedOutcome' | 'refusedOutcome'> {
  channel: EffectNode<never>['channel'] | 'post';
}

/** Holds for a human decision on the draft of the next send node; the engine makes and watches the review item. */
export interface ReviewNode<C> extends NodeBase<C> {
  kind: 'review';
  expiresAfterMs(config: C): number | undefined;
  /** Members who are told that a draft waits, and with which words. */
  reviewers(config: C): { memberIds: readonly string[]; instructions: string };
  /** What expiry does; it never sends. */
  onExpire(config: C): 'skip' | 'stop' | 'reject';
}

/** Gives the lead to another workflow; the engine starts the run there. */
export interface HandoffNode<C> extends NodeBase<C> {
  kind: 'handoff';
  workflowId(config: C): string;
}

/** What a settled call gives the run besides its outcome. */
export interface CallTake {
  facts?: Partial<RunFacts>;
  writes?: readonly RunWrite[];
}

/** Asks a system outside for something that is no send to a person; the engine claims, performs and settles it once. */
export interface CallNode<C> extends NodeBase<C> {
  kind: 'call';
  budget: BudgetAction | null;
  billable: 'ai_craft' | 'ai_classify' | 'lead_enrich' | null;
  /** Asking again does no harm: a question, or the receiver knows the key. Else a lost answer is looked up. */
  repeatable: boolean;
  /** What leaves the product and is bound by freezes and suppression; null: only a question. */
  outward: 'crm' | 'outreach' | 'webhook' | null;
  /** Unique in the workspace while the call is open or done. Source: the catalog's sendOnceKey, else run and node. */
  onceKey(input: StepInput, config: C): string;
  /** The question, or the outcome that needs none. */
  ask(input: StepInput, config: C): CallAsk | { outcome: string; reason: string };
  /** What one call costs at most; null: nothing. What the built-in writer writes is free, whatever this says. */
  price(config: C): { action: string; credits: number } | null;
  /** The same where less is to be asked for this lead. Absent: `price`. */
  charge?(input: StepInput, config: C): { action: string; credits: number } | null;
  /** Outcome where credits are short; null: the run waits for them. */
  noCreditsOutcome: string | null;
  /** Outcome where another run has the key; null: the outcome of its call. */
  seenOutcome: string | null;
  failedOutcome: string;
  /** What the run remembers of the result; `data` is what the engine stored for this outcome. */
  take?(outcome: string, data: JsonObject, input: StepInput, config: C): CallTake;
}

/** Feeds leads; the engine's feeder runs the query. */
export interface SourceNode<C> extends NodeBase<C> {
  kind: 'source';
  feed(config: C): SourceFeed;
}

export type SourceFeed =
  | {
      from: 'campaign_pool';
      scoreMin: number | null;
      icpIds: readonly string[] | null;
      maxPerDay: number;
      order: 'score' | 'newest';
      excludeContactedDays: number;
    }
  | { from: 'lead_list'; leadListId: string; maxPerDay: number }
  | { from: 'signal_agent'; signalAgentId: string | null; maxPerDay: number }
  | { from: 'manual' };

export type NodeType<C> = PureNode<C> | EffectNode<C> | CallNode<C> | ReviewNode<C> | HandoffNode<C> | SourceNode<C>;

/** A node type whose config type is hidden; what the registry holds. `compile` parses config with the type's schema. */
export type AnyNodeType = NodeType<never>;
