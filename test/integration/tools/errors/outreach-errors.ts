import type { ErrorFixture } from '../../../fixtures/tools/error-fixture.ts';
import { type ErrorRow, NOT_OK, row } from './error-row.ts';

const PERSON = { profileUrl: 'https://www.linkedin.com/in/reached-by-hand' };
const POST = { postUrl: 'https://www.linkedin.com/feed/update/urn:li:activity:7000000000000000001' };
const TEXT = 'Shall we talk?';

/** A call of each tool that reaches somebody, and the budget that it takes. */
const CALLS: Readonly<Record<string, { input: object; action: string; bars: 'all' | 'suppressed' | 'none' }>> = {
  svc_send_connection_request: { input: PERSON, action: 'connection_request', bars: 'all' },
  svc_send_inmail: { input: { ...PERSON, subject: 'A talk', body: TEXT }, action: 'inmail', bars: 'all' },
  svc_like_post: { input: POST, action: 'like', bars: 'none' },
  svc_comment_on_post: { input: { ...POST, text: TEXT }, action: 'comment', bars: 'none' },
  svc_follow_profile: { input: PERSON, action: 'follow', bars: 'suppressed' },
  svc_send_message: { input: { body: TEXT, timing: 'paced' }, action: 'message', bars: 'all' },
};

/** The account is named: rows before may have left another one with the workspace, which would act in its place. */
const inputOf = async (fixture: ErrorFixture, tool: string): Promise<object> => {
  const input = { networkAccountId: fixture.accountId, ...CALLS[tool]?.input };
  return tool === 'svc_send_message' ? { ...input, leadId: await reached(fixture) } : input;
};

/** The lead whom the calls are for. */
async function reached({ acme }: ErrorFixture): Promise<string> {
  return (await acme.call<{ leadId: string }>('svc_upsert_lead', PERSON)).leadId;
}

/** The refusal while something is so; it is taken back afterwards. */
async function refusedWhile(
  fixture: ErrorFixture,
  tool: string,
  [set, unset]: readonly [string, string],
  value: string,
): Promise<string> {
  const input = await inputOf(fixture, tool);
  await fixture.tools.force(set, [value]);
  try {
    return await fixture.acme.refusal(tool, input);
  } finally {
    await fixture.tools.force(unset, [value]);
  }
}

const ILL = [
  `update network_account set status = 'checkpoint' where id = $1`,
  `update network_account set status = 'ok' where id = $1`,
] as const;
const SPENT = (action: string) =>
  [
    `update network_account set limits = '{"${action}": {"day": 0}}' where id = $1`,
    `update network_account set limits = '{}' where id = $1`,
  ] as const;
const BARRED = [
  `insert into suppression (id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at)
   select gen_random_uuid(), 'acme', 'workspace', 'person', person_id::text, person_id, 'manual', 'reached', true, 'test', 1
   from lead where id = $1`,
  `delete from suppression where reason = 'reached' and person_id = (select person_id from lead where id = $1)`,
] as const;
const FOLLOWED = [
  `insert into contact_claim (scope_key, person_id, workspace_id, run_id, taken_at)
   select 'account:' || k.account_id, l.person_id, 'rival', gen_random_uuid(), 1
   from lead l join account_link k on k.workspace_id = 'acme' where l.id = $1`,
  `delete from contact_claim where workspace_id = 'rival' and person_id = (select person_id from lead where id = $1)`,
] as const;

