import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { type Bench, change, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { end, MailNodeFixture, mail, waitReply } from '../../fixtures/engine/mail-node-fixture.ts';
import { chain, DAY, HOUR } from '../../fixtures/engine/workflow-fixture.ts';
import { tellWorkspace } from '../../fixtures/tell-workspace.ts';

describe('engine: answers that only a person understands', function () {
  this.timeout(180_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
  });
  after(() => nodeFixture.close());

  async function answered(replyText: string): Promise<{ at: MailWorkspace; leadId: string; owner: string }> {
    const at = await fixture.workflowFixture(chain(mail(), waitReply(), end));
    const owner = randomUUID();
    await change(bench, 'insert into app_user (id, email, created_at) values ($1, $2, 0)', [
      owner,
      `${owner}@a.example`,
    ]);
    await change(
      bench,
      `insert into member (id, workspace_id, user_id, role, joined_at) values ($1, $2, $3, 'owner', 0)`,
      [randomUUID(), at.ws, owner],
    );
    const leadId = await nodeFixture.start(at, await fixture.person({ replyText, replyAfterMs: HOUR }));
    await bench.clock.advance(2 * HOUR);
    await fixture.sync(at);
    await at.handle.quiet();
    await tellWorkspace(bench.app, at.ws, bench.clock.now());
    return { at, leadId, owner };
  }

  /** What becomes of the lead in another workflow, taken by a source, by a trigger, or named by a person. */
  async function taken({ ws, camp }: MailWorkspace, leadId: string, source: 'source' | 'trigger' | 'named') {
    const flow = `wf-${randomUUID().slice(0, 8)}`;
    await change(
      bench,
      `insert into workflow select (jsonb_populate_record(w, jsonb_build_object('id', $2::text, 'uid', $2::text))).*
       from workflow w where w.campaign_id = $1 limit 1`,
      [camp, flow],
    );
    const [one] = await bench.app.tx({ kind: 'platform' }, (tx) =>
      enrolLeads(tx, {
        workspaceId: ws,
        workflowId: flow,
        now: bench.clock.now(),
        leads: [{ leadId, runId: randomUUID() }],
        source,
      }),
    );
    return one?.skipped ?? 'enrolled';
  }

  it('are told to owners and admins, and on day 91 nobody is written to again', async () => {
    const { at, leadId, owner } = await answered('Qwrt zxcv');
    expect(
      await query(
        bench,
        'select user_id, kind, next_tool, data ->> $2 as lead from notification where workspace_id = $1',
        [at.ws, 'leadId'],
      ),
    ).to.deep.equal([{ user_id: owner, kind: 'reply.received', next_tool: 'svc_list_conversations', lead: leadId }]);
    await bench.clock.advance(100 * DAY);
    expect(await taken(at, leadId, 'source')).to.equal('suppressed');
    expect(await taken(at, leadId, 'trigger')).to.equal('suppressed');
    expect(await taken(at, leadId, 'named'), 'a person decided').to.equal('enrolled');
  });

  it('nor is a person who said no; who said maybe is', async () => {
    const no = await answered('Not interested, thanks');
    const maybe = await answered('Not now, perhaps next year');
    await bench.clock.advance(100 * DAY);
    expect(await taken(no.at, no.leadId, 'source')).to.equal('suppressed');
    expect(await taken(maybe.at, maybe.leadId, 'source')).to.equal('enrolled');
    expect(
      await query(bench, 'select title from notification where workspace_id = any ($1) and title like $2', [
        [no.at.ws, maybe.at.ws],
        '%has to read%',
      ]),
      'understood',
    ).to.deep.equal([]);
  });

  it('nor is a person of the pool, whose lead belongs to nobody', async () => {
    const { at, leadId } = await answered('Not interested, thanks');
    const owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
    await owner.tx({ kind: 'none' }, async (tx) => {
      await tx.exec(
        `insert into outrider.pool_person (lead_id, scope, person_id)
         select l.id, p.scope, p.id from outrider.lead l join outrider.person p on p.id = l.person_id where l.id = $1`,
        [leadId],
      );
      await tx.exec('update outrider.lead set workspace_id = null, person_id = null where id = $1', [leadId]);
    });
    await owner.close();
    await bench.clock.advance(100 * DAY);
    expect(await taken(at, leadId, 'source')).to.equal('suppressed');
  });
});
