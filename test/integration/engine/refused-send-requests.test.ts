import { expect } from 'chai';
import pg from 'pg';
import type { ClaimRequest } from '../../../pkg/store/ledger/ledger.ts';
import { claimSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, enrol, openBench } from '../../fixtures/engine/harness.ts';
import { ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount, addLead, addWorkflow } from '../../fixtures/engine/rows.ts';

const GAP = 600_000;

// Two runs of a person that ask in one batch: the contact claim goes to one of them.
describe('a promised moment of who is refused as another run has the person', () => {
  let bench: Bench;
  let owner: pg.Client;
  const { workflowFixture, runs, request } = ledgerTools(() => bench);
  before(async () => {
    bench = await openBench();
    owner = new pg.Client({ connectionString: bench.ownerUrl, options: '-c search_path=outrider,app,public' });
    await owner.connect();
  });
  after(async () => {
    await owner.end();
    await bench.close();
  });

  /** A promise for this moment, with a pause after it; and the account's pace, which lets anybody act. */
  const promise = (one: ClaimRequest, workspaceId: string): Promise<unknown> =>
    owner.query(
      `with pace as (insert into account_pacing (account_id) values ($1) on conflict do nothing)
       insert into account_slot (account_id, heavy, at, free_at, workspace_id, run_id, budgets)
       values ($1, $2, $3::bigint, $3::bigint + $4::bigint, $5, $6, $7)`,
      [one.accountId, one.action === 'message', bench.clock.now(), GAP, workspaceId, one.runId, one.budgets],
    );

  for (const [how, strangers] of [
    ['judged with all others', 0],
    ['judged one after the other', 1],
  ] as const) {
    it(`is no action of the account, and lets the next one act (${how})`, async () => {
      const at = await workflowFixture({ dedupeScope: 'account' });
      const account = await addAccount(bench.app, [at.ws]);
      const second = await addWorkflow(bench.app, at.ws, at.camp, {
        nodes: [{ nodeType: 'network:profile_view' }],
        edges: [],
      });
      const leadId = await addLead(bench.app, at.ws, {});
      const [one] = await enrol(bench, at.ws, at.flow, [leadId]);
      const [other] = await enrol(bench, at.ws, second, [leadId]);
      const requests = [
        request(one?.runId ?? '', account, 'message'),
        request(other?.runId ?? '', account, 'profile_view'),
        ...(await runs(at, strangers)).map((runId) => request(runId, account, 'message')),
      ];
      for (const each of requests) await promise(each, at.ws);
      const answers = await at.claim.tx((tx) => claimSends(tx, bench.clock.now(), requests));
      const refused = answers.find((answer) => answer.refusal === 'claim_held_elsewhere');
      expect(answers.filter((answer) => answer.granted).length).to.equal(1);
      const { rows } = await owner.query(
        `select s.acted, case when s.heavy then p.heavy_free_at else p.light_free_at end as free
         from account_slot s join account_pacing p on p.account_id = s.account_id where s.run_id = $1`,
        [refused?.runId],
      );
      expect(rows).to.deep.equal([{ acted: false, free: 0 }]);
    });
  }
});