const everywhere = Object.entries(CALLS).flatMap(([tool, { action, bars }]): ErrorRow[] => {
  const rows: ErrorRow[] = [
    {
      tool,
      error: NOT_OK,
      refused: (fixture) => refusedWhile(fixture, tool, ILL, fixture.accountId),
      text: /^Network account ".+" is checkpoint\. Call svc_get_network_account_health\.$/,
    },
    {
      tool,
      error: 'daily or weekly action budget of the account is used up (message carries the reset time)',
      refused: (fixture) => refusedWhile(fixture, tool, SPENT(action), fixture.accountId),
      text: /^The daily \w+ budget of network account ".+" is used up; it resets at 20.+Z\. Call svc_get_network_account_budgets\.$/,
    },
  ];
  if (bars === 'none') return rows;
  rows.push({
    tool,
    error: 'recipient is suppressed (exclusion, unsubscribe, bounce, complaint or erasure)',
    refused: async (fixture) => {
      await withCredits(fixture);
      return refusedWhile(fixture, tool, BARRED, await reached(fixture));
    },
    text: /^The recipient is suppressed .* Call svc_check_signal_exclusion\.$/,
  });
  if (bars === 'suppressed') return rows;
  rows.push({
    tool,
    error: 'another sequence, account or workspace of the agency holds this lead (contact claim)',
    refused: async (fixture) => {
      await withCredits(fixture);
      return refusedWhile(fixture, tool, FOLLOWED, await reached(fixture));
    },
    text: /^Another workspace of the agency is in contact .* Call svc_list_company_leads\.$/,
  });
  return rows;
});

/** An account that may write InMails. */
async function withCredits({ tools, accountId }: ErrorFixture): Promise<void> {
  await tools.force(`update network_account set tier = 'sales' where id = $1`, [accountId]);
}

const others: ErrorRow[] = [
  {
    tool: 'svc_send_inmail',
    error: 'no InMail credits on the account',
    refused: async (fixture) => {
      await fixture.tools.force(`update network_account set tier = 'basic' where id = $1`, [fixture.accountId]);
      return fixture.acme.refusal('svc_send_inmail', await inputOf(fixture, 'svc_send_inmail'));
    },
    text: /^The daily inmail budget of network account .* Call svc_get_network_account_budgets\.$/,
  },
  {
    tool: 'svc_refresh_inbox',
    error: NOT_OK,
    refused: (fixture) => refusedWhile(fixture, 'svc_refresh_inbox', ILL, fixture.accountId),
    text: /^Network account ".+" is checkpoint\. Call svc_get_network_account_health\.$/,
  },
  {
    tool: 'svc_follow_profile',
    error: 'the network offers no call for it',
    refused: async (fixture) => {
      fixture.network.unsupported = new Set(['follow']);
      const { detail } = await fixture.acme.call<{ detail: string }>(
        'svc_follow_profile',
        await inputOf(fixture, 'svc_follow_profile'),
      );
      fixture.network.unsupported = new Set();
      return detail;
    },
    text: /^The network offers no call for follow, .* Call svc_send_connection_request\.$/,
  },
  {
    tool: 'svc_send_message',
    error: 'a newer message arrived',
    refused: async ({ tools, acme, accountId }) => {
      const [talk] = await tools.force<{ id: string; known: string }>(
        `with c as (
           insert into conversation (id, account_id, external_id, provider_id, person_id)
           select gen_random_uuid(), $1, 'newer', 'ACoNewer', person_id from lead where person_id is not null limit 1
           returning id
         ), m as (
           insert into message (id, conversation_id, account_id, external_id, direction, body, sent_at)
           select gen_random_uuid(), c.id, $1, 'newer-' || n, 'in', 'Hello', n from c, generate_series(1, 2) n
           returning id, conversation_id, sent_at
         )
         select conversation_id as id, m.id as known from m where sent_at = 1`,
        [accountId],
      );
      return acme.refusal('svc_send_message', {
        conversationId: talk?.id,
        body: TEXT,
        expectedLastMessageId: talk?.known,
      });
    },
    text: /^A newer message arrived: ".{36}"\. Call svc_list_messages\.$/,
  },
  row(
    'svc_list_conversations',
    'not found campaign',
    () => ({ campaignId: 'nowhere' }),
    /^Campaign "nowhere" was not found\. Call svc_list_campaigns /,
  ),
];

export const OUTREACH_ERRORS = [...everywhere, ...others];
