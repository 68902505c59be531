import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { Fixture, type Received, type Supervised } from '../../fixtures/chaos/chaos-fixture.ts';
import {
  addAccount,
  addCampaign,
  addLead,
  addMailbox,
  addWorkflow,
  addWorkspace,
  QUIET,
} from '../../fixtures/engine/rows.ts';
import { judgeLedgers, personOf } from '../judge.ts';
import { ALWAYS, textNode } from '../load.ts';
import { dice, tellSeed } from '../seed.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PAUSE_MS = 6 * HOUR;
/** So long after the first text people answer at most: some when the second one has gone out. */
const ANSWERS_WITHIN_MS = 9 * HOUR;
/** Who answered so long before gets nothing more: a conversation that was read within five minutes counts as fresh. */
const SEEN_AFTER_MS = 15 * MINUTE;
const SPEED = 600;
/** Longest time between two kills, real ms. */
const BETWEEN_MS = 1_200;
const PEOPLE = 120;
const KILLS = 150;

interface Person {
  publicId: string;
  leadId: string;
  channel: 'network' | 'mail';
  /** How long after a text; null: never. */
  answersAfterMs: number | null;
}

/** Each answer is there once; it ended what was planned for who gave it, and nobody else misses a text. @throws AssertionError */
function judge(person: Person, own: readonly Received[], got: readonly { at: number }[]): void {
  const told = JSON.stringify({ person, own, got });
  expect(got.length, told).to.equal(answersOf(person, own));
  const [first, second] = own.map((one) => Date.parse(one.at));
  expect(first, told).to.not.equal(undefined);
  const answer = got[0]?.at;
  if (answer === undefined) expect(second, told).to.not.equal(undefined);
  else if (second !== undefined) expect(second, told).to.be.lessThan(answer + SEEN_AFTER_MS);
}

/** Answers that a person gives to these texts: to each mail, and to the first message. */
function answersOf({ channel, answersAfterMs }: Person, own: readonly Received[]): number {
  if (answersAfterMs === null) return 0;
  return channel === 'mail' ? own.length : 1;
}

describe('chaos: replies', function () {
  this.timeout(1_800_000);
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open();
  });
  afterEach(async function () {
    tellSeed.call(this);
    await fixture.close();
  });

  /** Half of them are written to by mail, and two of three answer. */
  async function people(ws: string, random: () => number): Promise<Person[]> {
    const all: Person[] = [];
    for (let index = 0; index < PEOPLE; index++) {
      const publicId = `l-${randomUUID().slice(0, 8)}`;
      const email = `${publicId}@load.example`;
      const channel = index % 2 === 0 ? 'network' : 'mail';
      const answersAfterMs = index % 3 === 0 ? null : Math.round(MINUTE + random() * ANSWERS_WITHIN_MS);
      const answer = answersAfterMs === null ? {} : { replyAfterMs: answersAfterMs };
      const reply = answersAfterMs === null ? 'none' : 'positive';
      await fixture.steer('POST', 'people', {
        publicId,
        behaviour: { connected: true, reply, replyToMessage: 1, ...answer },
      });
      const replyText = answersAfterMs === null ? '' : 'Sounds good, tell me more.';
      await fixture.steer('POST', 'mail-people', { address: email, behaviour: { ...QUIET, ...answer, replyText } });
      const leadId = await addLead(fixture.app, ws, { profileId: publicId, firstName: `L${index}`, email });
      all.push({ publicId, leadId, channel, answersAfterMs });
    }
    return all;
  }

  async function enrolAll(ws: string, all: readonly Person[]): Promise<void> {
    const camp = await addCampaign(fixture.app, ws, {
      businessHours: ALWAYS,
      contactPolicy: { minDaysBetweenTouches: 0 },
    });
    const pause = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: PAUSE_MS } };
    const edges = [
      { sourceIndex: 0, targetIndex: 1 },
      { sourceIndex: 1, targetIndex: 2 },
    ];
    for (const channel of ['network', 'mail'] as const) {
      const nodes = [textNode(channel, 'first {{lead:firstName}}'), pause, textNode(channel, 'second')];
      const workflowId = await addWorkflow(fixture.app, ws, camp, { nodes, edges });
      const leads = all.filter((one) => one.channel === channel).map(({ leadId }) => ({ leadId, runId: randomUUID() }));
      await fixture.app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
        enrolLeads(tx, { workspaceId: ws, workflowId, now: fixture.clock.now(), leads, source: 'trigger' }),
      );
    }
  }

  /** Kills one of them now and then. */
  async function strike(executors: readonly Supervised[], random: () => number): Promise<void> {
    for (let kills = 0; kills < KILLS; kills++) {
      await sleepReal(random() * BETWEEN_MS);
      executors[Math.floor(random() * executors.length)]?.kill('SIGKILL');
    }
  }

  it(`killed ${KILLS} times while people answer, who works and who reads inboxes: every answer is read once and ends what was planned`, async () => {
    const ws = await addWorkspace(fixture.app);
    for (let index = 0; index < 6; index++) await addAccount(fixture.app, [ws]);
    for (let index = 0; index < 6; index++) await addMailbox(fixture.app, ws, fixture.sandbox.mail);
    const random = dice('replies');
    const all = await people(ws, random);
    await enrolAll(ws, all);
    await fixture.steer('POST', 'faults', [
      { action: 'list', kind: 'error', rate: 0.05 },
      { action: 'list', kind: 'lost_answer', rate: 0.03 },
      { action: 'message', kind: 'lost_answer', rate: 0.05 },
      { action: 'mail', kind: 'lost_answer', rate: 0.05 },
    ]);
    await fixture.clock.setSpeed(SPEED);
    const executors = [
      fixture.supervise({ workspace: ws }, 'pod'),
      fixture.supervise({ accounts: true }, 'pod-accounts'),
    ];
    await strike(executors, random);
    await fixture.until(
      'all runs end',
      async () => (await fixture.query('select 1 from run where ended_at is null limit 1')).length === 0,
      200_000,
    );
    const answered = async (): Promise<{ person: string; at: number }[]> =>
      fixture.query(
        `select l.profile_id as person, m.sent_at::float8 as at from message m join conversation c on c.id = m.conversation_id
           join lead l on l.person_id = c.person_id where m.direction = 'in' order by m.sent_at`,
      );
    const received = (await fixture.received()).filter((one) => one.kind === 'message' || one.kind === 'mail');
    const texts = Map.groupBy(received, personOf);
    const expected = all.reduce((sum, one) => sum + answersOf(one, texts.get(one.publicId) ?? []), 0);
    await fixture.until('all answers are read', async () => (await answered()).length >= expected, 200_000);
    for (const one of executors) await one.stop();
    await judgeLedgers(fixture, ws);
    const answers = Map.groupBy(await answered(), (one) => one.person);
    for (const one of all) judge(one, texts.get(one.publicId) ?? [], answers.get(one.publicId) ?? []);
    console.log(`      ${all.length} people, ${received.length} texts, ${expected} answers`);
  });
});
