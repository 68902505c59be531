import { expect } from 'chai';
import {
  type DiagnoseFixture,
  type Diagnosis,
  startDiagnoseFixture,
} from '../../../fixtures/tools/diagnose-fixture.ts';

describe('svc_diagnose: merges of persons, and mails that could not be read', function () {
  this.timeout(60_000);
  let fixture: DiagnoseFixture;
  before(async () => {
    fixture = await startDiagnoseFixture();
  });
  after(() => fixture.stop());

  it('accounts_healthy: names the mailboxes with mails that could not be read, for 30 days', async () => {
    const now = fixture.tools.cluster.clock.now();
    await fixture.tools.force(
      `with a as (insert into network_account (id, external_id, kind, provider, status_since, created_at)
           values ('greedy', 'greedy', 'mail', 'smtp', 1, 1) returning id),
         l as (insert into account_link (account_id, workspace_id, linked_at) select id, 'rival', 1 from a),
         m as (insert into mailbox (account_id, address, smtp_host, smtp_port, smtp_tls, imap_host, imap_port, imap_tls, username)
           select id, 'greedy@box.example', 'h', 25, 'none', 'h', 143, 'none', 'g' from a)
         insert into unread_mail (account_id, validity, uid, received_at, cause, head_read, at)
         select id, '1', n, 1, 'more memory than a mail may take', true, $1::bigint - (n - 1) * 31 * 86400000::bigint
         from a cross join generate_series(1, 2) n`,
      [now],
    );
    const rival = await fixture.tools.as({ workspace: 'rival' });
    const told = async (): Promise<string> =>
      (await rival.call<Diagnosis>('svc_diagnose', { target: 'workspace' })).checks.find(
        ({ check }) => check === 'accounts_healthy',
      )?.detail ?? '';
    expect(await told()).to.equal(
      '1 of 1 accounts can act. Mails that could not be read lie in mailboxes (greedy@box.example 1): `outrider mailbox unread <address>` lists them; look at them there.',
    );
    await fixture.tools.force(`update network_account set status = 'disconnected' where id = 'greedy'`);
    expect(await told(), 'also where nothing can act').to.contain('Mails that could not be read lie in mailboxes');
    await fixture.tools.force(
      `with u as (delete from unread_mail where account_id = 'greedy'), m as (delete from mailbox where account_id = 'greedy')
         delete from account_link where account_id = 'greedy'`,
    );
  });

  it('not_suppressed: a lead that was found to be one person with others says when, by what, and who parts them', async () => {
    const make = async (input: object): Promise<string> =>
      (await fixture.acme.call<{ leadId: string }>('svc_upsert_lead', input)).leadId;
    const email = 'both@own.example';
    const [byMail, byProfile] = [
      await make({ firstName: 'Mail', email }),
      await make({ firstName: 'Profile', profileUrl: 'https://www.linkedin.com/in/one-of-both' }),
    ];
    const told = async (leadId: string): Promise<string> =>
      (await fixture.diagnose('lead', leadId)).checks.find(({ check }) => check === 'not_suppressed')?.detail ?? '';
    expect(await told(byProfile)).to.equal('The person is not suppressed.');
    await fixture.tools.force('update lead set email = null where id = $1', [byMail]);
    await fixture.tools.force('update lead set email = $2 where id = $1', [byProfile, email]);
    await fixture.tools.rows('select count(*) from app.resolve_persons(array[$1::uuid], 1)', [byProfile]);
    for (const leadId of [byMail, byProfile])
      expect(await told(leadId)).to.match(
        new RegExp(
          `^The person is not suppressed\\. The lead is one person with another, last found \\S+Z by a profile or mail address that they share; .* \`outrider persons split ${leadId}\`\\.$`,
        ),
      );
  });
});
