import { companyKey } from '../../domain/person-identity.ts';
import type { OwnPeople } from '../../domain/signals/own-people.ts';
import { saysWanted } from '../../domain/signals/searched-posts.ts';
import type { SearchedPost, ShownPerson } from '../../providers/network/network-provider.ts';
import { type FoundSignal, keepSignals } from '../../store/signals/keep-signals.ts';
import type { SignalAgent } from '../../store/signals/signal-agents.ts';
import { readOwnPeople } from '../../store/signals/signal-page.ts';
import { watchStrangers } from '../../store/signals/watched-leads.ts';
import { engagersFound } from '../../store/watches/engagers-found.ts';
import { keepSeenPeople } from '../../store/watches/seen-people.ts';
import { excludedLeads } from '../../store/watches/watch-findings.ts';
import { MOST_EXCERPT, NEW_POST_MS, newPost } from './new-post.ts';
import type { AskedPost, PostScan } from './scan-posts.ts';
import type { ScheduleContext } from './schedule-handler.ts';

/** Posts of which one run asks who engaged with them. */
const MOST_ASKED = 3;
/** Engagers of competitors' posts that one run takes over. */
const MOST_TAKEN = 1_000;

/** A person whom a post led to. Times epoch ms, product time. */
interface Led {
  person: ShownPerson;
  postId: string;
  title: string;
  text: string;
  url: string;
  at: number;
  selfCaused: boolean;
}

/** What a page of posts came to: new signals, and of which posts it is asked who engaged with them. */
export interface KeptPosts {
  found: number;
  asked: AskedPost[];
}

/** Keeps the authors of posts that say what the agent looks for, each post once. Posts that are too old count for nothing. */
export async function keepPosts(
  context: ScheduleContext,
  agent: SignalAgent,
  posts: readonly SearchedPost[],
  chosen: number,
): Promise<KeptPosts> {
  const { tx, run, now } = context;
  const own = await readOwnPeople(tx, run.workspaceId);
  const fresh = posts.filter(
    (post) => post.postedAt <= now && post.postedAt > now - NEW_POST_MS && saysWanted(post.text ?? '', agent),
  );
  const written = fresh.flatMap((post): Led[] =>
    post.author === null || post.repost || isOwn(own, post.author) ? [] : [authored(post, post.author)],
  );
  const asked = fresh.slice(0, Math.max(0, MOST_ASKED - chosen)).map((post) => askedOf(post, own));
  return { found: await keepLed(context, agent, written), asked };
}

/**
 * Keeps who engaged with a post. Who says that they work where its author does is none; who engaged with what the workspace itself wrote
 * is kept as caused by it, and nobody is found by that.
 */
export async function keepEngagers(
  context: ScheduleContext,
  agent: SignalAgent,
  { asked, engagers }: Extract<PostScan, { kind: 'engagers' }>,
): Promise<number> {
  const own = await readOwnPeople(context.tx, context.run.workspaceId);
  const staff = companyKey(asked.author);
  const led = engagers.people.flatMap(({ person, how }): Led[] => {
    if (isOwn(own, person)) return [];
    if (staff !== '' && ` ${companyKey(person.headline)} `.includes(` ${staff} `)) return [];
    const did = how.length > 1 ? 'reacted to and commented on' : how[0] === 'comment' ? 'commented on' : 'reacted to';
    const title = `${person.name} ${did}: ${asked.title}`;
    const at = context.now;
    return [{ person, postId: asked.ref, title, text: asked.title, url: asked.url, at, selfCaused: asked.own }];
  });
  return keepLed(context, agent, led);
}

/** Watches people whom a search brought: what they are now is what the next look compares with. @returns how many are new */
export async function keepStrangers(
  { tx, run, now, newId }: ScheduleContext,
  agent: SignalAgent,
  people: readonly ShownPerson[],
): Promise<number> {
  const own = await readOwnPeople(tx, run.workspaceId);
  const others = people.filter((person) => !isOwn(own, person));
  const leads = await keepSeenPeople(tx, run.workspaceId, others, { now, newId });
  const excluded = await excludedLeads(tx, run.workspaceId, [...leads.values()], now);
  return watchStrangers(
    tx,
    agent,
    [...leads.values()].filter((id) => !excluded.has(id)),
  );
}

/** Takes over whom the watches of competitors saw engage with a post that says what the agent looks for. @returns how many are new */
export async function takeEngagers(context: ScheduleContext, agent: SignalAgent): Promise<number> {
  const { tx, run, now, newId } = context;
  if (!agent.signalTypes.includes('new_post')) return 0;
  const of = { since: Math.max(agent.since ?? 0, now - NEW_POST_MS), now, limit: MOST_TAKEN };
  const found = await engagersFound(tx, run.workspaceId, of);
  const signals = found
    .filter((one) => saysWanted(one.title, agent))
    .map(({ leadId, postId, title, url, foundAt: at }) =>
      newPost({ id: newId(), postId, leadId, title, text: title, url, at }),
    );
  return (await keepSignals(tx, run.workspaceId, signals, now)).length;
}

function isOwn(own: OwnPeople, person: ShownPerson): boolean {
  return own.has({ profileUrl: person.publicId, email: null });
}

function authored(post: SearchedPost, person: ShownPerson): Led {
  const { postId, text = '', url = '', postedAt } = post;
  return { person, postId, title: text || 'A new post', text, url, at: postedAt, selfCaused: false };
}

function askedOf(post: SearchedPost, own: OwnPeople): AskedPost {
  const { postId, text = '', url = '', author, authorName } = post;
  return {
    ref: postId,
    title: (text || 'a post').replace(/\s+/g, ' ').slice(0, MOST_EXCERPT),
    url,
    author: author === null ? authorName : '',
    own: author !== null && isOwn(own, author),
  };
}

/** Keeps people as leads, and what they did as signals; unknown ones were brought by the agent. @returns how many signals are new */
async function keepLed(context: ScheduleContext, agent: SignalAgent, led: readonly Led[]): Promise<number> {
  const { tx, run, now } = context;
  const ids = new Set<string>();
  const newId = (): string => {
    const id = context.newId();
    ids.add(id);
    return id;
  };
  const people = led.map(({ person }) => person);
  const leads = await keepSeenPeople(tx, run.workspaceId, people, { now, newId });
  const signals = led.flatMap(({ person, postId, title, text, url, at, selfCaused }): FoundSignal[] => {
    const leadId = leads.get(person.publicId);
    if (leadId === undefined) return [];
    const line = title.replace(/\s+/g, ' ');
    const post = newPost({ id: context.newId(), postId, leadId, title: line, text, url, at: Math.round(at) });
    return [{ ...post, foundBy: ids.has(leadId) ? agent.id : null, selfCaused }];
  });
  return (await keepSignals(tx, run.workspaceId, signals, now)).length;
}
