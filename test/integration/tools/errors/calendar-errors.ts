import type { ErrorFixture } from '../../../fixtures/tools/error-fixture.ts';
import type { ErrorRow } from './error-row.ts';

const TIMES = { startTime: '2026-03-10T09:00:00Z', endTime: '2026-03-10T09:30:00Z' };
const CALLS: readonly (readonly [tool: string, input: object])[] = [
  ['svc_list_calendar_events', { fromDate: '2026-03-10', toDate: '2026-03-11' }],
  ['svc_create_calendar_event', { summary: 'Demo', ...TIMES }],
  ['svc_update_calendar_event', { eventId: 'event-1', summary: 'Demo' }],
  ['svc_delete_calendar_event', { eventId: 'event-1' }],
];

/** A calendar of `acme` that no call of these rows reaches. @returns its id */
async function calendarOf({ tools }: ErrorFixture, serverInvites: boolean): Promise<string> {
  const id = `cal-errors-${serverInvites}`;
  await tools.force(
    `insert into calendar_account (id, workspace_id, email, url, server_invites, created_at)
     values ($1, 'acme', 'ada@calendar.example', 'https://calendar.example/', $2, 9)
     on conflict do nothing`,
    [id, serverInvites],
  );
  return id;
}

const invites = (tool: string, error: string, email: string, serverInvites: boolean, text: RegExp): ErrorRow => ({
  tool,
  error,
  refused: async (fixture) => {
    const providerAccountId = await calendarOf(fixture, serverInvites);
    const exclusion = { kind: 'email', value: 'never@acme.example' };
    await fixture.acme.call('svc_add_signal_exclusion', exclusion);
    return fixture.acme.refusal(tool, { providerAccountId, summary: 'Demo', ...TIMES, attendeeEmails: [email] });
  },
  text,
});

export const CALENDAR_ERRORS: readonly ErrorRow[] = [
  ...CALLS.map(
    ([tool, input]): ErrorRow => ({
      tool,
      error: 'no connected provider account linked to the workspace',
      refused: ({ rival }) => rival.refusal(tool, input),
      text: /^No connected provider account with a calendar is linked to the workspace\. Call svc_list_/,
    }),
  ),
  invites(
    'svc_create_calendar_event',
    'attendee is suppressed (exclusion, unsubscribe, bounce, complaint or erasure)',
    'never@acme.example',
    true,
    /^The attendee never@acme\.example is suppressed .* Call svc_check_signal_exclusion\.$/,
  ),
  invites(
    'svc_create_calendar_event',
    "the calendar's server invites nobody and no mailbox with its address is linked",
    'bob@acme.example',
    false,
    /^The server of this calendar invites nobody, .* connect it with svc_connect_integration/,
  ),
  {
    tool: 'svc_update_calendar_event',
    error: "the calendar's server invites nobody and no mailbox with its address is linked",
    refused: async (fixture) => {
      const providerAccountId = await calendarOf(fixture, false);
      const input = { providerAccountId, eventId: 'event-1', attendeeEmails: ['bob@acme.example'] };
      return fixture.acme.refusal('svc_update_calendar_event', input);
    },
    text: /^The server of this calendar invites nobody, .* connect it with svc_connect_integration/,
  },
  {
    tool: 'svc_connect_integration',
    error: 'google, caldav, smtp_imap, gmail without ext_integrations:write',
    refused: async ({ tools }) => {
      const narrow = await tools.as({ workspace: 'acme', scopes: ['integrations:write'] });
      const input = {
        provider: 'caldav',
        url: 'https://calendar.example/',
        credentials: { username: 'a', password: 'b' },
      };
      return narrow.refusal('svc_connect_integration', input);
    },
    text: /^Scope ext_integrations:write is required to connect caldav\. Call svc_whoami/,
  },
];
