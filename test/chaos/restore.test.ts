import { expect } from 'chai';
import { RestoreFixture, wanted } from '../fixtures/chaos/restore-fixture.ts';
import { tellSeed } from './seed.ts';

const PEOPLE = 8;

describe('restore safety: a restored backup sends nothing before outrider reconcile', function () {
  this.timeout(180_000);
  let place: RestoreFixture;
  beforeEach(async () => {
    place = await RestoreFixture.open();
    await place.campaign(PEOPLE);
    await place.fixture.until('the operator guards the database', async () => {
      const rows = await place.fixture.query('select 1 from restore_guard where checked_start is not null');
      return rows.length > 0;
    });
  });
  afterEach(async function () {
    tellSeed.call(this);
    await place.close();
  });

  async function everyTextOnce(): Promise<void> {
    const sent = await place.finish();
    expect(new Set(sent.map((one) => one.split(' ')[0])).size).to.equal(place.people);
    expect(sent).to.deep.equal(wanted(sent));
  }

  const backUp = async (): Promise<void> => {
    await place.cluster.stopOperator();
    await place.postgres.backup();
    await place.cluster.backup();
    await place.cluster.operate();
  };

  it('Postgres alone: the epoch outside is ahead', async () => {
    await place.sendUntil(4);
    await backUp();
    await place.sendUntil(11);
    await place.rounds(2);
    await place.cluster.stopOperator();
    const before = await place.sent();
    await place.postgres.restore();

    expect(await place.startFrozen()).to.match(
      /epoch \d+, lease says \d+.*restored from a backup.*Run: outrider reconcile/,
    );
    expect(await place.sent()).to.deep.equal(before);
    const condition = await place.fixture.untilFound('the condition shows', async () => {
      const found = await place.cluster.find('Workspace', 'acme');
      const conditions = (found?.status as { conditions?: { type: string; reason: string }[] })?.conditions ?? [];
      return conditions.find((one) => one.type === 'SendsFrozen');
    });
    expect(condition.reason).to.equal('RestoreUnreconciled');
    expect(await place.cluster.metrics()).to.include('outrider_restore_freeze 1');

    const dry = await place.reconcile('--dry-run');
    expect(dry.code).to.equal(2);
    expect(await place.frozen()).to.be.a('string');
    const { code, output } = await place.reconcile();
    expect(output).to.match(/taken over as flow\/(one|two)/);
    expect(code, output).to.equal(0);
    await everyTextOnce();
    await place.rounds(1);
    expect(await place.frozen()).to.equal(undefined);
  });

  it('the resources alone: an object is older than its row', async () => {
    await place.sendUntil(4);
    await backUp();
    await place.applyWorkflow('renamed');
    await place.fixture.until(
      'the change is in the rows',
      async () => (await place.fixture.query(`select 1 from workflow where name = 'renamed'`)).length > 0,
    );
    await place.sendUntil(9);
    await place.cluster.stopOperator();
    const before = await place.sent();
    await place.cluster.restore();

    expect(await place.startFrozen()).to.match(/Workflow flow.*restored from a backup/);
    expect(await place.sent()).to.deep.equal(before);
    const { code, output } = await place.reconcile();
    expect(output).to.match(/Workflow flow {2}row generation 2, resource generation 1/);
    expect(code, output).to.equal(0);
    await place.fixture.until(
      'the row shows the resource',
      async () => (await place.fixture.query(`select 1 from workflow where name = 'W'`)).length > 0,
    );
    await everyTextOnce();
  });

  it('both, with people whom the backup does not know: the provider shows what the ledger lacks', async () => {
    await place.sendUntil(4);
    await backUp();
    const later = await place.enrol(3);
    await place.sendUntil(16);
    await place.cluster.stopOperator();
    const before = await place.sent();
    await place.postgres.restore();
    await place.cluster.restore();

    expect(await place.startFrozen()).to.match(/sends of account .* that the ledger lacks.*outrider reconcile/);
    expect(await place.sent()).to.deep.equal(before);
    const { code, output } = await place.reconcile();
    expect(code, output).to.equal(0);
    await place.importPeople(later);
    const sent = await place.finish();
    expect(sent, 'nobody twice').to.deep.equal([...new Set(sent)]);
    // Whom the backup forgot after a contact is not contacted again within recontactAfterDays; all others get both texts.
    const contacted = later.filter((publicId) => before.some((one) => one.includes(`/${publicId} `)));
    const others = sent.filter((one) => !contacted.some((publicId) => one.includes(`/${publicId} `)));
    expect(others).to.deep.equal(wanted(others));
    expect(new Set(others.map((one) => one.split(' ')[0])).size).to.equal(place.people - contacted.length);
  });

  it('a plain restart and a crash of Postgres go on without a person', async () => {
    await place.sendUntil(3);
    await place.postgres.restart();
    await place.sendUntil(8);
    await place.postgres.crash();
    await everyTextOnce();
    expect(await place.frozen()).to.equal(undefined);
  });
});
