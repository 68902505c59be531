import { z } from 'zod';
import { profileId } from '../../pkg/domain/person-identity.ts';
import { allOwnPosts, postModeSchema, setPostMode } from './api-own-posts.ts';
import { type Faults, faultsSchema } from './faults.ts';
import { type Call, Refusal, type Reply } from './http.ts';
import { setInMailCredits } from './inmail-credits.ts';
import { mailBehaviourSchema, setMailBehaviour } from './mail/mail-people.ts';
import { listMails } from './mail/mail-store.ts';
import { forget, keep, noted, setReply } from './outside/book.ts';
import { SERVICES } from './outside/outside-routes.ts';
import { acceptInvitation, notifyMessage } from './people.ts';
import { profileUrl } from './person.ts';
import { type Behaviour, REPLY_KINDS } from './population.ts';
import { scriptBody, setScript } from './scripts.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
const share = z.number().min(0).max(1);
const ms = z
  .number()
  .int()
  .min(0)
  .max(365 * 24 * HOUR_MS);
const span = z.tuple([ms, ms]).refine(([min, max]) => min <= max, 'the first must not exceed the second');

const populationBody = z
  .strictObject({
    acceptRate: share,
    replyRate: share,
    stopRate: share,
    outOfOfficeRate: share,
    positiveRate: share,
    negativeRate: share,
    connectedRate: share,
    slowRate: share,
    acceptDelayMs: span,
    replyDelayMs: span,
    noticeDelayMs: span,
  })
  .partial();

const behaviourFields = z
  .strictObject({
    accepts: z.boolean(),
    acceptAfterMs: ms,
    noticeAfterMs: z
      .number()
      .int()
      .min(0)
      .max(8 * HOUR_MS),
    reply: z.enum([...REPLY_KINDS, 'none']),
    replyToMessage: z.number().int().min(1).max(10),
    replyAfterMs: ms,
    replyText: z.string().max(8_000),
    connected: z.boolean(),
    invited: z.boolean(),
    missing: z.boolean(),
    posts: z.number().int().min(0).max(20),
    postAgeDays: z.number().min(0).max(3_650),
    reposts: z.boolean(),
    skills: z.number().int().min(0).max(50),
    openProfile: z.boolean(),
  })
  .partial();

/** Short names for what tests need most. */
const PRESETS: Readonly<Record<string, Partial<Behaviour>>> = {
  accepts: { accepts: true, reply: 'none' },
  ignores: { accepts: false, reply: 'none' },
  connected: { connected: true, reply: 'none' },
  invited: { invited: true, accepts: false, reply: 'none' },
  missing: { missing: true },
  ...Object.fromEntries(REPLY_KINDS.map((reply) => [reply, { accepts: true, reply, replyToMessage: 1 }])),
};

const id = z.string().min(1).max(300);
const personBody = z.strictObject({
  publicId: id,
  behaviour: z.union([z.enum(Object.keys(PRESETS) as [string, ...string[]]), behaviourFields]),
});
const peopleBody = z.union([personBody, z.array(personBody).max(1_000)]);
const inboundBody = z.strictObject({
  accountId: id,
  publicId: id,
  text: z.string().min(1).max(8_000),
  direction: z.enum(['in', 'out', 'reaction']).default('in'),
});
const outsideBody = z.strictObject({
  service: z.literal(Object.keys(SERVICES)),
  /** What it answers until told otherwise; null: as it is. */
  reply: z
    .strictObject({
      status: z.int().min(100).max(599),
      body: z.union([z.record(z.string(), z.json()), z.array(z.json())]).default({}),
      /** Only what is asked below this path; absent: everything. */
      below: z.string().max(500).optional(),
    })
    .nullish(),
  /** Times at which its calendar is taken, instead of those before; with `true` whole days, by their midnights in UTC. */
  taken: z
    .array(z.union([z.tuple([z.int(), z.int()]), z.tuple([z.int(), z.int(), z.boolean()])]))
    .max(1_000)
    .optional(),
  /** Fields that Salesforce hides from everybody, instead of those before. */
  hidden: z.array(z.string()).max(100).optional(),
});
const relationBody = z.strictObject({ accountId: id, publicId: id });
const accountBody = z.strictObject({
  accountId: id,
  status: z.enum(['OK', 'STOPPED', 'ERROR', 'CREDENTIALS', 'PERMISSIONS', 'CONNECTING']).default('OK'),
  /** InMails that the account may still send to profiles that are not open; absent: as many as it likes. */
  inmailCredits: z.number().int().min(0).max(1_000).optional(),
});

const mailPersonBody = z.strictObject({ address: z.email(), behaviour: mailBehaviourSchema });

/** The newest mails of a mailbox that one answer holds. */
const MAX_SENT = 200;

/** Most ledger lines in one answer; go on with `sinceSeq`. */
const MAX_RECEIVED = 100_000;

