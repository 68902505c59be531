import { expect } from 'chai';
import { doubles, type Fixture, type Received } from '../fixtures/chaos/chaos-fixture.ts';

/** A send of the product's ledger, as the judge reads it. */
interface Sent {
  id: string;
  account_id: string;
  person: string;
  action: string;
  body: string | null;
  state: string;
  outcome: string | null;
  maybe: boolean;
  dead_letter_state: string | null;
  evidence: { what: string; text: string }[];
}

/** What the judge found, for people. */
export interface Readiness {
  received: Received[];
  /** One line. */
  text: string;
}

/** What makes an outcome ambiguous; a dead letter names one of them. */
const FAULTS = /killed|lost|timeout|reset|hang up|socket|aborted/;

/**
 * The sandbox's ledger against the product's, person by person and text by text: nobody twice; a confirmed send is there,
 * a failed one is not, an open one is a harmless maybe or a dead letter that names its fault; nothing arrived that the
 * product does not know of; no budget of a day or of seven days was exceeded. Two queries and one answer, whatever the load.
 * @throws AssertionError
 */
export async function judgeLedgers(fixture: Fixture, ws: string): Promise<Readiness> {
  const received = await fixture.received();
  const sends = await fixture.query<Sent>(
    `select s.id, s.account_id, l.profile_id as person, s.action, s.body, s.state, s.outcome, s.maybe, s.dead_letter_state, s.evidence
     from send s join lead l on l.id = s.lead_id where s.workspace_id = $1`,
    [ws],
  );
  const accounts = new Set(sends.map((send) => send.account_id));
  const own = received.filter((one) => accounts.has(accountOf(one)));
  const arrived = Map.groupBy(own, (one) => keyOf(accountOf(one), one.kind, personOf(one), textOf(one)));
  const twice = doubles(received);
  expect(twice, `doubles; ${await told(fixture, twice)}`).to.deep.equal([]);
  const known = Map.groupBy(sends, (send) =>
    keyOf(send.account_id, send.action, send.person, ['message', 'mail'].includes(send.action) ? send.body : null),
  );
  const strays = [...arrived.keys()].filter((key) => !known.has(key));
  expect(strays, 'what arrived is in the ledger').to.deep.equal([]);
  const wrong = [...known].flatMap(([key, all]) => faultOf(all, arrived.get(key)?.length ?? 0, key));
  expect(wrong, 'the ledgers, person by person').to.deep.equal([]);
  await judgeBudgets(fixture);
  return { received, text: summary(own, sends) };
}

/** A mailbox is named by its address. */
function accountOf({ kind, accountId }: Received): string {
  return kind === 'mail' ? accountId.slice(0, accountId.indexOf('@')) : accountId;
}

/** Public id of who received it: part of the address of a profile and of a mail. */
export function personOf({ target }: Pick<Received, 'target'>): string {
  return /\bl-[0-9a-f]{8}/.exec(target)?.[0] ?? target;
}

/** Of a mail what stands before its footer. */
function textOf({ kind, text }: Received): string | null {
  return kind === 'mail' && text ? (text.split(/\r?\n/, 1)[0] ?? '') : text;
}

function keyOf(account: string, kind: string, person: string, text: string | null): string {
  return `${account} ${kind} ${person} ${text ?? ''}`;
}

/** What is wrong with the sends of one text to one person, of which so many arrived. */
function faultOf(sends: readonly Sent[], arrived: number, key: string): string[] {
  const wrong: string[] = [];
  const count = (test: (send: Sent) => boolean): number => sends.filter(test).length;
  const confirmed = count((send) => send.state === 'confirmed');
  const open = sends.filter((send) => send.state !== 'confirmed' && send.state !== 'failed');
  if (confirmed > 1) wrong.push(`${key}: confirmed ${confirmed} times`);
  if (confirmed === 1 && arrived !== 1) wrong.push(`${key}: confirmed, and ${arrived} arrived`);
  if (confirmed === 0 && open.length === 0 && arrived !== 0) wrong.push(`${key}: failed, and ${arrived} arrived`);
  if (confirmed + open.length > 1) wrong.push(`${key}: ${confirmed} confirmed and ${open.length} without a known end`);
  for (const send of open) {
    const harmless = send.maybe && send.action === 'profile_view';
    const dead = send.dead_letter_state === 'open';
    if (!harmless && !dead) wrong.push(`${key}: ${send.state} without a known end`);
    if (dead && !FAULTS.test(send.evidence[0]?.text ?? ''))
      wrong.push(`${key}: a dead letter without a fault: ${send.evidence[0]?.text}`);
  }
  return wrong;
}

/** Units that may have been spent, by account, action and local date, against the smallest limit that holds for them. */
async function judgeBudgets(fixture: Fixture): Promise<void> {
  const over = await fixture.query(
    `with units as (
       select s.account_id, b.action, s.budget_date, count(*) as day from send s cross join unnest(s.budgets) as b (action)
       where s.state in ('confirmed', 'unknown', 'dispatched') group by 1, 2, 3
     ), spent as (
       select *, sum(day) over (partition by account_id, action order by budget_date range between '6 days' preceding and current row) as week from units
     )
     select u.account_id, u.action, u.budget_date, u.day, u.week from spent u join network_account n on n.id = u.account_id
       cross join lateral app.default_budget(n.tier, u.action) d
     where u.day > least(d.day, (n.limits -> u.action ->> 'day')::int)
       or u.week > least(nullif(d.week, -1), (n.limits -> u.action ->> 'week')::int)`,
  );
  expect(over, 'budgets of days and weeks').to.deep.equal([]);
  const now = await fixture.query('select * from account_budget where limit_day >= 0 and used[1] > limit_day');
  expect(now, 'budgets of today').to.deep.equal([]);
}

/** What our ledger says of people who got something twice: who reads a failure needs it. */
async function told(fixture: Fixture, twice: readonly string[]): Promise<string> {
  if (twice.length === 0) return '';
  const people = twice.map((target) => personOf({ target }));
  const sends = await fixture.query(
    `select s.id, s.node_id, s.state, s.outcome, s.error, s.epoch, s.claimed_at, s.dispatched_at, s.dispatched_real, s.settled_at, s.evidence
     from send s join lead l on l.id = s.lead_id where l.profile_id = any ($1) order by s.claimed_at`,
    [people],
  );
  return JSON.stringify(sends);
}

function summary(received: readonly Received[], sends: readonly Sent[]): string {
  const count = (test: (send: Sent) => boolean): number => sends.filter(test).length;
  const people = new Set(sends.map((send) => send.person)).size;
  const dead = sends.filter((send) => send.dead_letter_state === 'open');
  const named = Map.groupBy(dead, (send) => FAULTS.exec(send.evidence[0]?.text ?? '')?.[0] ?? '');
  const letters = [...named].map(([fault, all]) => `${all.length} ${fault}`).join(', ');
  const cut = count((send) => send.evidence.some((one) => one.what === 'executor_lost'));
  const lost = count((send) => send.evidence.some((one) => one.what === 'lost_answer'));
  return [
    `${people} people, ${received.length} arrived, none twice; sends: ${count((send) => send.state === 'confirmed')} confirmed`,
    `${cut} were under way when their executor ended and ${lost} lost their answer`,
    `${count((send) => send.state === 'failed')} proven not to have arrived`,
    `${count((send) => send.maybe)} harmless maybes, ${dead.length} dead letters${letters ? ` (${letters})` : ''}`,
  ].join(', ');
}
