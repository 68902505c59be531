import { createHash } from 'node:crypto';
import { hashFloat } from '../../pkg/domain/random.ts';
import type { Behaviour } from './population.ts';

/** Who a public id is; everything is derived from the id, so that nobody has to be registered. */
export interface Person {
  publicId: string;
  firstName: string;
  lastName: string;
  headline: string;
  company: string;
  location: string;
}

const FIRST = ['Alex', 'Kim', 'Noa', 'Robin', 'Sasha', 'Jona', 'Mika', 'Charlie'];
const LAST = ['Berg', 'Costa', 'Duval', 'Egger', 'Fox', 'Garcia', 'Holm', 'Ito'];
const FIRMS = [
  'Nordwind Logistics',
  'Acorn Labs',
  'Bluebird Media',
  'Castell Foods',
  'Delta Robotics',
  'Evergreen Energy',
];
const PLACES = [
  'Berlin, Germany',
  'Lyon, France',
  'Austin, Texas, United States',
  'Leeds, United Kingdom',
  'Gdansk, Poland',
];
const ROLES = ['Head of Operations', 'Founder', 'VP Sales', 'Product Manager', 'CTO', 'Marketing Lead'];

/** `ada-lovelace-1b2` is Ada Lovelace. */
export function personOf(seed: string, publicId: string): Person {
  const words = publicId.split(/[-_.]+/).filter((word) => /^\p{L}+$/u.test(word));
  const [first, ...rest] = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return {
    publicId,
    firstName: first ?? pick(FIRST, seed, publicId, 'first'),
    lastName: rest.join(' ') || pick(LAST, seed, publicId, 'last'),
    headline: pick(ROLES, seed, publicId, 'role'),
    company: pick(FIRMS, seed, publicId, 'firm'),
    location: pick(PLACES, seed, publicId, 'place'),
  };
}

/** The id by which one account knows a person; another account knows the same person by another one. */
export function providerIdOf(seed: string, accountId: string, publicId: string): string {
  return `ACoAA${createHash('sha256').update(`${seed}\0${accountId}\0${publicId}`).digest('base64url').slice(0, 34)}`;
}

/** Address of a profile, as the ledger shows it. */
export function profileUrl(publicId: string): string {
  return `https://www.linkedin.com/in/${encodeURIComponent(publicId)}`;
}

const TEXTS: Readonly<Record<Exclude<Behaviour['reply'], 'none'>, readonly string[]>> = {
  positive: [
    'Sounds good, tell me more.',
    'Interested. Can you send me more details?',
    'Yes, happy to talk next week.',
  ],
  neutral: [
    'Maybe later, we are in the middle of planning.',
    'Who are you exactly?',
    'Not now, get back to me next quarter.',
  ],
  negative: ['Thanks, but not interested.', 'No thanks, we already have a solution.', 'This is not relevant for us.'],
  out_of_office: ['Automatic reply: I am out of office and have limited access to messages.'],
  stop: ['Please stop messaging me.', 'Unsubscribe me, please. Do not contact me again.'],
};

/** What the person writes. */
export function replyText(seed: string, publicId: string, behaviour: Behaviour): string {
  if (behaviour.replyText !== '' || behaviour.reply === 'none') return behaviour.replyText;
  return pick(TEXTS[behaviour.reply], seed, publicId, 'text');
}

function pick(from: readonly string[], ...seed: string[]): string {
  return from[Math.floor(hashFloat(...seed) * from.length)] ?? '';
}
