import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { dispatchSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, openBench } from '../../fixtures/engine/harness.ts';
import { type LedgerCase, openCase } from '../../fixtures/engine/ledger-case.ts';
import { ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount, addCampaign, addWorkflow } from '../../fixtures/engine/rows.ts';

const DAY = 86_400_000;

/** SQL of what happens in a {@link LedgerCase}. */
type Event = readonly [what: string, sql: string];

const hold = (kind: string, id: string): string =>
  `insert into hold (workspace_id, kind, id, reason, held_by, created_at) values (:ws, '${kind}', ${id}, 'x', 'x', 1)`;
const holdRuns = `insert into hold (workspace_id, kind, id, reason, held_by, created_at)
  select :ws, 'run', r::text, 'x', 'x', 1 from unnest(:runs) r`;
const freeze = (scope: string, target: string, more = ''): string =>
  `insert into send_freeze (id, scope, target, reason, frozen_by, since, until, channel)
   select gen_random_uuid(), '${scope}', ${target}, 'x', 'x', 1, ${more || `null, ''`}`;
const suppression = (columns: string, values: string): string =>
  `insert into suppression (id, workspace_id, kind, value, source, reason, created_at, ${columns})
   select gen_random_uuid(), :ws, 'profile', l.profile_id, 'manual', 'x', 1, ${values}
   from lead l join run r on r.lead_id = l.id where r.id = any (:runs)`;
const reply = (facts: object): string => `update run set facts = '${JSON.stringify(facts)}' where id = any (:runs)`;
const contact = (ago: number): string =>
  `insert into contact_log (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches)
   select person_id, :ws, :camp, 'another', :account, :now - ${ago}, 1 from run where id = any (:runs)`;
const mailbox = `update network_account set kind = 'mail' where id = :account`;
const elsewhere = `insert into workspace (id, uid, name, created_at, updated_at) values (:ws || 'b', 'b', 'b', 1, 1)`;
const rests = `update network_account set cooldown_until = :now + ${DAY} where id = :account`;
const claimed = (change: string): string =>
  `update contact_claim set run_id = gen_random_uuid(), ${change} where run_id = any (:runs)`;

/** What stops a send, before its claim and between claim and dispatch. */
const STOPS: Readonly<Record<string, readonly Event[]>> = {
  gone: [
    ['the run ended', `update run set state = 'stopped', ended_at = 1 where id = any (:runs)`],
    ['the run is paused', `update run set state = 'paused' where id = any (:runs)`],
  ],
  send_freeze: [
    ['a hold of the run', holdRuns],
    ['a hold of the workflow', hold('workflow', ':flow')],
    ['a hold of the campaign', hold('campaign', ':camp')],
    ['a hold of the workspace', hold('workspace', ':ws')],
    ['a suspended workspace', `update workspace set operating_mode = 'Suspended' where id = :ws`],
    ['a deleted workspace', `update workspace set deleted_at = 1 where id = :ws`],
    ['a paused campaign', `update campaign set state = 'paused' where id = :camp`],
    ['a deleted campaign', `update campaign set deleted_at = 1 where id = :camp`],
    ['a disabled workflow', `update workflow set enabled = false where id = :flow`],
    ['a deleted workflow', `update workflow set deleted_at = 1 where id = :flow`],
    ['a freeze of the workspace', freeze('workspace', ':ws')],
    ['a freeze of the account', freeze('account', ':account')],
    ['a freeze of the network', freeze('workspace', ':ws', `null, 'network'`)],
    ['a freeze until tomorrow', freeze('workspace', ':ws', `:now + ${DAY}, ''`)],
    ['a freeze of mail and an account that is a mailbox', `${mailbox}; ${freeze('workspace', ':ws', `null, 'mail'`)}`],
  ],
  account_unhealthy: [
    [
      'an account whose session is gone',
      `update network_account set status = 'credentials_expired' where id = :account`,
    ],
    ['a paused account', `update network_account set paused = true where id = :account`],
    [
      'an account that the workspace paused for itself',
      `update account_link set paused = true where account_id = :account`,
    ],
    ['an account that rests', `update network_account set cooldown_until = :now + 1 where id = :account`],
    ['an account that is not linked any more', `delete from account_link where account_id = :account`],
    [
      'an account that is linked to another workspace only',
      `${elsewhere}; update account_link set workspace_id = :ws || 'b' where account_id = :account`,
    ],
  ],
  suppressed: [
    ['a suppression of the workspace', suppression('level', `'workspace'`)],
    ['a suppression of the campaign', suppression('level, campaign_id', `'campaign', :camp`)],
  ],
  replied: [
    ['a reply', reply({ replied: true })],
    ['a reply that says no', reply({ replied: true, replyClass: 'negative' })],
  ],
};

