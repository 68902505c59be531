import type { EventKind } from '../event-kinds.ts';

/** What a notification tells of, beside its kind. Names are those of campaigns and accounts, never of leads: words leave by mail too. */
export interface Told {
  /** Events that it tells of together. */
  count: number;
  /** Title of the campaign and name of the account; null: of none, or gone. */
  campaign: string | null;
  account: string | null;
  /** Of the last event. */
  data: Readonly<Record<string, unknown>>;
  /** Epoch ms, product time. */
  now: number;
}

export interface Words {
  title: string;
  text: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `3 answers` or `An answer`. */
const some = (count: number, one: string, many: string): string => (count === 1 ? one : `${count} ${many}`);
const said = (value: unknown): string => (typeof value === 'string' ? value : '');
const inCampaign = ({ campaign }: Told): string => (campaign === null ? '' : ` in "${campaign}"`);
const ofAccount = ({ account }: Told): string => account ?? 'An account';

/** A span as people say it: `6 h`, `2 days`, `40 min`. */
export function spanOf(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)} days`;
  if (ms >= HOUR_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.max(1, Math.floor(ms / 60_000))} min`;
}

/** Drafts that wait: how many, and when the first of them expires. */
function waitingDrafts(told: Told): Words {
  const { data, now, count } = told;
  const waiting = typeof data['waiting'] === 'number' ? data['waiting'] : count;
  const expiresAt = typeof data['oldestExpiresAt'] === 'number' ? data['oldestExpiresAt'] : null;
  const [asked, instructions] = [said(data['asked']), said(data['instructions'])];
  const left = expiresAt === null ? '' : expiresAt <= now ? 'expires now' : `expires in ${spanOf(expiresAt - now)}`;
  if (waiting === 1) {
    const text = instructions || `A message${inCampaign(told)} waits for your decision.${left && ` It ${left}.`}`;
    return { title: asked || 'A draft waits for you', text };
  }
  const title = `${waiting} drafts wait${left && `, the oldest ${left}`}`;
  const text = instructions || `They wait for a decision${inCampaign(told)}.`;
  return { title, text };
}

function answers(told: Told): Words {
  const { count, data } = told;
  if (data['class'] === 'unclassified')
    return {
      title: some(count, 'An answer that a person has to read', 'answers that a person has to read'),
      text: `${some(count, 'A lead', 'leads')} answered${inCampaign(told)}, and no rule understood what. Nobody is written to again until you decide.`,
    };
  return {
    title: `${some(count, 'An answer', 'answers')}${inCampaign(told)}`,
    text: `${some(count, 'A lead', 'leads')} answered${inCampaign(told)}.`,
  };
}

function accountStatus(told: Told): Words {
  const [status, was] = [said(told.data['status']), said(told.data['was'])];
  if (status === 'paused')
    return { title: `${ofAccount(told)} was paused`, text: 'It acts no more until somebody resumes it.' };
  if (status === 'ok')
    return {
      title: `${ofAccount(told)} goes on`,
      text: was === 'paused' ? 'It was resumed.' : `It was ${was}, and acts again.`,
    };
  return { title: `${ofAccount(told)} cannot act: ${status}`, text: 'What needs it waits until somebody mends it.' };
}

function freeze(told: Told): Words {
  const where = {
    platform: 'on the whole platform',
    workspace: 'in this workspace',
    account: `by ${told.account ?? 'an account'}`,
  };
  const scope = where[said(told.data['scope']) as keyof typeof where] ?? '';
  const channel = said(told.data['channel']);
  const what = channel ? `Sending (${channel})` : 'Sending';
  return { title: `${what} is frozen ${scope}`.trim(), text: 'Nothing leaves until the freeze is released.' };
}

