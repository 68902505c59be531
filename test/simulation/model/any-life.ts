import fc from 'fast-check';
import { anyGraph, type GraphPlan, reaching } from './any-graph.ts';

/** Somebody who is to be reached, and what they do about it. */
export interface LeadPlan {
  mail: boolean;
  profile: boolean;
  company: number;
  title: boolean;
  zone: number;
  connected: boolean;
  accepts: boolean;
  /** Hours after which they accept or answer. */
  afterHours: number;
  reply: 'none' | 'positive' | 'neutral' | 'negative' | 'out_of_office' | 'stop';
  replyToMessage: number;
  posts: boolean;
  mailReply: string;
  bounce: 'none' | 'refused' | 'hard' | 'soft';
  complains: boolean;
}

/** What people, networks and machines do meanwhile. */
export const DEEDS = [
  'enrol',
  'pause',
  'pause for a while',
  'resume',
  'stop',
  'retry',
  'move',
  'disable',
  'enable',
  'freeze',
  'release',
  'pause the account',
  'use the account',
  'lower limits',
  'raise limits',
  'move the account',
  'move the lead',
  'edit and finish',
  'edit and migrate',
  'take credits',
  'give credits',
  'erase',
  'suspend',
  'restore',
  'pause the campaign',
  'resume the campaign',
  'restrict',
  'recover',
  'unlink',
  'link',
  'exclude',
  'decide',
  'decide',
  'decide',
  'import again',
  'write by hand',
  'restart',
  'change the campaign',
  'delete the next workflow',
  'bulk decide',
] as const;
export type DeedKind = (typeof DEEDS)[number];

export interface DeedPlan {
  kind: DeedKind;
  /** Half hours after the beginning. */
  at: number;
  who: number;
  pick: number;
}

/** A workspace with one workflow (and one to hand over to), its people, and all that happens to them. */
export interface Life {
  seed: number;
  start: number;
  graph: GraphPlan;
  next: GraphPlan;
  leads: readonly LeadPlan[];
  deeds: readonly DeedPlan[];
  hours: 'always' | 'office' | 'lead';
  zone: number;
  gapDays: number;
  stopOnReply: boolean;
  stopCompany: boolean;
  reviewMode: 'off' | 'ai_only' | 'first_touch' | 'all';
  perCompany: number;
  tight: boolean;
  paced: boolean;
  credits: number;
  faults: 'none' | 'some';
  crashes: boolean;
  /** Somebody looks through the drafts twice a day. */
  reviewed: boolean;
  /** Two accounts send for the workspace. */
  second: boolean;
  /** Another workspace of the agency sends to the same people through the same accounts; at what its and our contact claims hold. */
  neighbour: 'none' | 'workspace' | 'account' | 'agency';
}

const HALF_HOURS = 2 * 24 * 20;
/** Mondays; summer time begins or ends in the weeks after the second and third. */
const STARTS = [Date.UTC(2026, 0, 5, 9), Date.UTC(2026, 2, 2, 6), Date.UTC(2025, 9, 20, 6), Date.UTC(2026, 1, 6, 15)];

const lead: fc.Arbitrary<LeadPlan> = fc.record({
  mail: fc.boolean(),
  profile: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
  company: fc.nat({ max: 3 }),
  title: fc.boolean(),
  zone: fc.nat({ max: 3 }),
  connected: fc.boolean(),
  accepts: fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, fc.boolean()),
  afterHours: fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 100 })),
  reply: fc.constantFrom('none', 'none', 'positive', 'neutral', 'negative', 'out_of_office', 'stop'),
  replyToMessage: fc.constantFrom(1, 1, 2),
  posts: fc.boolean(),
  mailReply: fc.constantFrom('', '', '', 'Sounds good, tell me more.', 'Please unsubscribe me.', 'I am out of office.'),
  bounce: fc.constantFrom('none', 'none', 'none', 'none', 'refused', 'hard', 'soft'),
  complains: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
});

const deed: fc.Arbitrary<DeedPlan> = fc.record({
  kind: fc.constantFrom(...DEEDS),
  // Most of a life happens in its first days.
  at: fc.oneof(fc.nat({ max: HALF_HOURS / 5 }), fc.nat({ max: HALF_HOURS })),
  who: fc.nat({ max: 5 }),
  pick: fc.nat({ max: 999 }),
});

const seldom = fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean());

export const anyLife: fc.Arbitrary<Life> = fc.record({
  seed: fc.nat({ max: 1_000_000 }),
  start: fc.constantFrom(...STARTS),
  graph: fc.oneof(anyGraph(12), anyGraph(8).map(reaching)),
  next: anyGraph(3),
  leads: fc.array(lead, { minLength: 2, maxLength: 5, size: 'max' }),
  deeds: fc.array(deed, { maxLength: 14, size: 'max' }),
  hours: fc.constantFrom('always', 'office', 'lead'),
  zone: fc.nat({ max: 3 }),
  gapDays: fc.constantFrom(0, 0, 1, 2),
  stopOnReply: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
  stopCompany: seldom,
  reviewMode: fc.constantFrom('off', 'off', 'off', 'off', 'off', 'ai_only', 'first_touch', 'all'),
  perCompany: fc.constantFrom(0, 0, 1, 3),
  tight: seldom,
  paced: fc.boolean(),
  credits: fc.constantFrom(0, 2, 1_000),
  faults: fc.constantFrom('none', 'some'),
  crashes: seldom,
  reviewed: fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, fc.boolean()),
  second: fc.boolean(),
  neighbour: fc.constantFrom('none', 'workspace', 'account', 'agency'),
});