/** What stops a claim: between claim and dispatch nobody else can take what the claim holds. */
const AT_CLAIM: Readonly<Record<string, readonly Event[]>> = {
  already_sent: [
    [
      'the key of this node and person is taken',
      `insert into send_key (key, person_id, workspace_id, send_id, taken_at)
       select 'm:' || person_id || ':' || workflow_id || ':n0', person_id, :ws, gen_random_uuid(), 1 from run where id = any (:runs)`,
    ],
  ],
  recontact: [['another workflow wrote within recontactAfterDays', contact(89 * DAY)]],
  claim_held_elsewhere: [
    ['another run holds the contact claim', claimed('released_at = null')],
    ['the contact claim of another run cools down', claimed(`released_at = 1, cool_until = :now + 1`)],
  ],
};

/** What looks like a stop and is none. */
const NO_STOPS: readonly Event[] = [
  ['a freeze that is over', freeze('workspace', ':ws', `:now, ''`)],
  ['a freeze of mail', freeze('workspace', ':ws', `null, 'mail'`)],
  [
    'a freeze of the network and an account that is a mailbox',
    `${mailbox}; ${freeze('workspace', ':ws', `null, 'network'`)}`,
  ],
  ['a hold of another run', hold('run', `'00000000-0000-7000-8000-000000000000'`)],
  ['an account that has rested', `update network_account set cooldown_until = :now where id = :account`],
  ['a suppression that is over', suppression('level, expires_at', `'workspace', :now`)],
  ['a suppression of another campaign', suppression('level, campaign_id', `'campaign', 'another'`)],
  ['an absence note', reply({ replied: true, replyClass: 'out_of_office' })],
  ['the contact claim of another run that has cooled down', claimed(`released_at = 1, cool_until = :now`)],
  ['a contact before recontactAfterDays', contact(90 * DAY)],
];

/** When it is worth asking again after a stop, in ms from now; null when nobody knows. */
const NEXT: readonly (readonly [what: string, sql: string, after: number | null])[] = [
  ['a freeze until tomorrow', freeze('workspace', ':ws', `:now + ${DAY}, ''`), DAY],
  [
    'the longer of two freezes',
    `${freeze('account', ':account', `:now + ${2 * DAY}, ''`)}; ${freeze('workspace', ':ws', `:now + ${DAY}, ''`)}`,
    2 * DAY,
  ],
  [
    'a freeze without end beside one until tomorrow',
    `${freeze('account', ':account')}; ${freeze('workspace', ':ws', `:now + ${DAY}, ''`)}`,
    null,
  ],
  ['a freeze of mail without end', `${mailbox}; ${freeze('workspace', ':ws', `null, 'mail'`)}`, 15 * 60_000],
  ['a paused campaign', `update campaign set state = 'paused' where id = :camp`, null],
  ['an account that rests', rests, DAY],
  ['a paused account that rests', `${rests}; update network_account set paused = true where id = :account`, null],
  [
    'a contact claim that cools down',
    `update contact_claim set run_id = gen_random_uuid(), released_at = 1, cool_until = :now + ${DAY} where run_id = any (:runs)`,
    DAY,
  ],
  ['a reply', reply({ replied: true }), null],
  ['a suppression', suppression('level', `'workspace'`), null],
];

