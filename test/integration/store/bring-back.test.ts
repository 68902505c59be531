import { expect } from 'chai';
import type { ApiObject } from '../../../pkg/api/object.ts';
import type { KindName } from '../../../pkg/api/specs.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { deleteContent } from '../../../pkg/store/campaigns/campaign-content.ts';
import { tombstonePart } from '../../../pkg/store/erasure/tombstones.ts';
import { projectCampaign } from '../../../pkg/store/resources/project-campaign.ts';
import { projectWorkflow, type WorkflowContext } from '../../../pkg/store/resources/project-workflow.ts';
import { projectWorkspace } from '../../../pkg/store/resources/project-workspace.ts';
import { bringBack, reviveRuns, whyNotBack } from '../../../pkg/store/restore/bring-back.ts';
import { heldDeletions } from '../../../pkg/store/restore/held-deletions.ts';
import { deletedObjects, manifestOf } from '../../../pkg/store/restore/spec-of-rows.ts';
import { testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const HOUR = 3_600_000;

describe('what a deletion ended is brought back', () => {
  let db: Database;
  let now: number;
  beforeEach(async () => {
    const { appUrl } = await (await testPostgres()).product();
    db = new Database({ url: appUrl, max: 2, applicationName: 'test' });
    now = NOW;
    await apply(1);
    await tx(async (t) => {
      await t.exec(
        `insert into lead (id, workspace_id, full_name, created_at, updated_at)
         select i, 'acme', 'Jo', 1, 1 from unnest($1::uuid[]) i`,
        [[LEAD, OTHER_LEAD]],
      );
    });
    await enrol(LEAD);
  });
  afterEach(() => db.close());

  const LEAD = '00000000-0000-4000-8000-000000000001';
  const OTHER_LEAD = '00000000-0000-4000-8000-000000000002';
  const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'platform' }, work);
  const rows = <T>(sql: string): Promise<T[]> => tx((t) => t.rows<T>(sql));

  /** What an object of the n-th life is projected with, after the deletion of the one before was seen. */
  const context = (life: number, parent?: string): WorkflowContext => ({
    now,
    homeNamespace: 'outrider',
    ids: systemIds,
    checker: { version: 'v1', problemsOf: () => [] },
    parentUid: parent && `${parent}-${parent === 'acme' ? 1 : life}`,
    live: { deletedUids: ['camp', 'flow', 'alone'].map((name) => `${name}-${life - 1}`) },
  });
  const object = (name: string, spec: object, life: number): ApiObject => {
    const creationTimestamp = new Date(Date.UTC(2026, 0, life)).toISOString();
    return {
      metadata: { name, namespace: 'outrider', uid: `${name}-${life}`, generation: 1, creationTimestamp },
      spec,
    };
  };
  const graph = { nodes: [{ nodeType: 'network:message', label: 'Hello' }], edges: [] };
  const flow = (name: string) => ({ campaignRef: { name: 'camp' }, name, enabled: true, graph });

  /** Git applies the campaign and two workflows, the first time the workspace too. */
  async function apply(life: number, flows = ['flow', 'alone']): Promise<void> {
    if (life === 1)
      await tx((t) =>
        projectWorkspace(t, object('acme', { displayName: 'Acme', owner: 'o@acme.example' }, 1), context(1)),
      );
    await tx((t) =>
      projectCampaign(
        t,
        object('camp', { workspaceRef: { name: 'acme' }, title: 'T', state: 'active' }, life),
        context(life, 'acme'),
      ),
    );
    for (const name of flows)
      await tx((t) => projectWorkflow(t, object(name, flow(name), life), context(life, 'camp')));
  }
  const enrol = (lead: string): Promise<unknown> =>
    tx(async (t) => {
      const entered = await t.rows(
        `select * from app.enrol('acme', 'flow', $1, array[$2::uuid], array[gen_random_uuid()], '', 'named')`,
        [now, lead],
      );
      expect(entered).to.have.length(1);
      return entered;
    });
  const remove = async (kind: KindName, id: string, withParent = false): Promise<void> => {
    now += HOUR;
    while (!(await tx((t) => tombstonePart(t, kind, id, now, { withParent }))));
    now += HOUR;
  };
  /** As kubectl deletes: workflows first, each by its finalizer. */
  const removeCampaign = async (): Promise<void> => {
    for (const name of ['flow', 'alone']) await remove('Workflow', name, true);
    await remove('Campaign', 'camp');
  };
  const undo = (kind: KindName, id: string) => tx((t) => bringBack(t, kind, id, now));
  const revive = async (id: string): Promise<number> => tx((t) => reviveRuns(t, id, now));
  const runs = () =>
    rows<{ state: string; lead_id: string }>(
      'select state, lead_id, due_at, end_reason from run order by started_at, lead_id',
    );
  const claim = () => rows('select released_at is null as held from contact_claim order by taken_at');
  const held = async (): Promise<string[]> =>
    (await tx((t) => heldDeletions(t))).map(({ kind, id }) => `${kind} ${id}`);

  it('a campaign that was deleted alone comes back with its workflows, their runs and contact claims', async () => {
    await tx((t) =>
      t.exec(
        `insert into icp (id, workspace_id, campaign_id, created_at) values (gen_random_uuid(), 'acme', 'camp', 1)`,
      ),
    );
    await removeCampaign();
    expect(await runs()).to.have.nested.property('[0].state', 'stopped');
    expect(await claim()).to.deep.equal([{ held: false }]);
    const listed = await tx((t) => deletedObjects(t, 'acme'));
    expect(listed.map(({ kind, id, runs: n }) => [kind, id, n])).to.deep.equal([['Campaign', 'camp', 1]]);
    const back = await undo('Campaign', 'camp');
    expect(back.toApply.map(({ kind, id }) => `${kind} ${id}`)).to.deep.equal([
      'Campaign camp',
      'Workflow alone',
      'Workflow flow',
    ]);
    expect(await held(), 'nothing acts before they are applied').to.deep.equal([
      'Campaign camp',
      'Workflow alone',
      'Workflow flow',
    ]);
    expect(await revive('flow')).to.equal(1);
    expect(await revive('flow'), 'again').to.equal(0);
    expect(await runs()).to.deep.equal([{ state: 'waiting', lead_id: LEAD, due_at: now, end_reason: null }]);
    expect(await claim()).to.deep.equal([{ held: true }]);
    expect(await rows('select deleted_at from icp')).to.deep.equal([{ deleted_at: null }]);
    for (const [kind, id] of [
      ['Campaign', 'camp'],
      ['Workflow', 'flow'],
    ] as const)
      expect(await tx((t) => manifestOf(t, kind, id, 'outrider')), id).to.have.property('kind', kind);
    await apply(2);
    expect(await held()).to.deep.equal([]);
    expect(await runs()).to.deep.equal([{ state: 'waiting', lead_id: LEAD, due_at: now, end_reason: null }]);
  });

  it('a campaign that GitOps made anew gets the runs that its deletion ended: its objects stay as they are', async () => {
    await removeCampaign();
    await apply(2);
    expect(await runs()).to.have.nested.property('[0].state', 'stopped');
    const listed = await tx((t) => deletedObjects(t));
    expect(listed.map(({ kind, id, madeAnew, runs: n }) => ({ kind, id, madeAnew, n }))).to.deep.equal([
      { kind: 'Workflow', id: 'flow', madeAnew: true, n: 1 },
    ]);
    expect(await undo('Campaign', 'camp')).to.deep.equal({ toApply: [], workflows: ['flow'] });
    expect(await revive('flow')).to.equal(1);
    expect(await runs()).to.deep.equal([{ state: 'waiting', lead_id: LEAD, due_at: now, end_reason: null }]);
    expect(await claim()).to.deep.equal([{ held: true }]);
    expect(await undo('Campaign', 'camp')).to.deep.equal({ toApply: [], workflows: [] });
    expect(await tx((t) => whyNotBack(t, 'Campaign', 'camp'))).to.match(/made anew since.*nothing to bring back/);
  });

  it('a workflow that GitOps made anew gets its own; who was enrolled anew keeps the new run', async () => {
    await enrol(OTHER_LEAD);
    await remove('Workflow', 'flow');
    await apply(2);
    await enrol(LEAD);
    expect(await undo('Workflow', 'flow')).to.deep.equal({ toApply: [], workflows: ['flow'] });
    expect(await revive('flow')).to.equal(1);
    expect((await runs()).map(({ state, lead_id }) => [lead_id, state])).to.deep.equal([
      [LEAD, 'stopped'],
      [OTHER_LEAD, 'waiting'],
      [LEAD, 'queued'],
    ]);
  });

  it('runs that an earlier deletion ended stay ended', async () => {
    await remove('Workflow', 'flow');
    await apply(2);
    await enrol(OTHER_LEAD);
    await remove('Workflow', 'flow');
    await undo('Workflow', 'flow');
    expect(await revive('flow')).to.equal(1);
    expect((await runs()).map(({ state, lead_id }) => [lead_id, state])).to.deep.equal([
      [LEAD, 'stopped'],
      [OTHER_LEAD, 'waiting'],
    ]);
  });

  it('a workflow that was deleted by itself before stays deleted when its campaign comes back', async () => {
    await remove('Workflow', 'alone');
    await remove('Workflow', 'flow', true);
    await remove('Campaign', 'camp');
    const { toApply } = await undo('Campaign', 'camp');
    expect(toApply.map(({ id }) => id)).to.deep.equal(['camp', 'flow']);
  });

  it('a workspace comes back with all that went with it', async () => {
    for (const name of ['flow', 'alone']) await remove('Workflow', name, true);
    await remove('Campaign', 'camp', true);
    await remove('Workspace', 'acme');
    expect(await tx((t) => whyNotBack(t, 'Workflow', 'flow'))).to.include('outrider deletions undo workspace acme');
    const { toApply, workflows } = await undo('Workspace', 'acme');
    expect(toApply.map(({ kind }) => kind)).to.deep.equal(['Workspace', 'Campaign', 'Workflow', 'Workflow']);
    expect(workflows).to.deep.equal(['alone', 'flow']);
    expect(await revive('flow')).to.equal(1);
  });

  it('what a tool deleted comes back too, its ICPs to be scored anew', async () => {
    await tx((t) =>
      t.exec(
        `insert into icp (id, workspace_id, campaign_id, created_at, scores_stale) values (gen_random_uuid(), 'acme', 'camp', 1, false)`,
      ),
    );
    now += HOUR;
    await tx(async (t) => {
      await deleteContent(t, 'camp', now);
      await tombstonePart(t, 'Campaign', 'camp', now);
    });
    await undo('Campaign', 'camp');
    expect(await rows('select deleted_at, scores_stale from icp')).to.deep.equal([
      { deleted_at: null, scores_stale: true },
    ]);
  });

  it('nobody is written to whom a person had paused, who answered meanwhile, or who was erased', async () => {
    await enrol(OTHER_LEAD);
    const third = '00000000-0000-4000-8000-000000000003';
    await tx((t) =>
      t.exec(`insert into lead (id, workspace_id, full_name, created_at, updated_at) values ($1, 'acme', 'Jo', 1, 1)`, [
        third,
      ]),
    );
    await enrol(third);
    await tx((t) =>
      t.exec(`update run set state = 'paused', wait_reason = null, due_at = null where lead_id = $1`, [OTHER_LEAD]),
    );
    await remove('Workflow', 'flow');
    await tx(async (t) => {
      const heard = { replied: true, replyClass: 'question', lastReplyAt: now };
      await t.exec('update run set facts = facts || $2 where lead_id = $1', [LEAD, JSON.stringify(heard)]);
      await t.exec('update lead set erased_at = 1 where id = $1', [third]);
    });
    await undo('Workflow', 'flow');
    await revive('flow');
    expect((await runs()).map(({ state, lead_id }) => [lead_id, state])).to.deep.equal([
      [LEAD, 'replied'],
      [OTHER_LEAD, 'paused'],
      [third, 'stopped'],
    ]);
    expect(await rows(`select facts from run where facts ? 'deletedFrom' and ended_at is null`)).to.deep.equal([]);
  });

  it('whom another run took meanwhile it does not take back', async () => {
    await remove('Workflow', 'flow');
    await tx((t) =>
      t.exec(`select app.enrol('acme', 'alone', $1, array[$2::uuid], array[gen_random_uuid()], '', 'named')`, [
        now,
        LEAD,
      ]),
    );
    await undo('Workflow', 'flow');
    await revive('flow');
    expect(
      await rows(`select r.workflow_id from contact_claim c join run r on r.id = c.run_id and c.released_at is null`),
    ).to.deep.equal([{ workflow_id: 'alone' }]);
  });

  it('what cannot come back says the true reason and the next step', async () => {
    const why = (kind: KindName, id: string): Promise<string> => tx((t) => whyNotBack(t, kind, id));
    expect(await why('Workflow', 'ghost')).to.match(/No workflow ghost is known.*outrider deletions/);
    expect(await why('Campaign', 'camp')).to.match(/is not deleted/);
    await removeCampaign();
    expect(await undo('Workflow', 'flow')).to.deep.equal({ toApply: [], workflows: [] });
    expect(await why('Workflow', 'flow')).to.include('outrider deletions undo campaign camp');
    await tx((t) => t.exec('update campaign set purged_at = 5'));
    expect(await undo('Campaign', 'camp')).to.deep.equal({ toApply: [], workflows: [] });
    expect(await why('Campaign', 'camp')).to.match(/its content went .*retentionDays.* Apply its manifest/);
    await tx((t) => t.exec('update workspace set erase_at = 5'));
    expect(await why('Campaign', 'camp')).to.include('svc_admin_delete_workspace with cancel');
  });
});
