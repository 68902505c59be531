import { expect } from 'chai';
import type { ApiObject } from '../../../pkg/api/object.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { projectCampaign } from '../../../pkg/store/resources/project-campaign.ts';
import {
  projectWorkflow,
  tombstoneWorkflow,
  type WorkflowContext,
} from '../../../pkg/store/resources/project-workflow.ts';
import { projectWorkspace } from '../../../pkg/store/resources/project-workspace.ts';
import { confirmAdoption, noteRefused, RowsOfAnother, refusedAdoptions } from '../../../pkg/store/restore/adoption.ts';
import { bringBack, reviveRuns } from '../../../pkg/store/restore/bring-back.ts';
import { settleBehind } from '../../../pkg/store/restore/restore-lift.ts';
import { deletedObjects, manifestOf } from '../../../pkg/store/restore/spec-of-rows.ts';
import { testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const tool: WorkflowContext = {
  now: NOW,
  homeNamespace: 'outrider',
  ids: systemIds,
  checker: { version: 'v1', problemsOf: () => [] },
};
/** The controller of an object whose parent has the same number of life. */
const seen = (life: number, parent?: string, deletedUids: string[] = []): WorkflowContext => ({
  ...tool,
  parentUid: parent && `${parent}-${life}`,
  live: { deletedUids },
});

/** An object in its n-th life: the same name and spec, another uid. */
function object(name: string, spec: object, life: number): ApiObject {
  const creationTimestamp = new Date(Date.UTC(2026, 0, life)).toISOString();
  return { metadata: { name, namespace: 'outrider', uid: `${name}-${life}`, generation: 1, creationTimestamp }, spec };
}
const workspace = (life: number, spec: object = {}): ApiObject =>
  object('acme', { displayName: 'Acme', owner: 'Owner@acme.example', agencyId: 'blue', ...spec }, life);
const campaign = (life: number): ApiObject => object('camp', { workspaceRef: { name: 'acme' }, title: 'T' }, life);
const graph = { nodes: [{ nodeType: 'network:message', label: 'Hello' }], edges: [] };
const workflow = (life: number, campaignRef = 'camp'): ApiObject =>
  object('flow', { campaignRef: { name: campaignRef }, name: 'W', enabled: true, graph }, life);

describe('adoption: an object that is lost without a seen deletion is the same one made anew', () => {
  let db: Database;
  beforeEach(async () => {
    const { appUrl } = await (await testPostgres()).product();
    db = new Database({ url: appUrl, max: 2, applicationName: 'test' });
    await tx(async (t) => {
      await projectWorkspace(t, workspace(2), seen(2));
      await projectCampaign(t, campaign(2), seen(2, 'acme'));
      await projectWorkflow(t, workflow(2), seen(2, 'camp'));
      await t.exec(
        `insert into run (
           id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at
         )
         values (gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'hello', 'waiting', 7, 1, 1)`,
      );
    });
  });
  afterEach(() => db.close());

  const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'platform' }, work);
  const one = <T>(sql: string): Promise<T> => tx(async (t) => (await t.row<T>(sql)) as T);
  const run = (): Promise<object> => one('select state, due_at, end_reason from run');
  const uids = (): Promise<object> =>
    one(`select w.uid as workspace, c.uid as campaign, f.uid as workflow from workspace w, campaign c, workflow f
         where w.deleted_at is null and c.deleted_at is null and f.deleted_at is null`);
  const WAITS = { state: 'waiting', due_at: 7, end_reason: null };
  const life = (n: number): object => ({ workspace: `acme-${n}`, campaign: `camp-${n}`, workflow: `flow-${n}` });
  const all = async (n: number): Promise<void> => {
    await tx((t) => projectWorkspace(t, workspace(n), seen(n)));
    await tx((t) => projectCampaign(t, campaign(n), seen(n, 'acme')));
    await tx((t) => projectWorkflow(t, workflow(n), seen(n, 'camp')));
  };
  const refusal = (work: (t: Tx) => Promise<unknown>): Promise<unknown> =>
    tx(work).then(
      () => 'nothing was refused',
      (error: unknown) => error,
    );

  it('its runs go on: objects of a new cluster with new uids', async () => {
    await all(3);
    expect(await uids()).to.deep.equal(life(3));
    expect(await run()).to.deep.equal(WAITS);
    expect(await one('select state, graph_version, enabled from campaign c, workflow w')).to.deep.equal({
      state: 'active',
      graph_version: 1,
      enabled: true,
    });
  });

  it('its runs go on: objects of a cluster that is older than the rows', async () => {
    await all(1);
    expect(await uids()).to.deep.equal(life(1));
    expect(await run()).to.deep.equal(WAITS);
  });

  it('what a reconciliation held back for want of its object goes on when it is applied again', async () => {
    const behind = [
      { kind: 'Workflow', id: 'flow', uid: 'flow-2', rowGeneration: 1, liveGeneration: null },
      { kind: 'Campaign', id: 'camp', uid: 'camp-2', rowGeneration: 1, liveGeneration: null },
    ];
    await tx(async (t) => {
      await t.exec(`update restore_guard set outside = $1`, [JSON.stringify({ resources: behind })]);
      await settleBehind(t, { dryRun: false, now: NOW });
      await t.exec(
        `insert into hold (workspace_id, kind, id, reason, held_by, created_at)
         values ('acme', 'workspace', 'acme', 'a complaint', 'ann', 1)`,
      );
    });
    await all(3);
    const holds = await tx((t) => t.rows('select kind, held_by from hold'));
    expect(holds, 'a stop by a tool stays').to.deep.equal([{ kind: 'workspace', held_by: 'ann' }]);
  });

  for (const [what, spec] of [
    ['owner', { owner: 'stranger@other.example' }],
    ['agency', { agencyId: 'red' }],
  ] as const) {
    it(`the rows of another ${what} are not inherited, nor ended, before a platform admin confirms this very object`, async () => {
      const stranger = (n: number) => (t: Tx) =>
        projectWorkspace(t, workspace(n, spec), seen(n, undefined, ['acme-2']));
      const refused = await refusal(stranger(3));
      if (!(refused instanceof RowsOfAnother)) throw new Error(`no refusal: ${refused}`);
      expect(refused.reason).to.equal('NameTaken');
      expect(refused.message).to.include('outrider adopt acme');
      expect(await uids()).to.deep.equal(life(2));
      expect(await run()).to.deep.equal(WAITS);
      // What is below it waits for it.
      expect(await refusal((t) => projectCampaign(t, campaign(3), seen(3, 'acme')))).to.include({
        reason: 'RefNotFound',
      });
      expect(await tx((t) => confirmAdoption(t, 'acme', NOW)), 'nothing to confirm yet').to.equal(false);
      await tx((t) => noteRefused(t, refused.asking));
      expect(await tx(refusedAdoptions)).to.have.length(1);
      expect(await tx((t) => confirmAdoption(t, 'acme', NOW))).to.equal(true);
      expect(await refusal(stranger(4)), 'another object').to.include({ reason: 'NameTaken' });
      await tx((t) => projectWorkspace(t, workspace(3, spec), seen(3)));
      await tx((t) => projectCampaign(t, campaign(3), seen(3, 'acme')));
      await tx((t) => projectWorkflow(t, workflow(3), seen(3, 'camp')));
      expect(await uids()).to.deep.equal(life(3));
      expect(await run()).to.deep.equal(WAITS);
      expect(await tx(refusedAdoptions)).to.deep.equal([]);
    });
  }

  it('a deletion that was seen ends the runs, and one that is held does not', async () => {
    await tx((t) =>
      t.exec(
        `insert into held_deletion (kind, id, workspace_id, uid, reason, held_at)
         values ('Workflow', 'flow', 'acme', 'flow-2', 'all at once', 1)`,
      ),
    );
    await tx((t) => projectWorkflow(t, workflow(3), seen(2, 'camp', ['flow-2'])));
    expect(await run()).to.deep.equal(WAITS);
    expect(await one('select count(*)::int as n from held_deletion')).to.deep.equal({ n: 0 });
    await tx((t) => projectWorkflow(t, workflow(4), seen(2, 'camp', ['flow-2', 'flow-3'])));
    expect(await run()).to.include({ state: 'stopped', end_reason: 'the workflow was deleted' });
    expect(await uids()).to.include({ workflow: 'flow-4' });
  });

  it('a workflow that was deleted comes back with the runs that its deletion ended, and no others', async () => {
    await tx(async (t) => {
      await t.exec(
        `insert into run (
           id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at,
           ended_at, end_reason
         )
         values (gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'hello', 'stopped', 1, 1, 2, 'by hand')`,
      );
      await tombstoneWorkflow(t, 'flow', NOW);
    });
    expect((await tx(deletedObjects)).map(({ id, runs }) => ({ id, runs }))).to.deep.equal([{ id: 'flow', runs: 1 }]);
    expect(await tx((t) => bringBack(t, 'Workflow', 'flow', NOW + 1))).to.deep.equal({
      toApply: [{ kind: 'Workflow', id: 'flow' }],
      workflows: ['flow'],
    });
    expect(await tx((t) => reviveRuns(t, 'flow', NOW + 1))).to.equal(1);
    expect(await tx((t) => reviveRuns(t, 'flow', NOW + 1)), 'again').to.equal(0);
    expect(await one('select held_by from hold'), 'until its object is applied').to.deep.equal({
      held_by: 'outrider deletions',
    });
    const manifest = await tx((t) => manifestOf(t, 'Workflow', 'flow', 'outrider'));
    expect(manifest?.spec).to.deep.include({ campaignRef: { name: 'camp' }, name: 'W', enabled: true });
    const again = { ...workflow(3), spec: manifest?.spec };
    await tx((t) => projectWorkflow(t, again, seen(2, 'camp', ['flow-2'])));
    expect(await tx((t) => t.rows('select state, end_reason from run order by state desc'))).to.deep.equal([
      { state: 'waiting', end_reason: null },
      { state: 'stopped', end_reason: 'by hand' },
    ]);
    expect(await one('select enabled, graph_version from workflow')).to.deep.equal({ enabled: true, graph_version: 1 });
    expect(await tx((t) => t.rows('select 1 from hold union all select 1 from held_deletion'))).to.deep.equal([]);
  });

  it('live runs belong to a campaign: under another one the name is taken', async () => {
    await tx((t) => projectCampaign(t, { ...campaign(2), metadata: { ...campaign(2).metadata, name: 'two' } }, tool));
    const refused = await refusal((t) =>
      projectWorkflow(t, workflow(3, 'two'), { ...tool, live: { deletedUids: [] } }),
    );
    expect(refused).to.include({ reason: 'NameTaken' });
    expect(await run()).to.deep.equal(WAITS);
  });

  it('a tool puts no object in the place of another: it is told to wait for the operator', async () => {
    for (const work of [
      (t: Tx) => projectWorkspace(t, workspace(3), tool),
      (t: Tx) => projectCampaign(t, campaign(3), tool),
      (t: Tx) => projectWorkflow(t, workflow(3), tool),
    ])
      expect(await refusal(work)).to.include({ reason: 'NameTaken' });
    expect(await tx((t) => projectWorkflow(t, workflow(1), tool)), 'an event of an earlier object').to.equal('stale');
    expect(await uids()).to.deep.equal(life(2));
  });
});