describe('send ledger: every stop, at the claim and at the dispatch', function () {
  this.timeout(120_000);
  let bench: Bench;
  let owner: Database;
  before(async () => {
    bench = await openBench();
    owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
  });
  after(async () => {
    await owner.close();
    await bench.close();
  });
  const { claim, request, runs, used } = ledgerTools(() => bench);
  const open = (settings: object = {}): Promise<LedgerCase> => openCase(bench, owner, settings);
  /** Units of the account and keys of the two people that are taken. */
  const taken = async ({ account, one, other }: LedgerCase): Promise<number> => {
    const keys = await owner.tx({ kind: 'none' }, (tx) =>
      tx.rows('select 1 from send_key where send_id in ($1, $2)', [one.sendId, other.sendId]),
    );
    return keys.length + (await used(account, 'message'));
  };

  for (const [refusal, events] of Object.entries(AT_CLAIM)) {
    for (const [what, sql] of events) {
      it(`${what}: the claim is refused (${refusal}) and takes nothing`, async () => {
        const given = await open();
        await given.happen(sql);
        expect((await claim(given.at, [given.one]))[0]).to.include({ granted: false, refusal });
        expect(await taken(given)).to.equal(0);
      });
    }
  }

  for (const [refusal, events] of Object.entries(STOPS)) {
    for (const [what, sql] of events) {
      it(`${what} stops the dispatch and the next claim (${refusal}), and nothing stays taken`, async () => {
        const given = await open();
        expect((await claim(given.at, [given.one]))[0]).to.include({ granted: true });
        await given.happen(sql);
        expect(await given.dispatch()).to.include({ dispatched: false, refusal });
        expect((await claim(given.at, [given.other]))[0]).to.include({ granted: false, refusal });
        expect(await taken(given)).to.equal(0);
      });
    }
  }

  for (const [what, sql] of NO_STOPS) {
    it(`${what} stops neither claim nor dispatch`, async () => {
      const given = await open();
      await given.happen(sql);
      expect((await claim(given.at, [given.one]))[0]).to.include({ granted: true });
      expect(await given.dispatch()).to.include({ dispatched: true });
    });
  }

  for (const [what, sql, after] of NEXT) {
    it(`${what} says when to ask again`, async () => {
      const given = await open();
      await given.happen(sql);
      const [answer] = await claim(given.at, [given.one]);
      expect(answer).to.include({ granted: false, nextAt: after === null ? null : bench.clock.now() + after });
    });
  }

  it('an exclusion of one campaign stops a person there, and not in another campaign of the same batch', async () => {
    const given = await open();
    const { ws } = given.at;
    const camp = await addCampaign(bench.app, ws, { contactPolicy: { minDaysBetweenTouches: 0 } });
    const flow = await addWorkflow(bench.app, ws, camp, { nodes: [{ nodeType: 'network:profile_view' }], edges: [] });
    const account = await addAccount(bench.app, [ws]);
    const [first, second] = (await runs({ ...given.at, camp, flow }, 2, flow)).map((id) => request(id, account));
    if (!first || !second) throw new Error('nobody was enrolled');
    // A campaign takes who is in no other: the same people come to both when two of their leads are merged.
    for (const [mine, theirs] of [[first, given.one] as const, [second, given.other] as const]) {
      await given.happen(
        `update run set (lead_id, person_id) = (select lead_id, person_id from run where id = '${theirs.runId}')
         where id = '${mine.runId}'`,
      );
    }
    const [here, there] = [request(given.one.runId, given.account), first];
    for (const one of [here, there]) {
      await given.happen('delete from contact_claim');
      expect((await claim(given.at, [one]))[0]).to.include({ granted: true });
    }
    await given.happen('delete from contact_claim');
    await given.happen(suppression('level, campaign_id', `'campaign', :camp`));
    const dispatched = await given.at.claim.tx((tx) =>
      dispatchSends(tx, bench.clock.now(), [here.sendId, there.sendId]),
    );
    const refusals = new Map(dispatched.map(({ sendId, refusal }) => [sendId, refusal]));
    expect([here, there].map(({ sendId }) => refusals.get(sendId))).to.deep.equal(['suppressed', null]);
    await bench.clock.advance(DAY);
    const answers = await claim(given.at, [request(given.other.runId, given.account), second]);
    const byRun = new Map(answers.map((answer) => [answer.runId, answer.refusal]));
    expect([given.other, second].map(({ runId }) => byRun.get(runId))).to.deep.equal(['suppressed', null]);
  });

  it('a freeze of the platform stops claim and dispatch in every workspace', async () => {
    const given = await open();
    expect((await claim(given.at, [given.one]))[0]).to.include({ granted: true });
    await given.happen(freeze('platform', `''`));
    expect(await given.dispatch()).to.include({ dispatched: false, refusal: 'send_freeze' });
    expect((await claim(given.at, [given.other]))[0]).to.include({ granted: false, refusal: 'send_freeze' });
    await given.happen(`delete from send_freeze where scope = 'platform'`);
  });

  it('a reply stops nothing where the campaign says so (stopOnReply: false)', async () => {
    const given = await open({ stopOnReply: false });
    await given.happen(reply({ replied: true, replyClass: 'positive' }));
    expect((await claim(given.at, [given.one]))[0]).to.include({ granted: true });
    expect(await given.dispatch()).to.include({ dispatched: true });
  });

  it('the recontact cool-down binds what a person feels, not a look at the profile', async () => {
    const given = await open();
    await given.happen(contact(DAY));
    const look = { ...given.one, action: 'profile_view', budgets: ['profile_view'] };
    expect((await claim(given.at, [look]))[0]).to.include({ granted: true });
  });
});
