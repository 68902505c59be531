import { addMailbox } from '../../../fixtures/engine/rows.ts';
import type { ErrorFixture } from '../../../fixtures/tools/error-fixture.ts';
import { MONDAY } from '../../../fixtures/tools/mcp-fixture.ts';
import type { ErrorRow } from './error-row.ts';

const MAIL = { to: 'fay@foxtrot.example', subject: 'The figures', body: 'Here they are.' };

/** The mailboxes that these rows made: one is enough for all of them. */
const boxes = new WeakMap<ErrorFixture, Promise<string>>();

function mailboxOf(fixture: ErrorFixture): Promise<string> {
  const known =
    boxes.get(fixture) ?? addMailbox(fixture.tools.cluster.db, 'acme', { smtpPort: 1, imapPort: 1, now: MONDAY });
  boxes.set(fixture, known);
  return known;
}

/** What svc_send_mail says while something is so; it is taken back afterwards. */
async function refusedWhile(
  fixture: ErrorFixture,
  [set, unset]: readonly [string, string],
  more: object = {},
): Promise<string> {
  const providerAccountId = await mailboxOf(fixture);
  await fixture.tools.force(set.replaceAll('$box', `'${providerAccountId}'`));
  try {
    return await fixture.acme.refusal('svc_send_mail', { providerAccountId, ...MAIL, ...more });
  } finally {
    await fixture.tools.force(unset.replaceAll('$box', `'${providerAccountId}'`));
  }
}

const barred = (source: string): readonly [string, string] => [
  `insert into suppression (id, workspace_id, level, kind, value, source, reason, removable, created_by, created_at)
   values (gen_random_uuid(), 'acme', 'workspace', 'mail', '${MAIL.to}', '${source}', 'mails', true, 'test', 1)`,
  `delete from suppression where reason = 'mails'`,
];

export const MAIL_ERRORS: readonly ErrorRow[] = [
  {
    tool: 'svc_send_mail',
    error: 'recipient is suppressed (exclusion, unsubscribe, bounce, complaint or erasure)',
    refused: (fixture) => refusedWhile(fixture, barred('manual')),
    text: /^fay@foxtrot\.example is suppressed .* Call svc_check_signal_exclusion\.$/,
  },
  {
    tool: 'svc_send_mail',
    error: 'recipient address invalid or bounced before',
    refused: (fixture) => refusedWhile(fixture, barred('bounce')),
    text: /^Mails to fay@foxtrot\.example came back before\. Call svc_enrich_leads/,
  },
  {
    tool: 'svc_send_mail',
    error: 'mailbox daily limit used up',
    refused: (fixture) =>
      refusedWhile(fixture, [
        `update network_account set limits = '{"mail": {"day": 0}}' where id = $box`,
        `update network_account set limits = '{}' where id = $box`,
      ]),
    text: /^The daily limit of mailbox ".+" is used up: 0 of 0 mails; it resets at 20.+Z\. Call svc_list_provider_accounts\.$/,
  },
  {
    tool: 'svc_send_mail',
    error: 'no connected provider account linked to the workspace',
    refused: ({ rival }) => rival.refusal('svc_send_mail', MAIL),
    text: /^No connected mailbox is linked to the workspace\. Call svc_list_provider_accounts\.$/,
  },
  {
    tool: 'svc_send_mail',
    error: 'a newer message arrived',
    refused: async (fixture) => {
      const { box, known } = await twoMails(fixture);
      return fixture.acme.refusal('svc_send_mail', {
        providerAccountId: box,
        ...MAIL,
        expectedLastMessageId: known,
      });
    },
    text: /^A newer message arrived: ".+"\. Call svc_list_messages\.$/,
  },
  {
    tool: 'svc_update_provider_account_settings',
    error: 'schedulingEndHour not after schedulingStartHour',
    refused: async (fixture) =>
      fixture.acme.refusal('svc_update_provider_account_settings', {
        providerAccountId: await mailboxOf(fixture),
        schedulingStartHour: 17,
        schedulingEndHour: 9,
      }),
    text: /^Invalid input: schedulingEndHour: 9 is not after schedulingStartHour, which is 17\. Call svc_list_provider_accounts\.$/,
  },
  {
    tool: 'svc_control_warmup',
    error: 'SPF, DKIM or DMARC missing',
    refused: async (fixture) => {
      const providerAccountId = await mailboxOf(fixture);
      const good = { state: 'pass', failedAt: null };
      const stand = {
        spf: { state: 'failing', failedAt: 1 },
        dkim: good,
        dmarc: good,
        dmarcPolicy: null,
        problems: ['no record'],
      };
      await fixture.tools.force(
        `insert into mail_check (account_id, domain, checked_at, stand) values ($1, 'agency.example', 1, $2)`,
        [providerAccountId, JSON.stringify(stand)],
      );
      return fixture.acme.refusal('svc_control_warmup', { providerAccountId, action: 'start' });
    },
    text: /^SPF missing \(no record\)\. Call svc_get_mail_deliverability\.$/,
  },
];

/** Two mails of the lead in the inbox. @returns the mailbox, and the id of the older mail */
async function twoMails(fixture: ErrorFixture): Promise<{ box: string; known: string }> {
  const { acme, tools } = fixture;
  const box = await mailboxOf(fixture);
  await acme.call('svc_upsert_lead', { email: MAIL.to });
  const talk = `insert into conversation (id, account_id, external_id, person_id)
    select gen_random_uuid(), '${box}', 'mail:' || person_id, person_id from lead where email = '${MAIL.to}' returning id`;
  const [row] = await tools.force<{ id: string }>(talk);
  const said = await tools.force<{ id: string }>(
    `insert into message (id, conversation_id, account_id, external_id, direction, body, sent_at)
     select gen_random_uuid(), '${row?.id}', '${box}', '<' || n || '@foxtrot.example>', 'in', 'Hello', n
     from generate_series(1, 2) n returning id`,
  );
  return { box, known: said[0]?.id ?? '' };
}
