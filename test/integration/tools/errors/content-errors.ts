import { insertPost } from '../../../fixtures/content/insert-post.ts';
import type { ErrorFixture } from '../../../fixtures/tools/error-fixture.ts';
import { NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { absent, type ErrorRow, NOT_OK, row } from './error-row.ts';

const post = ({ tools, accountId }: ErrorFixture, state: string, failed = false): Promise<string> =>
  insertPost(tools.force, { workspaceId: 'acme', accountId, state, failed });

const wrong = (tool: string, error: string, state: string, text: RegExp, more: object = {}): ErrorRow => ({
  tool,
  error,
  refused: async (fixture) => fixture.acme.refusal(tool, { contentPostId: await post(fixture, state), ...more }),
  text,
});

const soon = { scheduledAt: '2027-01-05T09:00:00Z' };

/** A call while the account can not act. */
const unhealthy = (tool: string, state: string, more: object = {}): ErrorRow => ({
  tool,
  error: NOT_OK,
  refused: async (fixture) => {
    const contentPostId = await post(fixture, state, state === 'scheduled');
    const { tools, accountId } = fixture;
    await tools.force(`update network_account set status = 'checkpoint' where id = $1`, [accountId]);
    const said = await fixture.acme.refusal(tool, { contentPostId, ...more });
    await tools.force(`update network_account set status = 'ok' where id = $1`, [accountId]);
    return said;
  },
  text: /^Account ".+" is checkpoint; it can not post\. Call svc_get_network_account_health\.$/,
});

export const CONTENT_ERRORS: readonly ErrorRow[] = [
  wrong(
    'svc_update_content_post',
    'wrong state: scheduled (unschedule first) or published',
    'scheduled',
    /is scheduled; take it back to draft first\. Call svc_unschedule_content_post\.$/,
    { text: 'Another' },
  ),
  wrong(
    'svc_delete_content_post',
    'wrong state: published posts are kept',
    'published',
    /is published; published posts are kept as svc_get_content_post shows them\./,
  ),
  wrong(
    'svc_schedule_content_post',
    'wrong state: in review, published, or approval missing',
    'review',
    /is in review since svc_submit_content_for_approval; somebody has to approve it first\. Call svc_approve_content_post\.$/,
    soon,
  ),
  unhealthy('svc_schedule_content_post', 'draft', soon),
  {
    tool: 'svc_submit_content_for_approval',
    error: 'not found member',
    refused: async (fixture) =>
      fixture.acme.refusal('svc_submit_content_for_approval', {
        contentPostId: await post(fixture, 'draft'),
        reviewerIds: [NOBODY],
      }),
    text: /^Member ".+" was not found\. Call svc_list_members/,
  },
  wrong('svc_submit_content_for_approval', 'wrong state: not a draft', 'scheduled', /is no draft\./),
  wrong('svc_approve_content_post', 'wrong state: not in review', 'draft', /is not in review\./),
  wrong('svc_reject_content_post', 'wrong state: not in review', 'draft', /is not in review\./, { reason: 'No' }),
  wrong(
    'svc_unschedule_content_post',
    'wrong state: not scheduled, or publishing right now',
    'draft',
    /is not scheduled\./,
  ),
  wrong('svc_retry_content_post', 'wrong state: the post has no failure', 'scheduled', /has no failure\./),
  unhealthy('svc_retry_content_post', 'scheduled'),
  wrong(
    'svc_publish_content_post',
    'wrong state: in review, already published, or approval missing',
    'review',
    /is in review since svc_submit_content_for_approval; somebody has to approve it first\./,
  ),
  unhealthy('svc_publish_content_post', 'draft'),
  row(
    'svc_get_content_calendar',
    'range longer than 92 days',
    () => ({ fromDate: '2026-01-01T00:00:00Z', toDate: '2026-12-31T00:00:00Z' }),
    /^Invalid input: toDate: must be within 92 days of fromDate/,
  ),
  absent('svc_diagnose', 'contentPost', 'Content post', NOBODY, () => ({ target: 'content_post', targetId: NOBODY })),
];
