import { NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { type ErrorRow, row } from './error-row.ts';

const DECIDED = 'wrong state: already decided, expired, or the lead replied meanwhile';
const SUPPRESSED = 'recipient is suppressed (exclusion, unsubscribe, bounce, complaint or erasure)';
const TOO_LONG = 'longer than the channel allows (connection note 300, InMail subject 200, body 1900)';

const DECISIONS: Readonly<Record<string, object>> = {
  svc_approve_review_item: {},
  svc_edit_review_item: { body: 'Hello again' },
  svc_reject_review_item: { reason: 'no' },
};

export const REVIEW_ERRORS: readonly ErrorRow[] = [
  ...Object.entries(DECISIONS).flatMap(([tool, more]) => [
    row(
      tool,
      DECIDED,
      ({ drafts }) => ({ reviewItemId: drafts.decided, ...more }),
      /is rejected already\. Call svc_list/,
    ),
    row(tool, DECIDED, ({ drafts }) => ({ reviewItemId: drafts.expired, ...more }), /has expired .*action "resume"/),
    row(
      tool,
      DECIDED,
      ({ drafts }) => ({ reviewItemId: drafts.replied, ...more }),
      /is cancelled already\. Call svc_l/,
    ),
  ]),
  row(
    'svc_approve_review_item',
    SUPPRESSED,
    ({ drafts }) => ({ reviewItemId: drafts.suppressed }),
    /^The recipient is suppressed .* Call svc_check_signal_exclusion\.$/,
  ),
  {
    tool: 'svc_edit_review_item',
    error: TOO_LONG,
    refused: async ({ acme, tools, drafts }) => {
      const input = { reviewItemId: drafts.open, body: 'x'.repeat(1_901) };
      await tools.force(`update review_item set channel = 'inmail' where id = $1`, [drafts.open]);
      return acme.refusal('svc_edit_review_item', input);
    },
    text: /^Invalid input: body: 1901 characters, a inmail allows 1900\. Call svc_get_review_item\.$/,
  },
  {
    tool: 'svc_bulk_decide_review_items',
    error: 'not found reviewItem',
    refused: async ({ acme }) => {
      const input = { reviewItemIds: [NOBODY], decision: 'reject', reason: 'no' };
      const { failed } = await acme.call<{ failed: { message: string }[] }>('svc_bulk_decide_review_items', input);
      return failed[0]?.message ?? '';
    },
    text: /^Review item ".*" was not found\. Call svc_list_review_items/,
  },
];