/** Kinds whose words depend on more than how many there are. */
const OWN: Partial<Record<EventKind, (told: Told) => Words>> = {
  'review.pending': waitingDrafts,
  'reply.received': answers,
  'account.status_changed': accountStatus,
  'send.frozen': freeze,
  'send.released': () => ({ title: 'A send freeze was released', text: 'What waited for it goes on.' }),
  'account.budget_exhausted': (told) => ({
    title: `${ofAccount(told)} used up a budget`,
    text: `${said(told.data['budget'])}: all of the ${said(told.data['window'])} is used. It goes on by itself.`,
  }),
  'account.ramp_completed': (told) => ({
    title: `${ofAccount(told)} has its whole budgets`,
    text: 'Its ramp-up is over.',
  }),
  'warmup.ready': (told) => ({
    title: `${told.account ?? 'A mailbox'} is warm`,
    text: 'Its warm-up has all that it needs: campaigns may use its whole pace.',
  }),
  'run.blocked': (told) => ({
    title: `${some(told.count, 'A lead waits', 'leads wait')} for something to be mended${inCampaign(told)}`,
    text: `The last of them: ${said(told.data['reason'])}.`,
  }),
  'run.failed': (told) => ({
    title: `${some(told.count, 'A lead ended', 'leads ended')} by a fault${inCampaign(told)}`,
    text: `The last of them: ${said(told.data['reason'])}.`,
  }),
  'integration.error': (told) => ({
    title: 'A connected system refuses us',
    text: said(told.data['reason']) || 'It cannot be reached.',
  }),
  'automation.failed': (told) => ({ title: 'A run of an automation failed', text: said(told.data['reason']) }),
  'split.winner_ready': (told) => ({
    title: `A split has a winner${inCampaign(told)}`,
    text: `The branch "${said(told.data['winner'])}" may be called the better one.`,
  }),
  'key.created': () => ({ title: 'An API key was made', text: 'If nobody of you made it, revoke it at once.' }),
  'key.revoked': () => ({ title: 'An API key was revoked', text: 'What used it is refused from now on.' }),
  'member.joined': (told) => ({
    title: 'Somebody became a member',
    text: `Their role is ${said(told.data['role']) || 'member'}. Remove them if nobody of you invited them.`,
  }),
  'credits.exhausted': () => ({
    title: 'There are no credits left',
    text: 'What costs credits is refused until more come.',
  }),
  'credits.low': (told) => ({
    title: 'Credits run low',
    text: `${String(told.data['available'])} are available.`,
  }),
};

/** One of a kind, several of it, and what goes on; what is absent is told by the definition of its event. */
const COUNTED: Partial<Record<EventKind, readonly [one: string, many: string]>> = {
  'lead.created': ['Leads came into the workspace', 'times leads came into the workspace'],
  'lead.enriched': ['A lead was enriched', 'leads were enriched'],
  'lead.entered_campaign': ['Leads were enrolled', 'times leads were enrolled'],
  'run.started': ['A lead began a workflow', 'leads began a workflow'],
  'run.completed': ['A run ended', 'runs ended'],
  'review.decided': ['A draft was decided', 'drafts were decided'],
  'review.expired': ['A draft expired', 'drafts expired'],
  'message.sent': ['A message left', 'messages left'],
  'message.failed': ['A message was refused for good', 'messages were refused for good'],
  'connection.requested': ['A connection request left', 'connection requests left'],
  'connection.accepted': ['A request was accepted', 'requests were accepted'],
  'connection.withdrawn': ['A request was taken back', 'requests were taken back'],
  'unsubscribe.received': ['A person does not want to be written to', 'persons do not want to be written to'],
  'mail.bounced': ['A mail came back', 'mails came back'],
  'mail.complained': ['A person called a mail spam', 'persons called a mail spam'],
  'dead_letter.opened': [
    'A person has to decide what became of an action',
    'actions wait for somebody to decide what became of them',
  ],
};

/**
 * The words of a notification.
 * @param says what happened, of the event's definition: for kinds that have no words of their own
 */
export function noticeWords(kind: EventKind, says: string, told: Told): Words {
  const own = OWN[kind];
  if (own) return own(told);
  const [one, many] = COUNTED[kind] ?? [says.replace(/\.$/, ''), `times: ${says.replace(/\.$/, '')}`];
  const title = `${some(told.count, one, many)}${inCampaign(told)}`;
  return { title, text: says };
}

/** What was told and may be told again later. */
export interface KeptNotice extends Words {
  kind: EventKind;
  data: Readonly<Record<string, unknown>>;
}

/** The words of a kept notification at `now`: those that name a span of time are made anew, the others stay. */
export function retold({ kind, data, title, text }: KeptNotice, now: number): Words {
  if (kind !== 'review.pending' || typeof data['waiting'] !== 'number') return { title, text };
  const campaign = typeof data['campaignTitle'] === 'string' ? data['campaignTitle'] : null;
  return waitingDrafts({ count: data['waiting'], campaign, account: null, data, now });
}
