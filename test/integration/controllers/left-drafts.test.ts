import { expect } from 'chai';
import type { ApiObject } from '../../../pkg/api/object.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { projectCampaign } from '../../../pkg/store/resources/project-campaign.ts';
import { projectWorkflow } from '../../../pkg/store/resources/project-workflow.ts';
import { projectWorkspace } from '../../../pkg/store/resources/project-workspace.ts';
import { graphChecker } from '../../../pkg/tools/resources/graph-checker.ts';
import { ACME, CAMP, FLOW, fixtureOf, NAMESPACE, OWF } from '../../fixtures/controllers/operator-fixture.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';

const DRAFTS = 12_000;
/** Drafts that one transaction takes back at most. */
const PART = 5_000;

describe('operator: a workflow of many drafts is disabled', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  beforeEach(async () => {
    cluster = await startTestCluster();
  });
  afterEach(() => cluster.stop());
  const { apply, applyAll, ready, row } = fixtureOf(() => cluster);

  const addDrafts = (state: string) =>
    cluster.db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `with r as (
           insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, wait_reason, due_at, entered_at, started_at, facts)
           select gen_random_uuid(), 'acme', 'flow', 'camp', gen_random_uuid(), 1, 'n', 'in_review', 'review', null, 1, 1, '{"approved": {"n": "Hello"}}'
           from generate_series(1, $1::int) returning id, lead_id)
         insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, node_id, send_node_id, channel, body, original_body, state, created_at, expires_at)
         select gen_random_uuid(), 'acme', 'flow', 'camp', r.id, r.lead_id, 'n', 'n', 'message', 'Hello', 'Hello', $2, 1, 9e12::bigint from r`,
        [DRAFTS, state],
      ),
    );
  const drafts = () =>
    row<{ open: number; most: number; approved: number }>(
      `select (select count(*) from review_item where state in ('pending', 'approved'))::int as open,
         (select coalesce(max(n), 0) from (select count(*) as n from review_item where state = 'cancelled' group by xmin::text) x)::int as most,
         (select count(*) from run where facts -> 'approved' ? 'n')::int as approved`,
    );
  const workflow = (enabled: boolean) =>
    apply('Workflow', 'flow', { campaignRef: { name: 'camp' }, name: 'W', enabled, graph: FLOW });

  for (const state of ['pending', 'approved'])
    it(`${state} ones are taken back in transactions of some thousand, and the workflow stands from the first on`, async () => {
      await cluster.operator();
      await applyAll(true);
      await Promise.all([ready(ACME), ready(CAMP), ready(OWF)]);
      await addDrafts(state);
      await workflow(false);
      await eventually('taken back', async () => (await drafts())?.open === 0);
      expect(await drafts()).to.deep.equal({ open: 0, most: PART, approved: 0 });
    });

  it('what was not taken back yet is so before it is enabled again', async () => {
    const acme = await apply('Workspace', 'acme', { displayName: 'Acme', owner: 'o@acme.example' });
    const camp = await apply('Campaign', 'camp', { workspaceRef: { name: 'acme' }, title: 'T' });
    const context = { now: 1, homeNamespace: NAMESPACE, ids: systemIds, checker: graphChecker };
    const show = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => cluster.db.tx({ kind: 'platform' }, work);
    await show((tx) => projectWorkspace(tx, acme as ApiObject, context));
    await show((tx) => projectCampaign(tx, camp as ApiObject, context));
    const shown = async (enabled: boolean): Promise<void> => {
      const object = await workflow(enabled);
      await show((tx) => projectWorkflow(tx, object as ApiObject, context));
    };
    await shown(true);
    await addDrafts('approved');
    await shown(false);
    expect((await drafts())?.open, 'after the first part').to.equal(DRAFTS - PART);
    await shown(true);
    expect(await drafts()).to.include({ open: 0, approved: 0 });
  });
});
