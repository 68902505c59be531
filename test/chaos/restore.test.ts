import { expect } from 'chai';
import { RestoreFixture, wanted } from '../fixtures/chaos/restore-fixture.ts';
import { tellSeed } from './seed.ts';

const PEOPLE = 8;

interface Item {
  kind: string;
  metadata: { ownerReferences?: object[] };
}
interface Stalled {
  conditions?: { type: string; reason: string }[];
}

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

  /** What is in force: objects and rows of the three, and nothing rests. */
  const inForce = (): Promise<void> =>
    place.fixture.until('all is in force', async () => {
      const rows = await place.fixture.query<{ uid: string }>(
        `select f.uid from workflow f
         where f.deleted_at is null and not exists (select 1 from hold) and not exists (select 1 from held_deletion)`,
      );
      return rows[0] !== undefined && rows[0].uid === (await place.cluster.find('Workflow', 'flow'))?.metadata.uid;
    });
  /** A new cluster, in which nobody can know what the former did. */
  const newCluster = async (): Promise<string[]> => {
    await place.sendUntil(6);
    // The Lease carries the epoch: nobody could miss what was never kept there.
    await place.rounds(2);
    await place.cluster.stopOperator();
    await place.cluster.renew();
    return place.sent();
  };

  it('a new cluster, to which Git applies the same manifests: also after a reconciliation that met none of them', async () => {
    const before = await newCluster();
    expect(await place.startFrozen()).to.match(/epoch kept in lease is gone.*outrider reconcile/);
    const { code, output } = await place.reconcile();
    expect(output).to.match(/Workflow flow .*resource gone: held/);
    expect(code, output).to.equal(0);
    expect(await place.sent()).to.deep.equal(before);
    expect((await place.outrider('deletions')).output).to.match(/held +workspace acme .*it was gone after a restore/);
    await place.manifests();
    await inForce();
    await everyTextOnce();
  });

  it('a new cluster, to which the backup file of a version with owners is applied: what the garbage collector takes comes back', async () => {
    const kinds = 'workspaces.outrider.dev,campaigns.outrider.dev,workflows.outrider.dev';
    const file = JSON.parse(await place.cluster.kubectl(['get', kinds, '-A', '-o', 'json'])) as { items: Item[] };
    const before = await newCluster();
    for (const { kind, metadata } of file.items) {
      const owner = { Campaign: ['Workspace', 'acme'], Workflow: ['Campaign', 'camp'] }[kind];
      const [of, name] = owner ?? [];
      const dead = { apiVersion: 'outrider.dev/v1alpha1', kind: of, name, uid: `dead-${name}`, controller: true };
      if (owner) metadata.ownerReferences = [dead];
    }
    const documents = file.items.map((item) => `---\n${JSON.stringify(item)}\n`).join('');
    await place.cluster.kubectl(['apply', '-f', '-'], documents);
    await place.startFrozen();
    await place.fixture.until(
      'the garbage collector was there',
      async () => (await place.cluster.find('Workflow', 'flow')) === undefined,
    );
    const { code, output } = await place.reconcile();
    expect(code, output).to.equal(0);
    expect(await place.sent()).to.deep.equal(before);
    const undone = await place.outrider('deletions', 'undo', 'workspace', 'acme');
    expect(undone.code, undone.output).to.equal(0);
    await place.cluster.kubectl(['apply', '-f', '-'], undone.stdout);
    await inForce();
    await everyTextOnce();
  });

  it('a new cluster, in which a stranger has the name first: nothing of the former is theirs, nor ended, and the former goes on', async () => {
    const before = await newCluster();
    await place.startFrozen();
    await place.manifests('stranger@other.example');
    await place.fixture.until('refused', async () => {
      const stalled = (await place.cluster.find('Workflow', 'flow'))?.status as Stalled | undefined;
      return stalled?.conditions?.some(({ type, reason }) => type === 'Stalled' && reason === 'NameTaken') ?? false;
    });
    expect((await place.outrider('adopt')).output).to.match(/acme .*stranger@other.example asks .* of o@acme.example/);
    expect(await place.sent()).to.deep.equal(before);
    await place.cluster.kubectl(['delete', 'ows/acme', 'ocamp/camp', 'owf/flow']);
    await place.manifests();
    const { code, output } = await place.reconcile();
    expect(code, output).to.equal(0);
    await inForce();
    await everyTextOnce();
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
