import type { ErrorFixture } from '../../../fixtures/tools/error-fixture.ts';

/** One error of a catalog entry, and a call that meets it. */
export interface ErrorRow {
  tool: string;
  /** As the catalog words it; `not found <recordType>` for a record that is missing. */
  error: string;
  /** Makes the call. @returns the text of the refusal, or of the single outcome that says so */
  refused: (fixture: ErrorFixture) => Promise<string>;
  text: RegExp;
}

/** Errors that no call can meet yet, with the reason. */
export const NEVER: readonly { tool: string; error: string; because: string }[] = [
  ...['svc_enrich_leads', 'svc_enrich_company'].map((tool) => ({
    tool,
    error: 'no enrichment provider is configured',
    because: 'the servers of these tests have one; enrichment.test.ts asks one that has none',
  })),
  {
    tool: 'svc_craft_content_post',
    error: 'not found searchWatch',
    because: 'no watch can be made yet: whatever is named is refused',
  },
  {
    tool: 'svc_create_calendar_event',
    error: 'the time is taken meanwhile',
    because: 'an executor finds it in the calendar; calendar-events.test.ts has both',
  },
  {
    tool: 'svc_create_calendar_event',
    error: 'the time was offered to a lead who is not among the attendees',
    because: 'times are offered of a calendar that answers, and these tests have none; free-slots.test.ts has',
  },
  {
    tool: 'svc_update_calendar_event',
    error: 'the time is taken meanwhile',
    because: 'an executor finds it in the calendar; perform-change.test.ts has it',
  },
  ...['svc_update_calendar_event', 'svc_delete_calendar_event'].map((tool) => ({
    tool,
    error: 'somebody else called the meeting',
    because: 'an executor finds it in the calendar; perform-change.test.ts has it',
  })),
  {
    tool: 'svc_update_calendar_event',
    error: 'attendee is suppressed (exclusion, unsubscribe, bounce, complaint or erasure)',
    because: 'the event is read before, and these tests have no calendar; calendar-events.test.ts has',
  },
  {
    tool: 'svc_admin_link_account',
    error: 'not found providerAccount',
    because:
      'mailboxes and calendars are not linked by this tool yet: the kind itself is refused, with the way that works',
  },
];

export const CREDITS = 'insufficient credits: the hold is refused before any work starts';
export const NOT_OK = 'account not in status ok (checkpoint, expired, restricted, disconnected)';
export const CREDITS_TEXT = /needs \d+ credits, 0 are available\. Call svc_get_credit_balance\.$/;
/** A refusal of a key of `acme`. */
export const no =
  (tool: string, input: (fixture: ErrorFixture) => object): ErrorRow['refused'] =>
  (fixture) =>
    fixture.acme.refusal(tool, input(fixture));

/** A row whose refused call is one of a key of `acme`. */
export const row = (tool: string, error: string, input: (fixture: ErrorFixture) => object, text: RegExp): ErrorRow => ({
  tool,
  error,
  refused: no(tool, input),
  text,
});

/** A row of a record that is missing. */
export const absent = (
  tool: string,
  type: string,
  label: string,
  id: string,
  input: (fixture: ErrorFixture) => object,
): ErrorRow => row(tool, `not found ${type}`, input, new RegExp(`^${label} "${id}" was not found\\. Call svc_[a-z_]+`));

/** A new draft. @returns its id */
export async function campaignOf(fixture: ErrorFixture, title: string): Promise<string> {
  return (await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title })).campaignId;
}