/** The handles of tests, the demo and `--skip-idle`, under `/_sandbox`: no part of the provider's API, for this machine only. */
export function control(world: World, faults: Faults, call: Call): Reply {
  const handlers: Record<string, () => object> = {
    'GET health': () => ({ status: 'ok', at: new Date(world.clock.now()).toISOString() }),
    'GET received': () => received(world, call),
    'GET sent': () => listMails(world, call.query.get('mailbox') ?? '', 'Sent').slice(-MAX_SENT),
    'GET next': () => ({ dueAt: world.nextDue() }),
    'GET outside': () => noted(world.store),
    'POST outside': () => outside(world, parse(outsideBody, call.body)),
    'GET faults': () => faults.all,
    'POST faults': () => {
      faults.set(parse(faultsSchema, call.body));
      return faults.all;
    },
    'GET population': () => world.population(),
    'POST population': () => {
      const given = parse(populationBody, call.body);
      world.setPopulation(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
      return world.population();
    },
    'POST people': () => people(world, parse(peopleBody, call.body)),
    'POST mail-people': () => {
      const { address, behaviour } = parse(mailPersonBody, call.body);
      const set = Object.fromEntries(Object.entries(behaviour).filter(([, value]) => value !== undefined));
      setMailBehaviour(world, address, set);
      return { address };
    },
    'POST scripts': () => setScript(world, parse(scriptBody, call.body)),
    'POST inbound': () => inbound(world, parse(inboundBody, call.body)),
    'POST accept': () => {
      const { accountId, publicId } = parse(relationBody, call.body);
      return { accepted: acceptInvitation(world, accountId, normal(publicId), world.clock.now()) };
    },
    'POST disconnect': () => {
      const { accountId, publicId } = parse(relationBody, call.body);
      return { removed: world.disconnect(accountId, normal(publicId)) };
    },
    'GET posts': () => allOwnPosts(world),
    'POST posts': () => setPostMode(world, parse(postModeSchema, call.body)),
    'POST accounts': () => {
      const { accountId, status, inmailCredits } = parse(accountBody, call.body);
      world.account(accountId);
      world.store.run('update account set status = ? where id = ?', status, accountId);
      if (inmailCredits !== undefined) setInMailCredits(world, accountId, inmailCredits);
      return { accountId, status };
    },
  };
  const name = call.path.join('/');
  const handler = handlers[`${call.method} ${name}`];
  if (!handler)
    throw new Refusal(404, 'resource_not_found', `there is no ${call.method} /_sandbox/${name.slice(0, 100)}`);
  return { status: 200, body: handler() };
}

function received(world: World, call: Call): object {
  const since = Number(call.query.get('sinceSeq') ?? 0);
  if (!Number.isSafeInteger(since)) throw new Refusal(400, 'invalid_parameters', 'sinceSeq must be an integer');
  const rows = world.store.all<{
    seq: number;
    at: number;
    account_id: string;
    kind: string;
    public_id: string;
    idempotency_key: string | null;
    text: string | null;
  }>('select * from received where seq > ? order by seq limit ?', since, MAX_RECEIVED);
  return rows.map((row) => ({
    seq: row.seq,
    at: new Date(row.at).toISOString(),
    accountId: row.account_id,
    kind: row.kind,
    target: row.kind === 'mail' ? row.public_id : profileUrl(row.public_id),
    idempotencyKey: row.idempotency_key,
    text: row.text,
  }));
}

function people(world: World, given: z.infer<typeof peopleBody>): object {
  const list = Array.isArray(given) ? given : [given];
  for (const { publicId, behaviour } of list) {
    const fields = typeof behaviour === 'string' ? (PRESETS[behaviour] ?? {}) : behaviour;
    // The one who is told how to answer a request is not connected already, by chance of the population.
    const told = fields.accepts === undefined ? fields : { connected: false, ...fields };
    const set = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
    world.setBehaviour(normal(publicId), set);
  }
  return { people: list.length };
}

function outside(world: World, { service, reply, taken, hidden }: z.infer<typeof outsideBody>): object {
  if (reply !== undefined) setReply(world.store, service, reply);
  if (taken) forget(world.store, service, 'taken');
  if (hidden) forget(world.store, service, 'hidden');
  for (const name of hidden ?? []) keep(world.store, service, 'hidden', { name });
  for (const [start, end, allDay = false] of taken ?? []) keep(world.store, service, 'taken', { start, end, allDay });
  return { service };
}

/** Somebody writes now: the person, who may also only react to what we wrote, or the account's owner by hand. */
function inbound(world: World, given: z.infer<typeof inboundBody>): object {
  const origin = ({ in: 'person', out: 'hand', reaction: 'reaction' } as const)[given.direction];
  return notifyMessage(world, given.accountId, normal(given.publicId), origin, given.text, world.clock.now());
}

function normal(publicId: string): string {
  const found = profileId(publicId);
  if (!found) throw new Refusal(400, 'invalid_parameters', 'publicId is neither a public id nor a profile address');
  return found;
}

function parse<S extends z.ZodType>(schema: S, body: unknown): z.infer<S> {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new Refusal(400, 'invalid_parameters', z.prettifyError(parsed.error));
  return parsed.data;
}
