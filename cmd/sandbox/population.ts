import { hashFloat } from '../../pkg/domain/random.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const REPLY_KINDS = ['positive', 'neutral', 'negative', 'out_of_office', 'stop'] as const;
export type ReplyKind = (typeof REPLY_KINDS)[number];

/** How one person behaves; times are ms of product time. */
export interface Behaviour {
  accepts: boolean;
  /** From the request to the acceptance. */
  acceptAfterMs: number;
  /** From the acceptance to its webhook, up to 8 h as on the network. */
  noticeAfterMs: number;
  reply: ReplyKind | 'none';
  /** Which of our messages is answered: the first or the second. */
  replyToMessage: number;
  replyAfterMs: number;
  /** What the person writes; empty: a text of the kind. */
  replyText: string;
  /** Connected with everybody from the beginning. */
  connected: boolean;
  /** An invitation that was sent by hand is pending. */
  invited: boolean;
  /** The network knows no such person. */
  missing: boolean;
  /** Posts of their own, and the age of the newest when it is first asked for; the others are a week apart. */
  posts: number;
  postAgeDays: number;
  /** The newest is somebody else's, passed on. */
  reposts: boolean;
  /** Skills on the profile. */
  skills: number;
  /** Anybody may write an InMail without a credit. */
  openProfile: boolean;
}

/** Shares (0 to 1) and spans that the population is drawn from. */
export interface Population {
  acceptRate: number;
  /** Share that ever answers a message. */
  replyRate: number;
  /** Shares of all people, taken out of those who answer. */
  stopRate: number;
  outOfOfficeRate: number;
  /** Share of the other answers. */
  positiveRate: number;
  negativeRate: number;
  connectedRate: number;
  /** Share that takes four times as long. */
  slowRate: number;
  acceptDelayMs: readonly [min: number, max: number];
  replyDelayMs: readonly [min: number, max: number];
  noticeDelayMs: readonly [min: number, max: number];
}

export const DEFAULT_POPULATION: Population = {
  acceptRate: 0.45,
  replyRate: 0.4,
  stopRate: 0.04,
  outOfOfficeRate: 0.05,
  positiveRate: 0.4,
  negativeRate: 0.25,
  connectedRate: 0.03,
  slowRate: 0.15,
  acceptDelayMs: [HOUR, 3 * DAY],
  replyDelayMs: [10 * MINUTE, 2 * DAY],
  noticeDelayMs: [MINUTE, 8 * HOUR],
};

/** The behaviour of a person: the same for the same seed and public id, no matter who asks and whenever. */
export function behaviourOf(seed: string, publicId: string, population: Population): Behaviour {
  const draw = (what: string): number => hashFloat(seed, 'person', publicId, what);
  const slow = draw('slow') < population.slowRate ? 4 : 1;
  const reply = replyOf(draw('reply'), draw('tone'), population);
  return {
    accepts: draw('accepts') < population.acceptRate,
    acceptAfterMs: between(population.acceptDelayMs, draw('accept-delay')) * slow,
    noticeAfterMs: Math.min(8 * HOUR, between(population.noticeDelayMs, draw('notice-delay'))),
    reply,
    replyToMessage: draw('patience') < 0.7 ? 1 : 2,
    replyAfterMs: reply === 'out_of_office' ? 2 * MINUTE : between(population.replyDelayMs, draw('reply-delay')) * slow,
    replyText: '',
    connected: draw('connected') < population.connectedRate,
    invited: false,
    missing: false,
    posts: Math.floor(draw('posts') * 4),
    postAgeDays: Math.floor(draw('post-age') * 40),
    reposts: false,
    skills: Math.floor(draw('skills') * 6),
    openProfile: draw('open') < 0.1,
  };
}

function replyOf(draw: number, tone: number, population: Population): Behaviour['reply'] {
  const { stopRate, outOfOfficeRate, replyRate, positiveRate, negativeRate } = population;
  if (draw < stopRate) return 'stop';
  if (draw < stopRate + outOfOfficeRate) return 'out_of_office';
  if (draw >= replyRate) return 'none';
  if (tone < positiveRate) return 'positive';
  return tone < positiveRate + negativeRate ? 'negative' : 'neutral';
}

/** Skewed towards the beginning, as answers of people are. */
function between([min, max]: readonly [number, number], draw: number): number {
  return Math.round(min + (max - min) * draw ** 2);
}
