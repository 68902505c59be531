import { sleepReal } from '../../pkg/base/clock.ts';
import { seededRandom } from '../../pkg/domain/random.ts';
import { Fixture } from '../fixtures/chaos/chaos-fixture.ts';
import { HOSTILE, HOSTILE_MAIL, Load } from './load.ts';
import { Meddling } from './meddling.ts';
import { OwnPostgres } from './own-postgres.ts';
import { anyOf, SEED } from './seed.ts';
import { strikes } from './strikes.ts';

/** Real minutes after which no further round begins; 0 is one round. */
const MINUTES = Number(process.env['FOR'] || 10);
const PEOPLE = 40;
const ACCOUNTS = 20;
/** Of so many rounds the people are written to by mail. */
const MAIL_SHARE = 0.3;
/** What is done in a round by chance and by people, and the longest time between two of these, real ms. */
const DEEDS = 60;
const PAUSE_MS = 1_500;
/** People who come whenever few can go on. */
const REFILL = 10;
const LEASE_SECONDS = 2;
const ROUND_LIMIT_MS = 600_000;

/** What happened in a round, in its order. */
interface Round {
  deeds: string[];
  messages: number;
}

/** One campaign under strikes that its seed draws, and the judge over it. @throws AssertionError when something is lost or twice */
async function round(seed: string): Promise<Round> {
  const postgres = await OwnPostgres.make(true);
  const fixture = await Fixture.open(postgres.urls, seed);
  try {
    fixture.leaseSeconds = LEASE_SECONDS;
    const random = seededRandom(seed, 'soak');
    const mail = random() < MAIL_SHARE;
    const load = await Load.start(fixture, { people: PEOPLE, accounts: ACCOUNTS, credits: true, mail });
    await fixture.steer('POST', 'faults', mail ? HOSTILE_MAIL : HOSTILE);
    await fixture.clock.setSpeed(1_500);
    // The second one waits for the lease of the first, as a Pod on another node does.
    const executors = ['pod-1', 'pod-2'].map((holder) => fixture.supervise({ workspace: load.ws }, holder));
    const people = new Meddling(fixture, load, random);
    const all = { ...strikes(postgres, executors, random), ...people.deeds };
    const deeds: string[] = [];
    while (deeds.length < DEEDS) {
      await load.keepBusy(REFILL);
      const [name, deed] = anyOf(all, random);
      deeds.push(name);
      await deed();
      await sleepReal(random() * PAUSE_MS);
    }
    await postgres.clock?.set(0);
    await load.ended(ROUND_LIMIT_MS);
    for (const one of executors) await one.stop('SIGKILL');
    const received = await load.judge();
    return { deeds, messages: received.filter((one) => one.kind === 'message' || one.kind === 'mail').length };
  } finally {
    await fixture.close();
    await postgres.stop();
  }
}

const total = new Map<string, number>();
const until = process.hrtime.bigint() + BigInt(Math.round(MINUTES * 60e9));
let rounds = 0;
for (let seed = SEED; rounds === 0 || process.hrtime.bigint() < until; seed = `${SEED}-${rounds}`) {
  try {
    const { deeds, messages } = await round(seed);
    for (const deed of deeds) total.set(deed, (total.get(deed) ?? 0) + 1);
    const counts = [...Map.groupBy(deeds, (deed) => deed)].map(([deed, all]) => `${deed} ${all.length}`).sort();
    console.log(`round ${++rounds}, seed ${seed}: ${messages} messages, none twice, none lost; ${counts.join(', ')}`);
  } catch (error) {
    console.error(`repeat it with: make soak FOR=0 SEED=${seed}`);
    throw error;
  }
}
console.log(
  `${rounds} rounds; ${[...total]
    .map(([deed, count]) => `${deed} ${count}`)
    .sort()
    .join(', ')}`,
);
