/** Closed word lists of the product's contract. Sources: catalog `enums`, `scopes`, state machines. */

export const RUN_STATES = [
  'queued',
  'waiting',
  'in_review',
  'blocked',
  'paused',
  'replied',
  'completed',
  'stopped',
  'suppressed',
  'failed',
] as const;
export type RunState = (typeof RUN_STATES)[number];

export const WAIT_REASONS = [
  'duration',
  'until_time',
  'business_hours',
  'budget',
  'pacing',
  'account_unhealthy',
  'review',
  'credits',
  'claim_held_elsewhere',
  'enrichment',
  'send_freeze',
  'unknown_outcome',
] as const;
/** Why a run waits; waiting for a reply or an acceptance is `duration` with the node's timeout as due time. */
export type WaitReason = (typeof WAIT_REASONS)[number];

export const REPLY_CLASSES = [
  'positive',
  'neutral',
  'negative',
  'out_of_office',
  'unsubscribe',
  'referral',
  'unclassified',
] as const;
export type ReplyClass = (typeof REPLY_CLASSES)[number];

export const CAMPAIGN_STATES = ['draft', 'active', 'paused', 'completed', 'archived'] as const;
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

export const ACCOUNT_TIERS = ['basic', 'premium', 'sales', 'recruiter'] as const;
export type AccountTier = (typeof ACCOUNT_TIERS)[number];

export const ACCOUNT_STATUSES = [
  'connecting',
  'ok',
  'checkpoint',
  'credentials_expired',
  'restricted',
  'disconnected',
] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

export const REVIEW_MODES = ['off', 'ai_only', 'first_touch', 'all'] as const;
export type ReviewMode = (typeof REVIEW_MODES)[number];

export const DEDUPE_SCOPES = ['campaign', 'workspace', 'account', 'agency'] as const;
export type DedupeScope = (typeof DEDUPE_SCOPES)[number];

export const MEMBER_ROLES = ['owner', 'admin', 'member', 'reviewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The first one holds where a workflow says nothing. */
export const IN_FLIGHT_MODES = ['finish_on_old', 'migrate'] as const;
export type InFlightMode = (typeof IN_FLIGHT_MODES)[number];
